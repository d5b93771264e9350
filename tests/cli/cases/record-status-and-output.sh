cp "$PROGRAMS/plain_program" program
tare record ./program a b c
status=$?
tare record ./program >/dev/null
ls
exit $status
