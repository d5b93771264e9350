#!/bin/bash
# Executions, as --lines counts them.
#
#   executions.sh instructions   each instruction and jump of a real library, beside callgrind's
#   executions.sh lines SOURCE   each source line of a program, beside gcov's
#   executions.sh interleaved    a line of optimised code counts once where it comes in pieces
#   executions.sh continued      nor does it count again where control comes back to it from what was inlined
#   executions.sh unknown        what has none is named
#   executions.sh killed         what a program counted that was killed is there
#   executions.sh rounds         rounds of loops that several copies count, any number of them
. "$E2E/lib.sh"

# A recording of the command; nothing but times may depend on what it shows.
record_lines() {
	"$TARE" record -q --lines -o "$work/profile.tare" -- "$@" >"$work/recorded.stdout"
}

instructions() {
	local environment=(env -i PATH="$PATH" LC_ALL=C HOME="$work" XDG_CACHE_HOME="$XDG_CACHE_HOME")
	local command=(sqlite3 :memory: ".read $work/orders.sql")

	sed 's/i < 20000)/i < 300)/; s/i < 60000)/i < 900)/; s/% 20000\b/% 300/' "$E2E/data/orders.sql" \
		>"$work/orders.sql"
	need valgrind python3 sqlite3
	"${environment[@]}" valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no \
		--compress-strings=no --compress-pos=no --callgrind-out-file="$work/callgrind.out" \
		"${command[@]}" >"$work/valgrind.stdout"
	"${environment[@]}" "$TARE" record -q --lines -o "$work/profile.tare" -- "${command[@]}" \
		>"$work/recorded.stdout"
	cmp "$work/valgrind.stdout" "$work/recorded.stdout" || fail "the output differs"
	"$E2E/executions_check" instructions "$work/callgrind.out" "$work/profile.tare" libsqlite3
	# What is counted is what runs seldom.
	"$E2E/../../bench/executions/placement" "$TARE" "$work/profile.tare" --at-most 2
}

