# What cannot be imported: one sentence and status 1 (wrong command lines: 2), and no file is left.
try() {
	tare import "$@" 2>&1
	echo "status $?"
}
"$PERF_DATA" 0 >perf.data
"$PERF_DATA" 1 >piped.data
try
try perf.data piped.data
try --outptu=x perf.data
try missing.data
: >empty.data
try empty.data
echo 'This is a text that somebody has written.' >text.data
try text.data
mkdir directory
try directory
head -c 60 perf.data >header.data
try header.data
head -c 500 perf.data >attributes.data
try attributes.data
{ printf '2ELIFREP'; tail -c +9 perf.data; } >swapped.data
try swapped.data
{ printf 'PERFFILE'; tail -c +9 perf.data; } >first.data
try first.data
sed 's/x86_64/s390x\x00/' perf.data >foreign.data
try foreign.data
# The size of the header, of an entry of attributes, the place of the attributes, of the data.
for at in 16 24 32 40; do
	cp perf.data damaged.data
	printf '\377\377\377\377\377\377\377\377' | dd of=damaged.data bs=1 seek=$at conv=notrunc status=none
	try damaged.data
done
head -c 16 piped.data >nothing.data
try nothing.data
try - <perf.data
try - <text.data
cat perf.data | try -
try perf.data -o missing/out.tare
try perf.data -o directory
ls
