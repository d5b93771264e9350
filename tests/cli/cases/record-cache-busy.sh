# Another process instruments the program and does not get done: who it is is said, and the recording
# goes on with a copy of its own, which is gone afterwards.
command -v flock >/dev/null || skip "flock is not installed"
cp "$PROGRAMS/plain_program" .tare-meta
tare record -q -o first.tare ./.tare-meta a
cache=$XDG_CACHE_HOME/tare
key=$(basename "$(dirname "$(dirname "$cache"/files/*/copy/.tare-meta)")")
rm -rf "$cache/files/$key"
mkfifo ready
flock "$cache/lock/$key" sh -c 'echo 4711 >"$1"; echo >ready; exec sleep 100' sh "$cache/lock/$key" &
holder=$!
read -r _ <ready
mkdir -m 700 runtime
XDG_RUNTIME_DIR=$PWD/runtime tare record -o second.tare ./.tare-meta a b 2>err
status=$?
kill $holder $(cat /proc/$holder/task/$holder/children)
wait $holder 2>/dev/null
sed 's/wrote.*//' err >&2
ls runtime
ls "$cache/files/$key" 2>&1 | sed "s/$key/KEY/"
calls() {
	tare report functions $1 --format=csv --no-pager | grep -c plain_program
}
[ "$(calls first.tare)" = "$(calls second.tare)" ] && echo same functions
exit $status
