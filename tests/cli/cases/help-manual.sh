# Man pages: one for each command, without a complaint of groff or mandoc, and with every option.
commands=$(tare --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
check() { # FILE
	groff -man -ww -Tutf8 -z "$1" 2>&1
	man --warnings -l "$1" >/dev/null 2>"$WORK/warnings" || echo "man -l $1 fails"
	cat "$WORK/warnings"
	! command -v mandoc >/dev/null || mandoc -T lint -W warning "$1"
	[ -e "$PAGES/$(basename "$1")" ] || echo "$1 is not installed: add it to docs/meson.build"
}
command -v groff >/dev/null && command -v man >/dev/null || skip "no groff or no man"
tare help --man >tare.1
check tare.1
for command in $commands; do
	page=tare-$command.1
	tare help --man "$command" >"$page"
	check "$page"
	tare "$command" --help | grep -q '^Examples:' || echo "$command --help has no examples"
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES "EXIT STATUS" "SEE ALSO"; do
		grep -qx ".SH $section" "$page" || echo "$page has no section $section"
	done
	MANWIDTH=200 man --no-hyphenation --no-justification -P cat -l "$page" | col -b >"$page.txt"
	grep -q "^  *tare $command" "$page.txt" || echo "$page has no synopsis"
	tare "$command" --help=all | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p' >options
	[ -s options ] || echo "$command has no options"
	while read -r option; do
		grep -q "^  *\(-., \)\?$option\([ =]\|\[\|$\)" "$page.txt" || echo "$page lacks $option"
	done <options
	grep -q "tare\\\\-$command (1)" tare.1 || echo "tare.1 lacks $command"
done
