cp "$PROGRAMS/plain_program" program
tare record --start-at wrok ./program
status=$?
tare record --stop-at nothing_like_it ./program
tare record --start-at '/[/' ./program
tare record --stop-at '' ./program
tare record --transform=null --start-at main ./program
tare record --start-at _start ./program
tare record -q --method=instrument --start-at main --stop-at work ./program
tare report functions program.tare --format=csv --columns=function,calls
tare report summary program.tare --format=json | grep -o -e '--start-at[^"]*'
ls
exit $status
