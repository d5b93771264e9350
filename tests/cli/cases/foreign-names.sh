# Names of files that hold escape sequences, line ends, a bell and a mark that turns the direction of
# writing: whatever names them, on standard output or error, shows them and sends none of them. A
# line of each is shown, those of programs by the part that has the name.
evil=$'x\e[31m\a\r\ny\xe2\x80\xae\xff'
cp "$PROGRAMS/plain_program" "$evil"
cp "$(readlink -f /bin/sh)" "sh$evil"
try() {
	"$@" >out 2>&1
	# Printable ASCII and line ends, no more: the locale is C.
	[ -z "$(LC_ALL=C tr -d '\n -~' <out)" ] || { echo "raw bytes from $*:" | cat -v; cat -v out; }
}
# Lines that have the name; what differs from run to run is cut off.
show() { grep -F 'x\x1b[31m' out | sed "${@-}"; }

"$PERF_DATA" 0 "/no/such/$evil" >"$evil.data"
try tare import "$evil.data"
show
try tare import "no$evil"
show
try tare record -v -o program.tare "./sh$evil" -c :
show 's/: [0-9]* of .*//'
try tare record -q "./no$evil"
show
try tare record --function "$evil" "./$evil"
show 's/ of the [0-9]* that.*//'
try tare record -o killed.tare -- "./sh$evil" -c 'kill -9 $$'
show 's/process [0-9]*/process N/'
try tare report processes killed.tare
show -n 's/  *[0-9].*//; s/^command *//p'
try tare report "$evil"
show
try tare report summary --filter="x<$evil" program.tare
show
try tare instrument "$evil"
show 's/: [0-9]* of .*//'
try tare instrument --list "$evil"
try tare merge -o "merged$evil" program.tare program.tare
show
try tare "$evil"
show
try tare report "--$evil" program.tare
show
for view in summary functions calltree threads modules coverage; do
	try tare report $view program.tare
done
for view in summary functions; do
	try tare report $view "$evil.data.tare"
done

# A recording that runs.
mkfifo ready go
"$TARE" record -q -o running.tare "./sh$evil" -c 'echo >ready; read -r line <go; :' 2>/dev/null &
recorder=$!
read -r line <ready
try tare ctl $recorder status
show 's/process [0-9]* /process N /; s/, [0-9]* thread.*//'
try tare top --once $recorder
show -n 's/: [0-9]* processes.*//p'
echo >go
wait $recorder
