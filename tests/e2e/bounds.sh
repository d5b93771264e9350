#!/bin/bash
# Limits of nodes, memory, storage and threads: what is recorded stays right, or is counted as lost,
# and the program notices nothing.
. "$(dirname "$0")/lib.sh"

record() {
	record_options=(--small-functions=keep "$@")
}
# limit NAME: the report says that this one was met.
limit() {
	"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
	grep -q "\"limits_met\": \[[^]]*\"$1\"" "$work/summary.json" || fail "--$1 is not named"
}
counted() {
	report functions
	compare counts "$work/recorded.stdout" "$work/functions.csv"
}

# Folded contexts lose their path only: the time of callees stays in their callers' inclusive time.
record --exact --max-nodes=64 --exclude=before_main
same "$FIXTURES/counts"
report threads --unit=ticks
report functions --unit=ticks
compare outermost main "$work/threads.csv" "$work/functions.csv"
limit max-nodes
sed -i '/^before_main /d' "$work/recorded.stdout"
counted

# Many threads one after the other, and many at once.
record --max-threads=20
same "$FIXTURES/crowds" 5000 4
counted
report threads
lines=$(wc -l <"$work/threads.csv")
[ "$lines" -lt 40 ] || fail "$lines rows for 5000 threads of which 20 are to be kept apart"
limit max-threads
grep -q ' merged' "$work/threads.csv" || fail "no row says that it stands for several threads"
record
same "$FIXTURES/crowds" 400 400
counted
record --exact
same "$FIXTURES/crowds" 2000 2000
counted
# 512 threads have counters of their own; what more of them count at once may lose calls, and says so.
record
same "$FIXTURES/crowds" 2000 2000
report functions --columns=function,calls
"$TARE" report functions "$work/profile.tare" --filter='function=work' >"$work/functions.txt"
awk -F, '$1 == "work" { exit !($2 >= 19900 && $2 <= 20000) }' <(tr -d '\r' <"$work/functions.csv") &&
	grep -Eq '^(~ +[0-9,]+| +20,000) .* work ' "$work/functions.txt" ||
	fail "calls of 2000 threads: $(grep work "$work/functions.csv" "$work/functions.txt")"

# Without room for all of them, threads are lost and counted.
record --max-disk=1M
same "$FIXTURES/crowds" 200 200
limit max-disk
grep -q '"threads_lost": [1-9]' "$work/summary.json" || fail "lost threads are not counted"
record --max-memory=1M
same "$FIXTURES/crowds" 200 200
limit max-memory
grep -q '"threads_lost": [1-9]' "$work/summary.json" || fail "lost threads are not counted"

# Little address space, and small files.
record
(
	ulimit -v 400000
	same "$FIXTURES/crowds" 400 40
)
counted
