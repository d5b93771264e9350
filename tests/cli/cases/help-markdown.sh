# The reference of commands is what the tables of options say now; a new build shows it as a page.
page=$(realpath "$(dirname "$0")/../../../docs")/reference/commands.md
tare help --markdown >commands.md
[ -z "${TARE_TEST_UPDATE-}" ] || cp commands.md "$page"
diff "$page" commands.md || echo "docs/reference/commands.md is out of date: TARE_TEST_UPDATE=1 meson test -C build help-markdown"
for command in $(tare --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	sed -n "/^## tare $command\$/,/^## tare /p" "$page" >part
	tare "$command" --help=all | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p' | grep -vx help | while read -r option; do
		grep -q "^| .*\`--$option[=\`[]" part || echo "$command lacks --$option"
	done
done
tare help --markdown record
tare help --markdown --man
