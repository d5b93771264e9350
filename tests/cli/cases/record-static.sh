[ -e "$PROGRAMS/static_program" ] || skip "static programs cannot be built here"
cp "$PROGRAMS/static_program" file
tare record ./file
