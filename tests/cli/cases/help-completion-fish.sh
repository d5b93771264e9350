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
mkdir profiles && cd profiles || exit 1
"$PROGRAMS/../golden/make_profile" .
touch -d '1 hour ago' ./*.tare
touch waits.tare
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$TARE" >bin/tare
chmod +x bin/tare
PATH=$PWD/bin:$PATH
cp ../tare.fish .
ask 'tare annotate ma'
ask 'tare report callers s'
ask 'tare report functions s'
ask 'tare report functions work.tare --root='
ask 'tare record --function=c'
