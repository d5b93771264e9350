#!/bin/bash
# OS time names what the system calls were about: each file, socket and pipe by its own name and no
# other, whatever number it had, and nothing where the program's filter forbids to ask.
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
