cp "$PROGRAMS/plain_program" program
tare instrument program 2>/dev/null
ls
./program.instrumented
./program
