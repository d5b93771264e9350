# Each wrong command line is one sentence with the nearest name, and status 2.
printf 'nothing' >x.tare
try() {
	tare report "$@" 2>&1
	echo "status $?"
}
try
try functons x.tare
try functions
try callers
try callers x.tare
try functions main x.tare
try a b c d
try functions x.tare --sort=calz
try functions x.tare --sort=+elapsed_inclusive_ms
try functions x.tare --columns=function,modul
try threads x.tare --columns=source
try functions x.tare --format=jsn
try functions x.tare --limit=-1
try functions x.tare --limit=many
try functions x.tare --min-percent=101
try functions x.tare --colums=all
try functions x.tare --sort
try functions x.tare --no-pager=yes
try functions x.tare -x
tare repotr x.tare 2>&1
echo "status $?"
for filter in 'calls>' 'elapsd>3ms' 'calls>3 or' '(calls>3' 'calls>3)' 'calls>3 calls<5' 'calls>3ms' \
	'elapsed_exclusive>3' 'function>a' 'function~/(/' 'function="a' 'calls~3' 'not' '@missing'; do
	tare report functions nothing.tare --filter="$filter"
	echo "status $?"
done
