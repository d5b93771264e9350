#!/bin/bash
# A program that is executed again and again is executed as its copy at once, and fails as without tare
# whenever the file itself would not be executed.
. "$(dirname "$0")/lib.sh"
need gcc

cat >"$work/child.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>
__attribute__((noinline)) int counted(int n)
{
	return n ? n + counted(n - 1) : 0;
}
int main(int argc, char **argv)
{
	char self[4096] = "";

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	printf("%s of %d, %s, %s, %d, %s %s\n", argv[0], argc, self, getenv("KEPT"), counted(5),
	       getenv("LD_AUDIT"), getenv("TARE_SESSION"));
	return argc;
}
C
gcc -O1 -o "$work/child" "$work/child.c"
sed 's/of %d/now %d/' "$work/child.c" >"$work/other.c"
gcc -O1 -o "$work/other" "$work/other.c"

# Each way twice after the first: as the recorder gets to know the program, and when it knows it.
cat >"$work/script" <<'S'
cp ../child ../other .
export KEPT=yes
ways() {
	./child "$1"; echo "$?"
	(exec -a renamed ./child "$1" more); echo "$?"
	LD_BIND_NOW=1 ./child bound; echo "$?"
	LD_LIBRARY_PATH=/nowhere ./child library; echo "$?"
	GLIBC_TUNABLES=glibc.malloc.check=0 ./child tunable; echo "$?"
	env -i ./child; echo "$?"
	ln -sf child link; ./link; echo "$?"
}
ways first; ways second; ways third
exec 3>>child; ./child busy 2>&1; echo "$?"; exec 3>&-
./child free; echo "$?"
chmod a-x child; ./child forbidden 2>&1; echo "$?"; chmod u+x child
./child allowed; echo "$?"
mv other child; ./child; echo "$?"; ./child; echo "$?"
rm child; ./child 2>&1; echo "$?"
S
run_in "$work/plain" bash ../script
run_in "$work/recorded" "$TARE" record -q --small-functions=keep -o "$work/profile.tare" -- bash ../script
diff "$work/plain.stdout" "$work/recorded.stdout" || fail "children behave differently"
diff "$work/plain.stderr" "$work/recorded.stderr" || fail "children say something else"
grep -q 'busy' "$work/plain.stdout" || fail "nothing was busy: $(cat "$work/plain.stdout")"
report functions
calls=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["function"] == "counted" { sum += $at["calls"] } END { print sum + 0 }' "$work/functions.csv")
runs=$(grep -c ', 15,' "$work/plain.stdout")
[ "$calls" = $((6 * runs)) ] || fail "$calls calls of counted in $runs runs"
