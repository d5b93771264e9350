#!/bin/bash
# OS time names what the system calls were about: each file, socket and pipe by its own name and no
# other, whatever number it had, and nothing where the program's filter forbids to ask. By default
# asking takes a share of the time only: what opens one file after the other is counted, not named.
. "$(dirname "$0")/lib.sh"
need python3

cd "$work"
for times in --adaptive --exact; do
	rm -rf "$work/in" && mkdir "$work/in"
	"$TARE" record "$times" -q -o profile.tare -- "$FIXTURES/objects" "$work/in" filtered >said 2>err ||
		fail "status $? of the recorded program: $(cat err)"
	"$TARE" report os profile.tare --format=csv --limit=0 >os.csv
	"$TARE" report os profile.tare --format=csv --limit=0 --filter 'path~*/in/reused.2' >filtered.csv
	[ "$(grep -c /in/reused.2, filtered.csv)" -ge 2 ] || fail "the filter of paths: $(cat filtered.csv)"
	grep -v /in/reused.2, filtered.csv | grep -v ^module && fail "the filter of paths lets others pass"
	"$TARE" merge -o merged.tare profile.tare profile.tare
	"$TARE" report os merged.tare --format=csv --limit=0 >merged.csv
	"$E2E/objects_check" "$work/in" said os.csv merged.csv profile.tare
done

count_of() # CALL PATTERN: how often it was made on objects that match
{
	awk -F, -v call="$1" -v pattern="$2" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		$column["syscall"] == call && $column["cause"] == "syscall" && $column["object"] ~ pattern {
			count += $column["count"] }
		END { print count + 0 }' os.csv
}

for times in --adaptive --exact; do
	rm -rf "$work/in" && mkdir "$work/in"
	"$TARE" record "$times" -q -o profile.tare -- "$FIXTURES/objects" "$work/in" dense
	"$TARE" report os profile.tare --format=csv --limit=0 >os.csv
	named=$(count_of read '/in/dense$')
	others=$(count_of read '[(]others[)]$')
	after=$(count_of write '/in/pause$')
	[ $((named + others)) -eq 60000 ] || fail "$times: $named reads of the file and $others of others, not 60000"
	if [ "$times" = --exact ]; then
		[ "$others" -eq 0 ] || fail "$others reads of files that were not asked for"
	else
		[ "$named" -ge 300 ] || fail "only $named of 60000 files were asked for"
		[ "$others" -ge 30000 ] || fail "asked for $named of 60000 files, which takes longer than to open them"
	fi
	[ "$after" -eq 20 ] || fail "$times: after a pause $after of 20 writes have a name: $(grep write os.csv)"
done
