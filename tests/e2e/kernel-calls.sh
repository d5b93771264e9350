#!/bin/bash
# What the runtime asks the kernel for at a program's system calls does not grow with their number
# where nothing is counted: the kernel counts.
. "$(dirname "$0")/tracefs.sh"
need_tracepoint syscalls/sys_enter_gettid
need gcc

cat >"$work/program.c" <<'C'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	const int null = open("/dev/null", O_WRONLY);

	for (int i = 0; i < atoi(argv[argc - 1]); i++)
		if (write(null, "", 1) != 1)
			return 1;
	return 0;
}
C
gcc -O1 -o "$work/moved" "$work/program.c"
gcc -O1 -static -o "$work/static" "$work/program.c" 2>"$work/err" || fail "$(cat "$work/err")"

# asked PROGRAM WRITES: how often threads asked who they are.
asked() {
	record_options=(--method=sample --event=syscalls:sys_enter_gettid:1)
	record "$TARE" record -q --transform=null -o inner.tare -- "$work/$1" "$2"
	weight
}

for program in moved static; do
	few=$(asked "$program" 100)
	many=$(asked "$program" 1100)
	[ $((many - few)) -lt 100 ] || fail "$program: $few with 100 system calls, $many with 1,100"
done
