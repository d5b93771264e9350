mkfifo ready go
exec 2>/dev/null
"$TARE" record -o out.tare -- sh -c 'echo $$ >ready; read -r line <go; exit 3' &
recorder=$!
read -r target <ready
for directory in /dev/shm/tare.*; do
	grep -sq "recorder_pid	$recorder" "$directory/recording" && session=$directory
done
tare recover "$session" 2>&1 | sed 's/process [0-9]*$/process N/'
kill -9 $recorder
{ wait $recorder; } 2>/dev/null
echo go >go
# Gone, or a zombie that nobody waits for.
while state=$(awk '{print $3}' "/proc/$target/stat") && [ "$state" != Z ]; do sleep 0.05; done
tare recover "$session" 2>/dev/null
ls out.tare
[ -e "$session" ] && echo "the session is still there"
tare report --no-pager --format=csv processes out.tare | wc -l
