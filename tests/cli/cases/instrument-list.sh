tare instrument --list "$PROGRAMS/plain_program" | grep -E 'main|work|functions' | sed 's/.*[0-9]  //'
tare instrument --json "$PROGRAMS/plain_program" | grep -c '"address".*"verdict":"instrumented"'
ls
