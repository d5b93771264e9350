#!/bin/bash
# Packs a folder of texts with several programs: what archive.tare is a recording of.
# Usage: archive.bash FOLDER OUTPUT
set -eu -o pipefail

count() {
	local lines
	lines=$(cat "$1"/*.txt | wc -l)
	echo "$lines lines"
}

words() {
	perl -ne '$n{lc $_}++ for /\w+/g; END { print "$n{$_} $_\n" for keys %n }' "$1"/*.txt |
		sort -rn
}

count "$1" >"$2.lines"
words "$1" >"$2.words"
for file in "$1"/*.txt; do
	gzip -9 -c "$file" >"$2.${file##*/}.gz" &
done
wait
(
	cd "$1"
	exec cksum ./*.txt
) >"$2.sums"
