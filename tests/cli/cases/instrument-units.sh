# Wrong ranges of units are told, with the number that there are.
tare instrument --only-units 4-x "$PROGRAMS/plain_program"
tare instrument --only-units 4-2 "$PROGRAMS/plain_program"
tare instrument --only-units 3-1000 "$PROGRAMS/plain_program"
echo "status $?"
tare record --only-units :1-2 -- "$PROGRAMS/plain_program"
tare record --only-units 'plain*:7-1000' -- "$PROGRAMS/plain_program"
echo "status $?"
tare instrument --list --only-units 0 "$PROGRAMS/plain_program" | grep -c ' instrumented '
ls
