#!/bin/bash
# Recordings of perf, in all its ways, become profiles with the samples of each function that perf
# itself shows.
. "$(dirname "$0")/lib.sh"

need perf
export HOME=$work # of ~/.debug
cd "$work"
perf record -q -o try.data -e cpu-clock true >try.log 2>&1 ||
	skip "perf record does not work here: $(head -n 1 try.log)"

# show FILE COLUMNS [OPTION…]: without the line of names
show() {
	local profile=$1 columns=$2
	shift 2
	"$TARE" report functions "$profile" --format=csv --columns="$columns" "$@" | tr -d '\r' | tail -n +2
}
# of_perf FILE [EVENT]: "FUNCTION COUNT" of what was executed; functions without a name are not shown
of_perf() {
	perf script -i "$1" -F event,ip,sym --no-inline -G 2>perf.log |
		sed -n "s/^ *${2:-[^ ]*}: *[0-9a-f]* *\([^ ]*\).*/\1/p" | count
}
# A function has several names; tare and perf prefer different ones. The loader's memmove is its memcpy, too.
count() {
	sed -e 's/^__GI_//; s/^__libc_//; s/^_*//; s/+0x.*//; s/@@*GLIBC_.*//; s/^memmove$/memcpy/' | grep -v '^\[unknown\]$\|^$' | sort | uniq -c | awk '{print $2, $1}'
}
of_tare() {
	show "$1" function,exclusive_samples ${2:+--event="$2"} |
		awk -F, '{for (i = 0; i < $2; i++) print $1}' | count
}

# often FILE: without what was met once or twice, as the loader's functions are, some of which have two names.
often() {
	awk '$2 > 2' "$1"
}
# compare NAME FILE [EVENT]
compare() {
	of_perf "$2" "${3:-}" >"$1.perf"
	of_tare "$2.tare" "${3:-}" >"$1.tare"
	[ -s "$1.perf" ] || fail "$1: perf shows nothing: $(head -n 3 perf.log)"
	diff <(often "$1.perf") <(often "$1.tare") || fail "$1: functions have other samples than with perf (<)"
	echo "$1: $(awk '{n += $2} END {print n}' "$1.tare") samples of $(wc -l <"$1.tare") functions"
}

# record NAME OPTION…: records and imports
record() {
	local name=$1
	shift
	perf record -q -o "$name.data" -F 997 "$@" -- "$FIXTURES/proportions" 800 3 >record.log 2>&1 ||
		fail "perf record $*: $(cat record.log)"
	"$TARE" import "$name.data" >import.log 2>&1 || fail "$name: $(cat import.log)"
	cat import.log
}

record flat -e cpu-clock:u
compare flat flat.data
record chains -e cpu-clock:u -g
compare chains chains.data
record copied -e cpu-clock:u --call-graph dwarf
compare copied copied.data
record packed -z -e cpu-clock:u -g
compare packed packed.data
record two -e cpu-clock:u,page-faults:u -g
compare two-clock two.data cpu-clock:u
compare two-faults two.data page-faults:u
record kernel -e cpu-clock -g
[ "$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' import.log)" = \
	"$(perf script -i kernel.data -F event 2>/dev/null | grep -c .)" ] ||
	fail "samples of the kernel are missing"

# Through a pipe, read at once.
perf record -q -o - -F 997 -e cpu-clock:u -g -- "$FIXTURES/proportions" 400 1 2>record.log |
	tee piped.data | "$TARE" import - -o piped.data.tare
perf script -i - <piped.data -F event,ip,sym --no-inline -G 2>perf.log |
	sed -n 's/^ *[^ ]*: *[0-9a-f]* *\([^ ]*\).*/\1/p' | count >piped.perf
of_tare piped.data.tare >piped.tare
[ -s piped.perf ] || fail "piped: perf shows nothing: $(head -n 3 perf.log)"
diff <(often piped.perf) <(often piped.tare) || fail "piped: functions have other samples than with perf (<)"

# The stacks of copies lead to the roots.
show copied.data.tare function,inclusive_samples >inclusive
all=$(awk '{n += $2} END {print n}' copied.tare)
main=$(sed -n 's/^main,//p' inclusive)
echo "main: $main of $all"
[ "$((main * 100))" -ge "$((all * 95))" ] || fail "main is not on the stacks: $(head inclusive)"

# Another file at the path: its names are not those.
cp "$FIXTURES/proportions" "$work/program"
perf record -q -o moved.data -e cpu-clock:u -- "$work/program" 300 1 >record.log 2>&1
cp "$FIXTURES/threads" "$work/program.new" && mv "$work/program.new" "$work/program"
rm -rf "$work/.debug"
"$TARE" import moved.data 2>import.log
grep -q 'not here as recorded, so without names (program (replaced))' import.log || fail "$(cat import.log)"
show moved.data.tare function | grep -q '^most$' &&
	fail "names of another file"

# perf has kept the file.
cp "$FIXTURES/proportions" "$work/program"
perf buildid-cache -a "$work/program" >cache.log 2>&1 || fail "perf buildid-cache: $(cat cache.log)"
rm "$work/program"
"$TARE" import moved.data 2>import.log
grep -q 'without names' import.log && fail "$(cat import.log)"
show moved.data.tare function | grep -q '^most$' ||
	fail "the file that perf has kept was not found"
exit 0
