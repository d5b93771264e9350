#!/bin/bash
# Time around a stop: what a thread did before it, without any probe, is its function's; while the
# process is stopped no clock runs; an execve that fails ends nothing; and a forked child has nothing of
# its parent's files of threads.
. "$(dirname "$0")/lib.sh"
need gcc

cat >"$work/program.c" <<'C'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <tare/tare.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;
static volatile long sink;

static void stop(int number)
{
	(void)number;
	tare_stop(TARE_THREAD_LEVEL, 0);
	stopped = 1;
}

__attribute__((noinline)) static void work(void)
{
	while (!stopped)
		sink++;
}

__attribute__((noinline)) static void after(void)
{
	for (int i = 0; i < 100; i++)
		sink++;
}

/* How many mappings have another process's files of a thread in them. */
static int maps_of_parent(void)
{
	char line[512], own[32];
	int count = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	snprintf(own, sizeof(own), "/thread.%d.", (int)getpid());
	while (fgets(line, sizeof(line), maps))
		count += strstr(line, "/thread.") && !strstr(line, own);
	fclose(maps);
	return count;
}

int main(int argc, char **argv)
{
	const struct itimerval once = {.it_value = {.tv_usec = 300000}};
	char *const nothing[] = {0};

	if (!strcmp(argv[argc - 1], "thread")) {
		signal(SIGVTALRM, stop);
		setitimer(ITIMER_VIRTUAL, &once, 0); /* of the process's own processor time */
		work();
	} else if (!strcmp(argv[argc - 1], "process")) {
		tare_stop(TARE_PROCESS_LEVEL, 0);
		usleep(1500000);
		tare_start(TARE_PROCESS_LEVEL, 0);
		after();
	} else {
		after();
		execve(argv[1], nothing, nothing);
		usleep(700000);
		after();
		if (!fork())
			_exit(maps_of_parent());
		int status = 0;
		wait(&status);
		printf("%d\n", status);
		fflush(stdout);
		kill(getpid(), SIGKILL);
	}
	return 0;
}
C
gcc -O1 -I"$E2E/../../include" -o "$work/program" "$work/program.c" "$FIXTURES/../../lib/libtare.a"

# No probe lies between the begin of `work` and the stop.
record_options=(--small-functions=keep --function=main --function=work)
same "$work/program" thread
report functions
worked=$(cell functions function work elapsed_exclusive_ns)
awk -v ns="$worked" 'BEGIN { exit !(ns >= 200e6) }' || fail "work took $worked ns, expected 300 million"

# What was off and what was on are no more than the whole.
record_options=(--small-functions=keep)
same "$work/program" process
"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
of_summary() {
	sed -n "s/^ *\"$1\": \([0-9]*\),*\$/\1/p" "$work/summary.json"
}
off=$(of_summary off_ns)
[ "$off" -ge 1400000000 ] || fail "$off ns were off, expected 1.5 s"
awk -v off="$off" -v on="$(of_summary elapsed_ns)" -v all="$(of_summary duration_ns)" '
	BEGIN { exit !(off + on <= all * 1.01) }' || fail "off $off, on $(of_summary elapsed_ns): too much"

# A thread that was killed later has no end.
printf '\177ELF and nothing else' >"$work/garbage"
chmod +x "$work/garbage"
run_in "$work/recorded" "$TARE" record -q -o "$work/profile.tare" -- "$work/program" "$work/garbage" execve
[ "$(cat "$work/recorded.status")" = 137 ] || fail "status $(cat "$work/recorded.status") instead of 137"
[ "$(cat "$work/recorded.stdout")" = 0 ] || fail "a child maps its parent's files: $(cat "$work/recorded.stdout")"
report threads
# The parent's row is that of who began first; the child may have taken more processor time.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["calls"] > 0 && /^program/ && (!seen++ || $at["begin_ns"] + 0 < first) {
		first = $at["begin_ns"] + 0; end = $at["end_ns"] }
	END { exit !seen || end != "" }' "$work/threads.csv" || fail "an end: $(cut -d, -f1-6 "$work/threads.csv")"
