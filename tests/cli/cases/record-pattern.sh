cp "$PROGRAMS/plain_program" program
tare record --function wrok ./program
status=$?
tare record --exclude '/[/' ./program
tare record --function '' ./program
tare record -q --function work --function main --exclude main ./program
ls
exit $status
