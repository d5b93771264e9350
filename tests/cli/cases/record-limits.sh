# Limits that are none, too small or too large; and those just within.
for limit in max-nodes=63 max-nodes=33M max-nodes=many max-nodes=1K max-nodes=-1 max-paths=63 max-memory=1023k \
	max-memory=1025G max-memory=2GB max-memory= max-disk=0 max-disk=17T max-disk=1.5G \
	max-threads=0 max-threads=1048577 max-threads=1k max-threads=x; do
	tare record --$limit -q -o out.tare -- "$PROGRAMS/plain_program" >/dev/null
	echo "--$limit: status $?"
done
tare record -q -o out.tare --max-disk
echo "status $?"
tare record --all-paths --max-paths=64 -q -o out.tare -- "$PROGRAMS/plain_program"
echo "status $?"
ls out.tare 2>&1
for limit in max-nodes=64 max-nodes=32M max-paths=64 max-memory=1M max-memory=1024G max-disk=1M max-disk=16384G \
	max-threads=1 max-threads=1048576; do
	tare record --$limit -q -o out.tare -- "$PROGRAMS/plain_program" >/dev/null
	echo "--$limit: status $?"
done
