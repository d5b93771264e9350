# Completion in fish: the script is sound, and what it proposes for some lines.
command -v fish >/dev/null || skip "no fish"
tare help --completion=fish >tare.fish
fish -n tare.fish
touch one.tare
ask() {
	printf '%s:' "$1"
	fish --no-config -c 'source tare.fish; complete -C "$argv[1]"' "$1" | cut -f 1 | sort -u | tr '\n' ' '
	echo
}
ask 'tare re'
ask 'tare report ca'
ask 'tare report functions one.tare --format='
ask 'tare report functions on'
ask 'tare record --method '
ask 'tare export --format '
ask 'tare ctl 1 s'
ask 'tare diff --vi'
