# Help fits 100 columns; tare help says what --help does.
for command in $(tare --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	tare "$command" --help >"$command.help"
	tare help "$command" | cmp - "$command.help"
	awk -v name="$command" 'length > 100 { print name ": " $0 }' "$command.help"
	grep -q '^Usage: tare ' "$command.help" || echo "$command: no usage"
	grep -q '^Exit status: ' "$command.help" || echo "$command: no exit status"
	grep -q '^  -h, --help ' "$command.help" || echo "$command: no --help"
done
tare help | cmp - <(tare --help)
tare help recrod
tare help record report
tare help --man --completion=bash
tare help --completion=csh
