# contrib/compare: records, compares with what another branch has left, and writes a comment.
compare=$(dirname "$0")/../../../contrib/compare
export TARE TARE_COMMAND="\"$PROGRAMS/plain_program\"" TARE_RUNS=2
"$compare" base new comment.md
echo "status $?, comment of $(wc -c <comment.md) bytes, $(ls new | tr '\n' ' ')"
mv new base
export TARE_GATES='calls>+0%
cpu_exclusive>+500% significant'
"$compare" base new comment.md
echo "status $?"
sed -n '1p; 3,6p' comment.md
TARE_GATES='calls>0' "$compare" base new comment.md 2>&1 | sed 's/: .*//'
grep -c '^| ' comment.md | sed 's/^[1-9].*/a table/'
TARE_COMMAND='sh -c "exit 3"' "$compare" base new comment.md
echo "status $?, comment of $(wc -c <comment.md) bytes"
TARE_BASE_COMMAND=$TARE_COMMAND "$compare" turns new comment.md
echo "status $?, $(ls turns new | tr '\n' ' ')"
grep -o 'in pairs' comment.md
TARE_BASE_COMMAND='sh -c "exit 4"' "$compare" turns new comment.md
echo "status $?, comment of $(wc -c <comment.md) bytes"
export TARE_AT_ONCE=yes
TARE_BASE_COMMAND=$TARE_COMMAND "$compare" turns new comment.md
echo "status $?, $(ls turns new | tr '\n' ' ')"
TARE_BASE_COMMAND='sh -c "exit 4"' "$compare" turns new comment.md
echo "status $?, comment of $(wc -c <comment.md) bytes"
TARE_BASE_COMMAND=$TARE_COMMAND TARE_COMMAND='sh -c "exit 5"' "$compare" turns new comment.md
echo "status $?, comment of $(wc -c <comment.md) bytes"
"$compare" base 2>&1 | head -n 1
