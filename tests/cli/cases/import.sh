# A recording with known contents, as a file and as the output of a pipe, plain and compressed: each
# time the same profile.
show() {
	tare report functions "$@" --format=csv \
		--columns=module,function,address,inclusive_samples,exclusive_samples
}
for form in 0 1 2 3; do
	"$PERF_DATA" $form /no/such/program >perf$form.data
	tare import -q perf$form.data || exit
	show perf$form.data.tare >shown$form
done
cat shown0
for form in 1 2 3; do
	cmp shown0 shown$form
done
echo "second event:"
show perf0.data.tare --event=faults
tare import - -o piped.tare <perf1.data
show piped.tare >shown
cmp shown0 shown
tare import perf0.data
head -c 1500 perf0.data >cut.data
tare import cut.data
# A time that no clock reaches, and one that the last sample reaches just so.
"$PERF_DATA" 0 /no/such/program 0xf000000000000000 >late.data
tare import late.data
"$PERF_DATA" 0 /no/such/program 0x7fffffffffffffff >last.data
tare import last.data
COLUMNS=1000 tare report functions -v perf0.data.tare | sed -n '1p;/^samples  *[0-9]/p;/^method/p;/^! losses/p' |
	sed 's/; tare [0-9.]*//'
ls
