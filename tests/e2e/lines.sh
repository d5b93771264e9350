#!/bin/bash
# Source lines and inline chains, with every sort of debug information and every place for it: the
# chain at one known instruction, and thousands of addresses as eu-addr2line sees them.
. "$E2E/lib.sh"

need gcc nm objcopy readelf
here=$work/src
mkdir "$here"
cp "$E2E/../fixtures/inlined.c" "$here/"
cd "$here"

line_of() {
	grep -n "line: $1" inlined.c | cut -d: -f1
}
chain=$(printf '%s@%s:%s|' innermost "$here/inlined.c" "$(line_of innermost)" \
	between "$here/inlined.c" "$(line_of between)" outermost "$here/inlined.c" "$(line_of outermost)")
declared=decl=$here/inlined.c:$(line_of declared)

# look FILE: the answer for `mark` in $answer: reason and chain without columns, separated by |
look() {
	local mark
	mark=$(nm "$marks" | awk '$3 == "mark" { print $1 }')
	answer=$(echo "$mark" | "$LINES_OF" "$1" 2>/dev/null | cut -d' ' -f2- |
		sed -E 's/:[0-9]+(\t|$)/\1/; s/(:[0-9]+):[0-9]+(\t|$)/\1\2/g' | tr '\t' '|')
}

expect_known() {
	look "$1"
	[ "$answer" = "known|$chain$declared" ] ||
		[ "$answer" = "known|${chain%|}|$declared" ] ||
		fail "$2: expected known|$chain$declared, got $answer"
	tried=$((${tried:-0} + 1))
}

expect() {
	look "$1"
	[ "$answer" = "$3" ] || fail "$2: expected $3, got $answer"
	tried=$((${tried:-0} + 1))
}

# ---- compilers and versions ----

