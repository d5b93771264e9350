# Help fits 100 columns; tare help says what --help does.
for command in $(tare --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	tare "$command" --help >"$command.help"
	tare help "$command" | cmp - "$command.help"
	tare "$command" --help=all >"$command.all"
	tare help --all "$command" | cmp - "$command.all"
	awk -v name="$command" 'length > 100 { print name ": " $0 }' "$command.all"
	# Few enough to be read; who wants all is told how.
	grep -q 'tare .* --help=all$' "$command.help" || cmp "$command.help" "$command.all"
	[ "$(grep -c '^  -., --\|^      --' "$command.help")" -le 32 ] || echo "$command: too many options"
	awk -v name="$command" 'length > 100 { print name ": " $0 }' "$command.help"
	grep -q '^Usage: tare ' "$command.help" || echo "$command: no usage"
	grep -q '^Exit status: ' "$command.help" || echo "$command: no exit status"
	grep -q '^  -h, --help\[=all\] ' "$command.help" || echo "$command: no --help"
done
# tare help begins with what tare --help says, and goes on with topics.
tare help | head -n "$(tare --help | wc -l)" | cmp - <(tare --help)
tare help | awk 'length > 100'
tare record --help=some
tare help recrod
tare help record report
tare help --man --completion=bash
tare help --completion=csh
# Each command has its place in the list.
cmp <(tare --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | sort) \
	<(tare help --completion=bash | sed -n "s/^_tare_commands='--help --version \(.*\)'/\1/p" | tr ' ' '\n' | sort)
