# On a terminal: a line while processes that run already are recorded, where nobody else writes there,
# and what was found in two lines at the end. Elsewhere neither.
command -v script >/dev/null || skip "no script"
tare record -q --method=sample -o try.tare -- true 2>why || skip "no samples here: $(cat why)"
tare record -q -o first.tare -- sh -c true >/dev/null 2>&1 # instruments its files
on_terminal() { # COMMAND: its output in the file shown, digits as N
	script -qec "$1" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b\[K/\n/g; s/[0-9][0-9,.]*/N/g' >shown
}
said() { # PATTERN
	grep -q "$1" shown && echo "$1" || echo "NOT: $1"
}
not_said() {
	grep -q "$1" shown && echo "BUT: $1" || echo "not: $1"
}

echo "a command:"
on_terminal "$TARE record -o one.tare -- sh -c 'echo its output >&2'"
said '^its output$'
not_said '^recording '
said '^tare record: CPU N [^ ]*s'
said '^tare record: waited '
said '^tare record: wrote one.tare'
head -n 1 shown # it begins with what the program writes

# To wait for children is to be idle.
on_terminal "$TARE record --no-follow -o one.tare -- sh -c 'sleep 0.5; true'"
said '^tare record: waited .*, idle N [^ ]*s'
not_said 'waited .* in wait4'

echo "a command, quiet; not on a terminal:"
on_terminal "$TARE record -q -o one.tare -- true"
wc -c <shown
tare record -o one.tare -- true 2>&1 | sed 's/;.*//'

echo "a process whose output is elsewhere:"
sleep 60 >/dev/null 2>&1 &
pid=$!
on_terminal "$TARE record -o two.tare -d 0.5 -p $pid"
said '^recording sleep (N): N s, N samples; ^C ends it$'
said '^tare record: N samples'
said '^tare record: waits were not recorded'
grep -c 'ends it.*tare record' shown # the line is erased before more is said
on_terminal "$TARE record -q -o two.tare -d 0.5 -p $pid"
wc -c <shown
tare record -o two.tare -d 0.5 -p "$pid" 2>&1 | sed 's/;.*//'
kill "$pid"

echo "a process that writes to this terminal:"
on_terminal "sleep 60 & $TARE record -o three.tare -d 0.5 -p \$!; kill \$!"
not_said '^recording '
said '^tare record: wrote three.tare'
