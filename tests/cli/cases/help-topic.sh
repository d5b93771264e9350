# Topics of help: each page of the documents and each word of the glossary is found, as plain text in 100 columns.
docs=$(realpath "$(dirname "$0")/../../../docs")
export LC_ALL=C.UTF-8
for page in "$docs"/{start,how,reference,explanation}/*.md "$docs/glossary.md"; do
	name=${page#"$docs/"}
	name=${name%.md}
	tare help "$name" >page.txt || continue
	head -n 1 "$page" | cut -c 3- | cmp - <(head -n 1 page.txt | sed 's/`//g') >/dev/null || head -n 1 page.txt
	grep -q '<!--\|](' page.txt && echo "$name: signs of Markdown"
	tare help "docs/$name.md" | cmp page.txt -
	# A short name, where no command has it, leads here, or to a page that names this one.
	base=${name##*/}
	tare help | grep -q "^  $base  \|^  $name  " || [ "$name" = glossary ] || echo "$name is not listed"
	tare help "$base" >short.txt
	cmp -s page.txt <(head -c "$(wc -c <page.txt)" short.txt) || grep -q "^See also: tare help $name (" short.txt ||
		tare --help | grep -q "^  $base  " || echo "$base leads elsewhere"
done
sed -n 's/^\*\*\(.*\)\*\*: .*/\1/p' "$docs/glossary.md" | sed 's/, /\n/g' | while read -r word; do
	tare help "$word" | head -n 1 | grep -qF "$word" || echo "no word $word"
done
tare help lines | tail -n 2
tare help Call-Path
tare help disturbed
cmp <(tare help record) <(tare record --help)
for unknown in wiats recrod mutex zzzz '' . '*' '%s%n' "$(printf '\033[31m')" "$(printf 'x%.0s' {1..5000})"; do
	tare help "$unknown" 2>message && echo "shown: $unknown"
	[ "$(wc -l <message)" = 1 ] || cat message
	sed 's,that have the word: [a-z/, -]*;,that have the word: …;,' message | cut -c 1-200
done
tare help --man waits 2>&1
tare help waits glossary 2>&1
tare help waits >/dev/full 2>message || cat message
# On a terminal through the pager, whose lines are as wide as the terminal, or not.
PAGER='sed s/^/paged:/' script -qc "stty cols 60; '$TARE' help disturbed" /dev/null | tr -d '\r'
PAGER='sed s/^/paged:/' script -qc "stty cols 60; '$TARE' help --no-pager disturbed" /dev/null | tr -d '\r'