compilers=gcc
command -v clang >/dev/null && compilers="gcc clang" || echo "clang is not installed: gcc only"
for compiler in $compilers; do
	for options in "-O2 -gdwarf-4" "-O2 -gdwarf-5" "-O1 -g -gz=zlib" "-O2 -g -no-pie" "-O3 -g -flto"; do
		[ "$compiler $options" != "clang -O3 -g -flto" ] || command -v ld.lld >/dev/null || continue
		[ "$compiler $options" != "clang -O3 -g -flto" ] || options="$options -fuse-ld=lld"
		"$compiler" $options -o program inlined.c 2>/dev/null
		marks=program
		expect_known "$here/program" "$compiler $options"
	done
	for version in 4 5; do
		rm -f ./*.dwo
		"$compiler" -O2 -gdwarf-$version -gsplit-dwarf -c inlined.c -o split.o
		"$compiler" -o program split.o
		expect_known "$here/program" "$compiler -gdwarf-$version -gsplit-dwarf"
		ls ./*.dwo >/dev/null || fail "$compiler wrote no .dwo file"
		rm -f ./*.dwo
		expect "$here/program" "$compiler -gdwarf-$version without its .dwo" \
			"the file with the functions' debug information (.dwo) is not there|@$here/inlined.c:$(line_of innermost)"
	done
done

# A unit that .debug_aranges does not have, beside one that it has.
if command -v clang >/dev/null; then
	echo 'int other(int value) { return value * 3; }' >other.c
	gcc -O2 -g -c other.c -o other.o
	clang -O2 -g -c inlined.c -o inlined.o
	gcc -o program inlined.o other.o
	expect_known "$here/program" "clang's unit beside gcc's"
fi

# The assembler's: a line, and no function of its own.
printf '.section .note.GNU-stack,""\n.text\n.globl mark\nmark:\n\tnop\n\tret\n' >assembled.S
echo 'int main(void) { return 0; }' >empty.c
gcc -g -o program assembled.S empty.c
marks=program
look "$here/program"
case $answer in
"known|"*"@$here/assembled.S:5"*) tried=$((tried + 1)) ;;
*) fail "assembler: got $answer" ;;
esac

# ---- separate files ----

gcc -O2 -g -Wl,--build-id=none -o whole inlined.c
marks=whole
objcopy --only-keep-debug whole program.debug
objcopy --strip-debug --add-gnu-debuglink=program.debug whole program
expect_known "$here/program" "debug link, beside"
mkdir .debug
mv program.debug .debug/
expect_known "$here/program" "debug link, in .debug"
mkdir -p "$work/root$here"
mv .debug/program.debug "$work/root$here/"
expect "$here/program" "debug file out of reach" "no debug information"
export TARE_DEBUG_PATH=/nonexistent:$work/root
expect_known "$here/program" "debug link, below a root"
printf x >>"$work/root$here/program.debug"
expect "$here/program" "debug file whose CRC does not match" "no debug information"

gcc -O2 -g -Wl,--build-id=sha1 -o whole inlined.c
id=$(readelf -n whole 2>/dev/null | awk '/Build ID/ { print $3 }')
mkdir -p "$work/root/.build-id/${id:0:2}"
by_id=$work/root/.build-id/${id:0:2}/${id:2}.debug
objcopy --strip-debug whole program
objcopy --only-keep-debug --compress-debug-sections=zlib whole "$by_id"
expect_known "$here/program" "build-id"
if command -v dwz >/dev/null; then
	gcc -O2 -g -Wl,--build-id=sha1 -fno-inline -o second inlined.c
	objcopy --only-keep-debug --decompress-debug-sections whole "$by_id"
	dwz -q -m "$work/root/common" "$by_id" second || fail "dwz failed"
	readelf -WS "$by_id" 2>/dev/null | grep -q gnu_debugaltlink || fail "dwz left no link"
	expect_known "$here/program" "dwz"
else
	echo "dwz is not installed: files of common debug information are not tried"
fi
head -c 2000 whole >"$by_id"
expect "$here/program" "damaged debug file" "no debug information"
unset TARE_DEBUG_PATH

# ---- what a recording says ----

record_options=(--small-functions=keep)
gcc -O2 -g -o program inlined.c
record "$here/program"
report functions
csv_function_place() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["function"] == name { print $at["source"] ":" $at["line"] }' "$work/functions.csv"
}
[ "$(csv_function_place outermost)" = "$here/inlined.c:$(line_of declared)" ] ||
	fail "outermost stands in '$(csv_function_place outermost)'"
gcc -O2 -g0 -o program inlined.c
record "$here/program"
report functions
[ "$(csv_function_place outermost)" = ":" ] || [ "$(csv_function_place outermost)" = ":0" ] ||
	fail "without debug information outermost stands in '$(csv_function_place outermost)'"
module_lines() {
	sqlite3 "$work/profile.tare" "SELECT lines FROM module WHERE name = 'program'"
}
need sqlite3
[ "$(module_lines)" = "no debug information" ] || fail "lines of the module: $(module_lines)"
gcc -O2 -g -gsplit-dwarf -c inlined.c -o split.o
gcc -o program split.o
rm -f ./*.dwo
record "$here/program"
case $(module_lines) in
*.dwo*) ;;
*) fail "lines of the module without its .dwo: $(module_lines)" ;;
esac

# Samples in copies are those of the original's instructions, with what counts executions, too.
for counting in "" --lines; do
	# shellcheck disable=SC2086
	XDG_CACHE_HOME=$PWD/copies "$TARE" instrument $counting --cache "$TARE" >/dev/null 2>&1 ||
		fail "tare cannot instrument itself"
	for copy in copies/tare/files/*/copy/"${TARE##*/}"; do entry=${copy%/copy/*}; done
	read -r functions aligned instructions same counted < <("$ALIGNED_OF" "$TARE" "$entry")
	echo "$aligned of $functions copied functions aligned, $same of $instructions instructions alike," \
		"$counted counts of branches"
	[ "$functions" -ge 500 ] && [ $((aligned * 100)) -ge $((functions * 99)) ] &&
		[ $((same * 1000)) -ge $((instructions * 995)) ] || fail "copies are not followed ($counting)"
	[ $((counted > functions)) = $((${#counting} > 0)) ] || fail "$counted branches counted ($counting)"
	rm -rf copies
done

# ---- many addresses, as another reader sees them ----

# compare FILE: 400 addresses of its .text, but those between functions
compare() {
	local start size
	read -r start size < <(readelf -WS "$1" | sed 's/^ *\[ *[0-9]*\] *//' |
		awk '$1 == ".text" { print $3, $5 }')
	for i in $(seq 0 399); do
		printf '%x\n' $((0x$start + 0x$size * i / 400))
	done >addresses
	"$LINES_OF" "$1" <addresses 2>/dev/null | awk -F'\t' '$1 ~ / known$/ && $2 !~ /^@/ {
		split($1, address, " "); printf "%s", address[1]
		for (i = 2; i <= NF; i++) if ($i !~ /^decl=/) {
			sub(/^.*@/, "", $i); sub(/\?:0:0/, "??:0", $i); sub(/:0$/, "", $i); printf " %s", $i
		}
		print "" }' >ours
	[ "$(wc -l <ours)" -ge 300 ] || fail "only $(wc -l <ours) of 400 addresses of $1 are known"
	cut -d' ' -f1 ours | eu-addr2line -e "$1" -i -a | awk '/^0x/ {
		if (NR > 1) print line; sub(/^0x0*/, ""); line = $0; next }
		{ sub(/ \(.*/, ""); n = split($0, part, "/"); path = ""; depth = 0
		  for (i = 1; i <= n; i++) {
			if (part[i] == ".." && depth > 0) depth--
			else if (part[i] != "." && part[i] != "") kept[++depth] = part[i] }
		  for (i = 1; i <= depth; i++) path = path (i > 1 || $0 ~ /^\// ? "/" : "") kept[i]
		  sub(/:0$/, "", path); line = line " " path }
		END { print line }' >theirs
	# Now and then it leaves out a function inlined into an inlined one, which llvm-symbolizer has.
	diff ours theirs >difference || true
	local differing
	differing=$(grep -c '^<' difference || true)
	[ $((differing * 50)) -le "$(wc -l <ours)" ] ||
		fail "$1 differs from eu-addr2line: $(head -n 12 difference)"
	echo "$1: $(($(wc -l <ours) - differing)) of $(wc -l <ours) addresses as eu-addr2line has them"
}

if command -v eu-addr2line >/dev/null; then
	compare "$TARE"
else
	echo "eu-addr2line is not installed: answers are not compared"
fi
echo "$tried sorts and places of debug information"
