recorded=$(tare record -o out.tare -- sh -c 'ls /proc/self/fd | tr "\n" " "' <&- 2>&-)
plain=$(sh -c 'ls /proc/self/fd | tr "\n" " "' <&- 2>&-)
[ "$recorded" = "$plain" ] && echo same || echo "with tare $recorded, without $plain"
tare report functions --no-pager --format=csv out.tare | head -c 7
