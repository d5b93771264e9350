mkfifo ready
exec 2>/dev/null
"$TARE" record -o out.tare -- sh -c 'echo started >ready; sleep 0.3; exit 3' &
recorder=$!
read -r line <ready
echo "$line"
for directory in /dev/shm/tare.*; do
	grep -sq "recorder_pid	$recorder" "$directory/recording" && session=$directory
done
tare recover "$session" 2>&1 | sed 's/process [0-9]*$/process N/'
kill -9 $recorder
{ wait $recorder; } 2>/dev/null
sleep 0.6
tare recover "$session" 2>/dev/null
ls out.tare
[ -e "$session" ] && echo "the session is still there"
tare report --no-pager --format=csv processes out.tare | wc -l
