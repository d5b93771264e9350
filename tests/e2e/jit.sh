#!/bin/bash
# Names and lines of code that is made at run time: of a program that makes some, and of node and
# java where they are installed. Files that are not the process's own are not believed.
. "$E2E/lib.sh"

need gcc sqlite3
gcc -O2 -w -o "$work/made" "$E2E/../fixtures/made.c"

query() {
	sqlite3 "$work/profile.tare" "$1"
}

# sample COMMAND…: in $work/run
sample() {
	rm -rf "$work/run"
	mkdir "$work/run"
	(cd "$work/run" && "$TARE" record -q --method=sample -o "$work/profile.tare" -- "$@") \
		>"$work/out" 2>"$work/err" || fail "recording $* failed: $(cat "$work/err")"
	[ "$(query "SELECT collector FROM sampling")" = perf ] ||
		skip "code made at run time is sampled by perf_event_open only, which is refused here:" \
			"$(query "SELECT reason FROM sampling")"
}

# share NAME: per cent of all samples whose innermost function is NAME, rounded
share() {
	query "SELECT CAST(round(100.0 * sum(CASE WHEN f.name LIKE '$1' THEN v.samples ELSE 0 END) /
		sum(v.samples)) AS INTEGER)
		FROM stack_value v LEFT JOIN stack s ON s.id = v.stack
		LEFT JOIN location l ON l.id = s.location LEFT JOIN function f ON f.id = l.function"
}

# names: what the summary says of names that are missing
names() {
	COLUMNS=120 "$TARE" report --no-pager "$work/profile.tare" | sed -n 's/^names  *//p'
}

expect_made() {
	local slow quick
	slow=$(share made_slow) quick=$(share made_quick)
	[ "$slow" -ge 50 ] && [ "$quick" -ge 8 ] && [ "$slow" -gt "$quick" ] ||
		fail "$1: made_slow has $slow %, made_quick $quick % of the samples"
	echo "$1: made_slow $slow %, made_quick $quick %"
}

sample "$work/made" map 0.4
rm -f "/tmp/perf-$(cat "$work/out").map"
expect_made map
[ -z "$(names)" ] || fail "code with names is said to have none: $(names)"
[ "$(query "SELECT name || ' ' || path FROM module WHERE name = '[jit]'")" = \
	"[jit] /tmp/perf-$(cat "$work/out").map" ] || fail "the module is not the map's"

sample "$work/made" dump 0.4
expect_made dump
lines=$(query "SELECT group_concat(x) FROM (SELECT DISTINCT f.name || '@' || p.path || ':' || l.line AS x
	FROM location_line l JOIN source p ON p.id = l.source JOIN location a ON a.id = l.location
	JOIN function f ON f.id = a.function WHERE p.path = '/made.src' ORDER BY x)")
[ "$lines" = "made_quick@/made.src:9,made_slow@/made.src:7" ] || fail "lines of the dump: $lines"
[ "$(query "SELECT source || ':' || line FROM function WHERE name = 'made_slow'")" = /made.src:7 ] ||
	fail "made_slow has no place"

# What has no names is said, and how its program is asked for them, if that is known.
cp "$work/made" "$work/beam.smp"
sample "$work/made" map 0.2
"$TARE" report --no-pager "$work/profile.tare" | grep -q "^next.*made_slow" || fail "made_slow is no advice"
rm -f "/tmp/perf-$(cat "$work/out").map"
sample "$work/made" link 0.2
rm -f "/tmp/perf-$(cat "$work/out").map"
names | grep -q "^[0-9]* % is code made at run time, without names: ask for a perf map (tare help lines)$" ||
	fail "nothing is said of code without names: $(names)"
"$TARE" report --no-pager "$work/profile.tare" | grep "^next.*unknown" && fail "code without names is advice"
sample "$work/beam.smp" link 0.2
rm -f "/tmp/perf-$(cat "$work/out").map"
names | grep -q "names: start it as erl +JPperf true, and record again$" ||
	fail "erl is not named: $(names)"

modes=link
[ "$(id -u)" = 0 ] && modes="link other-user"
for mode in $modes; do
	sample "$work/made" "$mode" 0.2
	rm -f "/tmp/perf-$(cat "$work/out").map"
	[ "$(share 'made%')" = 0 ] || fail "a map was believed that is: $mode"
done

# A process with a /tmp and a number of its own.
if unshare -mpf true 2>/dev/null; then
	sample unshare -mpf --mount-proc sh -c "mount -t tmpfs none /tmp && exec /proc/self/fd/9 map 0.4" 9<"$work/made"
	[ ! -e "/tmp/perf-$(cat "$work/out").map" ] || fail "the map stands in this /tmp"
	expect_made "other namespaces"
else
	echo "no namespaces can be made here: a process in others is not tried"
fi

# expect_named PROGRAM HOT: shares of samples in code made at run time
expect_named() {
	local all named
	all=$(query "SELECT coalesce(sum(v.samples), 0) FROM stack_value v JOIN stack s ON s.id = v.stack
		JOIN location l ON l.id = s.location JOIN function f ON f.id = l.function
		JOIN module m ON m.id = f.module WHERE m.name = '[jit]'")
	named=$(query "SELECT coalesce(sum(v.samples), 0) FROM stack_value v JOIN stack s ON s.id = v.stack
		JOIN location l ON l.id = s.location JOIN function f ON f.id = l.function
		JOIN module m ON m.id = f.module WHERE m.name = '[jit]' AND f.name <> '[unknown]'")
	echo "$1: $named of $all samples in code made at run time have a name, $(share "$2") % are in $2"
	[ "$all" -ge 50 ] || fail "$1: only $all samples are in code made at run time"
	[ $((named * 100)) -ge $((all * 95)) ] || fail "$1: names are missing"
	[ "$(share "$2")" -ge 30 ] || fail "$1: $(share "$2") % of the samples are in $2"
}

if command -v node >/dev/null; then
	cat >"$work/hot.js" <<'END'
function hotInner(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
function hotOuter(n) { let t = 0; for (let i = 0; i < n; i++) t += hotInner(2000); return t; }
let x = 0;
while (process.cpuUsage().user < 600000) x += hotOuter(50);
console.log(process.pid);
END
	sample node --perf-basic-prof --interpreted-frames-native-stack "$work/hot.js"
	rm -f "/tmp/perf-$(cat "$work/out").map"
	expect_named node '%hot%'
	# Which of the two is seen depends on what node inlines.
	[ "$(query "SELECT count(*) > 0 FROM function WHERE source = '$work/hot.js' AND
		(name LIKE '%hotInner%' AND line = 1 OR name LIKE '%hotOuter%' AND line = 2)")" = 1 ] ||
		fail "the functions have no place"
	sample node --perf-prof "$work/hot.js"
	expect_named "node's dump" '%hot%'
else
	echo "node is not installed: it is not tried"
fi
if command -v java >/dev/null && command -v javac >/dev/null; then
	cat >"$work/Hot.java" <<'END'
public class Hot {
	static int inner(int n) { int s = 0; for (int i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
	static int outer(int n) { int t = 0; for (int i = 0; i < n; i++) t += inner(2000); return t; }
	public static void main(String[] a) {
		long x = 0;
		for (int i = 0; i < 1500; i++) x += outer(50);
		System.out.println(ProcessHandle.current().pid());
	}
}
END
	javac -d "$work" "$work/Hot.java"
	sample java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -cp "$work" Hot
	rm -f "/tmp/perf-$(cat "$work/out").map"
	expect_named java '%Hot%'
else
	echo "java is not installed: it is not tried"
fi
