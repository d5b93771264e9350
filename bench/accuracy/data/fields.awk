# Fields, associative arrays, patterns, substitution and formatting over the text, in awks' common language.
function classify(state) {
	if (state % 3 == 0) return "third"
	return state % 2 ? "odd" : "even"
}
{
	split($3, pair, "=")
	count[$2]++
	kinds[classify(pair[2])] += length($1)
	if ($4 ~ /0\.[0-4][0-9]*7$/) small++
	line = $0
	changed += gsub(/[0-9][0-9]/, "<&>", line)
	text = sprintf("%s-%05d", toupper($2), NR % 1000)
	seen[text] = NR
}
END {
	for (name in count) names++
	for (text in seen) texts++
	print names, texts, small, changed, kinds["odd"], kinds["even"], kinds["third"]
}
