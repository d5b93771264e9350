#!/bin/bash
# Executions, as --lines counts them.
#
#   executions.sh instructions   each instruction and jump of a real library, beside callgrind's
#   executions.sh lines SOURCE   each source line of a program, beside gcov's
#   executions.sh interleaved    a line of optimised code counts once where it comes in pieces
#   executions.sh continued      nor does it count again where control comes back to it from what was inlined
#   executions.sh unknown        what has none is named
#   executions.sh killed         what a program counted that was killed is there
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

"$@"
