#!/bin/bash
# What reports say of executions (--lines): each line has gcov's number, what never ran is listed, and
# the cost of one execution follows from the CPU time beside it.
. "$E2E/lib.sh"

need gcc gcov python3
cd "$work"
cat >executed.c <<'END'
#include <stdio.h>
#include <string.h>
static int never(int a) {
	if (a)
		return 3;
	return 4;
}
static unsigned mix(unsigned value) {
	for (int i = 0; i < 100; i++)
		value = value * 1664525u + 1013904223u;
	return value;
}
int main(int argc, char **argv) {
	unsigned sum = 0;
	for (int i = 0; i < 200000; i++) {
		if (i == -20)
			sum += (unsigned)never(i);
		else
			sum += mix(sum);
	}
	if (argc > 1 && !strcmp(argv[1], "x")) {
		puts("given");
		sum += (unsigned)never(1);
	}
	printf("%u\n", sum);
	return 0;
}
END
gcc -O0 -g -o executed executed.c
mkdir covered
gcc -O0 -g --coverage -o covered/executed executed.c >built 2>&1 || skip "gcc has no gcov: $(tail -n 1 built)"
{ covered/executed >/dev/null && gcov -t covered/*.gcda >gcov.txt 2>built; } ||
	skip "gcov does not read its own files: $(tail -n 1 built)"

"$TARE" record -q --method=sample -o try.tare -- true >try 2>&1 || skip "no samples here: $(cat try)"
record_options=(--lines)
same "$work/executed"
for view in functions modules; do
	report $view
done
for view in lines instructions; do
	report $view
	"$TARE" report $view profile.tare --never --format=csv >never-$view.csv
done
"$TARE" annotate main profile.tare --format=csv >annotated.csv
"$TARE" annotate main --asm profile.tare --format=csv >assembly.csv
python3 "$E2E/compare_executions.py" "$work" || fail "executions are not what they should be"
COLUMNS=100 "$TARE" annotate mix profile.tare --no-pager >text
grep -q '^20,200,000 ' text || fail "text has no executions: $(cat text)"

# One round more of the loop is more than nothing, and no more than that: one recording of each side tells.
sed 's/i < 200000/i < 200001/' executed.c >longer.c
mkdir longer
gcc -O0 -g -o longer/executed longer.c
"$TARE" record -q --lines -o longer.tare -- longer/executed >printed
"$TARE" record -q --lines -o again.tare -- ./executed >printed
gate() {
	"$TARE" diff "$1" "$2" --columns=instructions --fail-if="$3" >gated 2>&1
}
gate profile.tare again.tare 'instructions>+0%' || fail "the same program executes more: $(cat gated)"
! gate profile.tare longer.tare 'instructions>+0%' || fail "a longer loop executes no more: $(cat gated)"
gate profile.tare longer.tare 'instructions>+1%' || fail "200,001 rounds are 1 % more than 200,000: $(cat gated)"
"$TARE" record -q -o counted.tare -- ./executed >printed
for sides in "profile.tare counted.tare" "counted.tare profile.tare" "--base profile.tare --new counted.tare"; do
	for asked in --columns=instructions "--fail-if=instructions>+1%"; do
		! "$TARE" diff $sides $asked >gated 2>&1 || fail "$asked of a profile without executions"
		grep -q 'needs executions, and counted.tare has none' gated || fail "no sentence: $(cat gated)"
	done
done
! "$TARE" report functions counted.tare --columns=instructions >gated 2>&1 || fail "a column without executions"
grep -q 'tare record --lines counts them' gated || fail "no sentence: $(cat gated)"
! "$TARE" report functions profile.tare --method=sample --from=0 --columns=instructions >gated 2>&1 ||
	fail "executions of a part of the time"
grep -q 'executions have no times; leave --from and --to out' gated || fail "no sentence: $(cat gated)"
"$TARE" diff profile.tare counted.tare --format=csv >gated || fail "all columns, of which one side lacks some"
"$TARE" report functions profile.tare --method=sample --from=1 --format=csv >part.csv
! head -n 1 part.csv | grep -q instructions || fail "instructions of a part of the time"

# For other programs: the same numbers, in the forms of lcov and gcov.
"$TARE" export --format=lcov profile.tare >executed.info
"$TARE" export --format=gcov profile.tare >executed.gcov
python3 "$E2E/compare_executions.py" "$work" exports || fail "exports differ from the views"
if command -v genhtml >/dev/null; then
	LC_ALL=C genhtml --branch-coverage -o html executed.info >genhtml.said 2>&1 || fail "genhtml: $(cat genhtml.said)"
	! grep -iE 'warning|error|mismatch|negative' genhtml.said || fail "genhtml does not like the lcov file"
	# Its totals are those of the file.
	for of in "lines L" "functions FN" "branches BR"; do
		totals=$(awk -F: -v f="${of#* }F" -v h="${of#* }H" '$1 == f { f_sum += $2 } $1 == h { h_sum += $2 }
			END { print h_sum " of " f_sum }' executed.info)
		grep -qE "^ *${of% *}\.*: .*\($totals ${of% *}\)" genhtml.said || fail "genhtml, ${of% *}: not $totals"
	done
else
	echo "genhtml is not installed: nobody else has read the lcov file"
fi

# Instructions as callgrind counts them, by line and function, and what calls cost.
if command -v callgrind_annotate >/dev/null; then
	annotate() {
		callgrind_annotate --show=Ir --sort=Ir --threshold=100 "$@" || fail "callgrind_annotate does not read $1"
	}
	for options in "" --exact --call-sites; do
		record_options=(--lines ${options:+"$options"})
		record "$work/executed"
		"$TARE" export --format=callgrind profile.tare -o tare.callgrind
		annotate tare.callgrind >tare.annotated
		annotate tare.callgrind --inclusive=yes >tare.inclusive
		if command -v valgrind >/dev/null &&
			valgrind --tool=callgrind --callgrind-out-file=valgrind.callgrind ./executed >said 2>&1; then
			annotate valgrind.callgrind >valgrind.annotated
		fi
		python3 "$E2E/compare_executions.py" "$work" callgrind || fail "instructions differ (options: $options)"
	done
	record_options=(--lines)
	record "$work/executed"
fi

# Without samples they stand alone; without --lines there are none.
record_options=(--lines --method=instrument)
record "$work/executed"
COLUMNS=100 "$TARE" report lines profile.tare --no-pager >text
grep -q '^20,200,000  executed.c:9 ' text || fail "no executions without samples: $(cat text)"
COLUMNS=100 "$TARE" report instructions profile.tare --no-pager >text
grep -q '^20,200,000  0x[0-9a-f]*  *cmp' text || fail "no instructions without samples: $(cat text)"
record_options=(--method=instrument,sample)
record "$work/executed"
report lines
! head -n 1 lines.csv | grep -q executions || fail "executions that nobody has counted"
for format in lcov gcov; do
	! "$TARE" export --format=$format profile.tare >text 2>&1 || fail "$format without executions"
	grep -q 'tare record --lines counts them' text || fail "no sentence: $(cat text)"
done
! "$TARE" report lines --never profile.tare >text 2>&1 || fail "--never without executions"
grep -q 'tare record --lines counts them' text || fail "no sentence: $(cat text)"

# Indirect calls by what they called.
cat >chosen.c <<'END'
#include <stdio.h>
static unsigned twice(unsigned x) {
	for (int i = 0; i < 2; i++)
		x = x * 3 + 1;
	return x;
}
static unsigned often(unsigned x) {
	for (int i = 0; i < 9; i++)
		x = x * 5 + 1;
	return x;
}
int main(void) {
	unsigned (*volatile chosen[])(unsigned) = {twice, often};
	unsigned sum = 0;
	for (int i = 0; i < 1000; i++)
		sum = chosen[i % 4 == 3](sum);
	sum += twice(sum);
	printf("%u\n", sum);
	return 0;
}
END
gcc -O0 -g -o chosen chosen.c
"$TARE" record -q --exact --lines --call-sites --small-functions=keep -o chosen.tare ./chosen >printed
"$TARE" report branches chosen.tare --function=main --format=csv >branches.csv
[ "$(grep -cE ',16,0x[0-9a-f]+,(twice,1000,750,75[.]0000|often,1000,250,25[.]0000)' branches.csv)" = 2 ] ||
	fail "targets of an indirect call: $(cat branches.csv)"
