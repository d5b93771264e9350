# Each wrong command line is one sentence with the nearest name, and status 2.
printf 'nothing' >x.tare
try() {
	tare report "$@" 2>&1
	echo "status $?"
}
try
try functons x.tare
try waits x.tare
try nonsense x.tare
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
try x.tare --sort=foo
try x.tare --columns=foo
try x.tare --columns=all
tare annotate x.tare 2>&1
try functions x.tare -x
tare repotr x.tare 2>&1
echo "status $?"
for filter in 'calls>' 'elapsd>3ms' 'calls>3 or' '(calls>3' 'calls>3)' 'calls>3 calls<5' 'calls>3ms' \
	'elapsed_exclusive>3' 'function>a' 'function~/(/' 'function="a' 'calls~3' 'not' '@missing'; do
	tare report functions nothing.tare --filter="$filter"
	echo "status $?"
done
for view in threads lines coverage; do
	try $view x.tare --my-code
done
try functions x.tare --root=main
try modules x.tare --fold-recursion
try threads x.tare --merge-threads
try functions x.tare --inverted
try functions x.tare --interactive --sort=calls
try x.tare -i --format=csv
try functions x.tare -i
try calltree x.tare --inverted --merge-threads
try calltree x.tare --inverted --fold=1
try modules x.tare --trim=1
try functions x.tare --fold=1
try summary x.tare --expand=hot
try calltree x.tare --expand=deep
try calltree x.tare --expand=0
try calltree x.tare --trim=101
try calltree x.tare --noise --trim=1
try calltree x.tare --noise --fold=0
try wakers x.tare --from=1
tare export --format=chrome x.tare --root=main 2>&1
tare export --format=html x.tare --my-code 2>&1
tare export --format=folded --wakers x.tare --to=1 2>&1
echo "status $?"
