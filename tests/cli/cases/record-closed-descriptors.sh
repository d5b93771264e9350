cp "$PROGRAMS/plain_program" program
tare record -o out.tare -- sh -c 'ls /proc/self/fd | wc -l' <&- 2>&-
sh -c 'ls /proc/self/fd | wc -l' <&- 2>&-
tare report functions --no-pager --format=csv out.tare | head -c 7