# What computed gotos share is one instruction at -O0, which has one of their lines. A condition of several lines
# is one execution of its first; gcov takes a block for part of its greatest line, and begins another after it.
lines() {
	need g++ gcov python3
	local source=$E2E/../fixtures/$1 options=(-g -O0 -pthread -I"$E2E/../fixtures")
	local name=${source##*/}
	cd "$work"
	g++ "${options[@]}" -o plain "$source"
	g++ "${options[@]}" --coverage -fprofile-update=atomic -o covered "$source"
	./covered >covered.stdout
	gcov -t "covered-${name%.cpp}.gcda" >gcov.out 2>/dev/null
	record_lines ./plain
	cmp covered.stdout recorded.stdout || fail "the output differs"
	"$E2E/executions_check" lines gcov.out profile.tare "$name" "goto \\*|i % 3 == 0   \\? catching"
}

# At -O2 the call and what is done with its value have code of the loop's line between, in one block.
interleaved() {
	need g++ gcov sqlite3
	local source=$E2E/../fixtures/executed.cpp options=(-g -O2 -fno-inline -pthread -I"$E2E/../fixtures")
	cd "$work"
	g++ "${options[@]}" -o plain "$source"
	g++ "${options[@]}" --coverage -fprofile-update=atomic -o covered "$source"
	./covered >covered.stdout
	gcov -t covered-executed.gcda >gcov.out 2>/dev/null
	record_lines ./plain
	local expected mine
	expected=$(awk -F: '/sum \+= switched\(i\);/ { print $1 + 0; exit }' gcov.out)
	mine=$(sqlite3 profile.tare "SELECT sum(l.count) FROM line_execution l JOIN source s ON s.id = l.source
		WHERE s.path LIKE '%/executed.cpp' AND l.line = $(grep -n 'sum += switched(i);' "$source" | head -n 1 | cut -d: -f1)")
	[ "$mine" = "$expected" ] || fail "tare has $mine executions of the call of switched, gcov $expected"
}

# What a line calls that was inlined into it is part of it, as is the next line of its condition; each place that
# a function is inlined at counts for the function's lines.
continued() {
	need gcc sqlite3
	cat >"$work/continued.c" <<'END'
static inline __attribute__((always_inline)) int inlined(int x)
{
	if (x % 2) // inner 50
		x += 3;
	for (int i = 0; i < 4; i++) // loop 250
		x ^= i; // in loop 200
	return x;
}
static inline __attribute__((always_inline)) int straight(int x)
{
	return x * 3; // straight 20
}
int main(int argc, char **argv)
{
	volatile int sum = 0, n = 10 * argc;
	(void)argv;
	for (int i = 0; i < n; i++) {
		sum += inlined(i); // once 10
		sum += inlined(i) + inlined(i + 1); // twice 10
		sum += straight(i) + straight(i + 1); // both 10
		if (sum == i || // first 10
		    sum + i == 1 || n == 10)
			sum++; // within 10
	}
	for (int i = 0; i < n; i++) sum += inlined(i); // alone 11
	for (int i = 0; i < n; i++)
		sum += i + // several lines 10
		       inlined(i) +
		       2;
	return sum == 0;
}
END
	gcc -g -O0 -w -o "$work/continued" "$work/continued.c"
	record_lines "$work/continued" || true
	local line expected mine
	while read -r line expected; do
		mine=$(sqlite3 "$work/profile.tare" "SELECT sum(l.count) FROM line_execution l JOIN source s
			ON s.id = l.source WHERE s.path LIKE '%/continued.c' AND l.line = $line")
		[ "$mine" = "$expected" ] || fail "line $line has $mine executions: $(sed -n "${line}p" "$work/continued.c")"
	done < <(sed -nE '=; s/.*\/\/.* ([0-9]+)$/ \1/p' "$work/continued.c" | awk '/^ / { print line, $1; next } { line = $1 }')
}

# Control comes back into the middle of jumper by a pointer that the code has kept.
unknown() {
	need gcc
	cat >"$work/jumps.c" <<'END'
static void *buffer[5];
static void __attribute__((noinline)) back(int n) { if (n > 1) __builtin_longjmp(buffer, 1); }
static int __attribute__((noinline)) jumper(int n)
{
	if (__builtin_setjmp(buffer))
		return 7;
	back(n);
	return 3;
}
static int __attribute__((noinline)) plain(int n) { return jumper(n) + jumper(n + 1); }
int main(int argc, char **argv) { (void)argv; return plain(argc) - 10; }
END
	gcc -g -O0 -o "$work/jumps" "$work/jumps.c"
	record_lines "$work/jumps"
	"$TARE" report lines -v "$work/profile.tare" --no-pager >"$work/text"
	grep -q '^! executed *executions not known of .* functions\?: .*jumper' "$work/text" ||
		fail "nothing is said of jumper: $(cat "$work/text")"
	! grep '^! executed' "$work/text" | grep -q plain || fail "plain has executions"
	"$TARE" report threads -v "$work/profile.tare" --no-pager >"$work/text"
	! grep -q 'executions not known' "$work/text" || fail "a view without executions speaks of them"
	"$TARE" report functions "$work/profile.tare" --columns=function,instructions --format=csv |
		tr -d "\r" >"$work/functions.csv"
	grep -q '^jumper,$' "$work/functions.csv" || fail "instructions of jumper are known: $(cat "$work/functions.csv")"
	grep -qE '^plain,[1-9][0-9]+$' "$work/functions.csv" || fail "those of plain are not: $(cat "$work/functions.csv")"
	"$TARE" report modules "$work/profile.tare" --columns=module,instructions --format=csv |
		tr -d "\r" >"$work/modules.csv"
	grep -q '^jumps,$' "$work/modules.csv" || fail "a part of the module's instructions: $(cat "$work/modules.csv")"
}

# What was counted is there, and each call of a function is an execution of its first block, but for one in
# progress at the end.
killed() {
	need sqlite3
	"$TARE" record -q --lines -o "$work/profile.tare" -- timeout -s KILL 1 "$FIXTURES/killed" \
		>"$work/recorded.stdout" || true
	local printed executed entered
	printed=$(tail -n 1 "$work/recorded.stdout" | cut -d' ' -f2)
	executed=$(sqlite3 "$work/profile.tare" "SELECT sum(e.count) FROM execution e JOIN block b ON b.id = e.block
		JOIN function f ON f.id = b.function AND f.link_addr = b.link_addr WHERE f.name = 'inner'")
	entered=$(sqlite3 "$work/profile.tare" "SELECT sum(c.entered) FROM counted c JOIN function f
		ON f.id = c.function WHERE f.name = 'inner'")
	[ "${executed:-0}" -ge $((printed * 100)) ] || fail "inner was executed $executed times, outer $printed"
	[ $((entered - executed)) -ge -1 ] && [ $((entered - executed)) -le 1 ] ||
		fail "inner has $entered calls, and $executed executions"
}

# Loops of one block: they go round any number of times, their flags are used behind them or kept over them, they
# begin a function, or change what they compare with. One is long, and its time is where its instructions are.
rounds() {
	need gcc valgrind python3 sqlite3
	cat >"$work/rounds.c" <<'END'
#include <asm/prctl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
static long own[1 << 18]; /* what %gs leads to, for whoever asks for that */
static volatile sig_atomic_t ticks;
static void tick(int signal) { (void)signal; ticks++; }
#define KEPT __attribute__((noinline, noclone))
KEPT static long sum(const int *at, long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum = sum * 3 + at[i];
	return sum;
}
KEPT static size_t length(const char *at)
{
	size_t n = 0;
	while (at[n] != 'x')
		n++;
	return n;
}
KEPT static double long_one(double x, long n)
{
	for (long i = 0; i < n; i++)
		x = 1.0 / (x + 1.5);
	return x;
}
long flags(long n, long limit), begins(long n), pushes(long n), carries(const unsigned *at, long n);
__asm__(".text\n"
	/* What the loop has compared last is used behind it. */
	".type flags, @function\nflags: .cfi_startproc\n"
	"	xor %eax, %eax\n	mov $1, %ecx\n"
	"1:	add $1, %rax\n	add $3, %rcx\n	cmp %rdi, %rax\n	jb 1b\n"
	"	seta %al\n	sete %cl\n	movzbl %al, %eax\n	movzbl %cl, %ecx\n	lea (%rcx,%rax,2), %rax\n	ret\n"
	"	.cfi_endproc\n	.size flags, .-flags\n"
	/* The function is its loop. */
	".type begins, @function\nbegins: .cfi_startproc\n"
	"	lea -1(%rdi), %rdi\n	test %rdi, %rdi\n	jg begins\n	mov %rdi, %rax\n	ret\n"
	"	.cfi_endproc\n	.size begins, .-begins\n"
	/* The stack is deeper in its midst. */
	".type pushes, @function\npushes: .cfi_startproc\n	xor %eax, %eax\n"
	"1:	push %rdi\n	.cfi_adjust_cfa_offset 8\n	add (%rsp), %rax\n	pop %rcx\n	.cfi_adjust_cfa_offset -8\n"
	"	dec %rdi\n	jg 1b\n	ret\n"
	"	.cfi_endproc\n	.size pushes, .-pushes\n"
	/* The carry goes from round to round. */
	".type carries, @function\ncarries: .cfi_startproc\n"
	"	xor %eax, %eax\n	xor %ecx, %ecx\n"
	"1:	adc (%rdi,%rcx,4), %eax\n	lea 1(%rcx), %rcx\n	dec %rsi\n	jnz 1b\n"
	"	adc $0, %eax\n	ret\n"
	"	.cfi_endproc\n	.size carries, .-carries\n");
int main(int argc, char **argv)
{
	static int numbers[64];
	static unsigned halves[64];
	char text[64];
	long all = 0;
	const struct itimerval often = {{0, 500}, {0, 500}};

	for (int i = 0; i < 64; i++) {
		numbers[i] = i * 7919 % 1009;
		halves[i] = 0x81234567u * (unsigned)i;
		text[i] = 'a';
	}
	if (argc > 2 && *argv[2] == 'g')
		syscall(SYS_arch_prctl, ARCH_SET_GS, (unsigned long)&own[1 << 17]);
	if (argc > 2) {
		signal(SIGPROF, tick);
		setitimer(ITIMER_PROF, &often, 0);
	}
	for (int i = 0; argc > 2 && *argv[2] == 'o' && i < 2000000; i++)
		all += sum(numbers + (i & 3), 60);
	for (int n = 0; n < 50; n++) {
		text[n] = 'x';
		all = all * 5 + sum(numbers, n) + (long)length(text) + flags(n, n) + flags(n, n / 2) + begins(n);
		all += n ? carries(halves, n) : 0;
		all ^= pushes(n);
		text[n] = 'a';
	}
	printf("%ld %.9f\n", all, long_one(0.5, atol(argv[1])));
	for (int i = 0; i < 1 << 18; i++)
		if (own[i])
			puts("written to by others");
	return argc > 2 && !ticks;
}
END
	cd "$work"
	gcc -g -O1 -w -Wl,-z,now -o rounds rounds.c
	"$TARE" instrument -q --lines --verify -o rounds.copy rounds || fail "the copy differs"
	[ "$(LC_ALL=C grep -c -aoP '\x65\x48\x83\x05' rounds.copy)" -ge 1 ] || fail "no rounds are counted at once"
	valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no \
		--compress-pos=no --callgrind-out-file=callgrind.out ./rounds 1000 >plain.stdout
	record_lines ./rounds 1000
	cmp plain.stdout recorded.stdout || fail "the output differs"
	"$E2E/executions_check" instructions callgrind.out profile.tare rounds 60
	# Signals in the midst of it, and many rounds.
	./rounds 100000000 signals >plain.stdout
	record_lines ./rounds 100000000 signals
	cmp plain.stdout recorded.stdout || fail "the output differs with signals"
	"$TARE" report instructions profile.tare --limit=0 --format=csv >instructions.csv
	python3 - <<'END' || fail "the long loop"
import csv
rows = [row for row in csv.DictReader(open("instructions.csv")) if row["function"] == "long_one"]
most = max(int(row["executions"] or 0) for row in rows)
assert most == 100000000, most
of_loop = [row for row in rows if int(row["executions"] or 0) == most]
time = lambda row: float(row["cpu_exclusive_ns"] or 0)
shown = [(row["instruction"], time(row)) for row in of_loop]
total, branches = sum(map(time, rows)), [row for row in of_loop if row["instruction"].startswith("j")]
# Nearly all of it is the division's, which the sum waits for.
assert len(of_loop) >= 4 and len(branches) == 1, shown
assert sum(map(time, of_loop)) > 0.9 * total > 0 and time(branches[0]) < 0.5 * total, shown
END
	# Of a function that is only counted nothing is taken off for rounds.
	record_lines ./rounds 1 often
	"$TARE" report summary profile.tare --format=json >summary.json
	"$TARE" report functions profile.tare --format=csv >functions.csv
	python3 - <<'END' || fail "rounds have their cost taken off"
import csv, json
sums = next(row for row in csv.DictReader(open("functions.csv")) if row["function"] == "sum")
header = json.load(open("summary.json"))["header"]
assert int(sums["calls"]) > 1000000 and sums["timed_by"] == "samples", sums
assert header["counting_ns"] < 2 * int(sums["calls"]), (header, sums)
END
	# A program that uses the register by which threads count has its own.
	./rounds 100000000 gs >plain.stdout
	record_lines ./rounds 100000000 gs
	cmp plain.stdout recorded.stdout || fail "the output differs with another %gs"
	# Where flags are said to be dead they have no sensible value.
	"$TARE" instrument -q --lines --poison -o poisoned rounds
	./rounds 1000 >plain.stdout
	./poisoned 1000 >poisoned.stdout || fail "the poisoned copy fails"
	cmp plain.stdout poisoned.stdout || fail "the poisoned copy computes something else"
}

"$@"
