cp "$PROGRAMS/plain_program" program
tare record --function wrok ./program
status=$?
tare record --exclude '/[/' ./program
tare record --function '' ./program
tare record -q --function work --function main --exclude main ./program
# Of files, all are known at the end only.
tare record --exact -o module.tare --module program --module 'no match*' ./program
COLUMNS=1000 tare report summary module.tare | grep '^! [a-z]' | grep -v '^! preempted'
tare record --exact -o modules.tare --module nomatch --module lib.so ./program
COLUMNS=1000 tare report summary modules.tare | grep '^! modules'
tare report summary modules.tare --format=json | grep -c '"kind": "modules"'
tare record --exact -o all.tare --module program --module '*/libc.so*' ./program
COLUMNS=1000 tare report summary all.tare | grep '^! modules'
ls
exit $status
