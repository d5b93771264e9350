#!/bin/bash
# A program's libraries are instrumented while the program itself is: all of them once, by whomever; nothing of
# that process is left, not of one that is interrupted either.
. "$(dirname "$0")/lib.sh"

need perl
export XDG_CACHE_HOME=$work/cache
mkdir "$XDG_CACHE_HOME"
perl=$(readlink -f "$(command -v perl)")

# Paths and what became of them, in the order in which they were done.
files() {
	sed -n 's/^tare record: \(\/[^:]*\): .*(\(.*\))$/\1 \2/p' "$1"
}

take() {
	"$TARE" record -v --method=instrument -o "$work/profile.tare" -- "$perl" -e 'print sqrt(2) . "\n"' \
		>"$work/$1.out" 2>"$work/$1.err" || fail "$1: $(tail -n 3 "$work/$1.err")"
	files "$work/$1.err" >"$work/$1"
	[ -z "$(find "$XDG_CACHE_HOME/tare/lock" -mindepth 1)" ] ||
		fail "$1 left $(find "$XDG_CACHE_HOME" -maxdepth 3)"
}

take cold
take warm
[ -z "$(find "$XDG_CACHE_HOME/tare/files" -maxdepth 1 -name 'new.*')" ] ||
	fail "left $(find "$XDG_CACHE_HOME" -maxdepth 3)"
[ "$(wc -l <"$work/cold")" -ge 3 ] || fail "too few files: $(cat "$work/cold.err")"
grep -v ' new$' "$work/cold" && fail "not made by this recording"
grep -v ' from the cache$' "$work/warm" && fail "made again"
cut -d' ' -f1 "$work/cold" >"$work/cold.paths"
cut -d' ' -f1 "$work/warm" | diff "$work/cold.paths" - || fail "other files"

# Copies are those that one process makes alone.
find "$XDG_CACHE_HOME/tare/files" -path '*/copy/*' -type f -printf '%P\n' | sort >"$work/here"
mv "$XDG_CACHE_HOME" "$work/first"
mkdir "$XDG_CACHE_HOME"
taskset -c "$(taskset -cp $$ | sed 's/.*[ ,]//; s/-.*//')" "$TARE" record -q --method=instrument \
	-o "$work/profile.tare" -- "$perl" -e 1 || fail "on one processor"
find "$XDG_CACHE_HOME/tare/files" -path '*/copy/*' -type f -printf '%P\n' | sort | diff "$work/here" - ||
	fail "other copies with one processor"
while read -r path; do
	cmp "$work/first/tare/files/$path" "$XDG_CACHE_HOME/tare/files/$path" || fail "$path differs"
done <"$work/here"

# Interrupted in the middle: no process goes on, and the next recording has all it needs. What was half
# written stays until the cache is trimmed.
for signal in TERM KILL; do
	rm -rf "$XDG_CACHE_HOME"
	mkdir "$XDG_CACHE_HOME"
	setsid "$TARE" record -q --method=instrument -o "$work/profile.tare" -- "$perl" -e 1 2>/dev/null &
	recorder=$!
	for ((i = 0; i < 200; i++)); do
		[ -z "$(ls "$XDG_CACHE_HOME/tare/lock" 2>/dev/null)" ] || break
		sleep 0.01
	done
	kill "-$signal" "$recorder" 2>/dev/null || true
	wait "$recorder" || true
	for ((i = 0; i < 100; i++)); do
		pgrep -s "$recorder" >/dev/null || break
		sleep 0.05
	done
	! pgrep -s "$recorder" >/dev/null || fail "after $signal: $(pgrep -a -s "$recorder")"
	take "$signal"
done
