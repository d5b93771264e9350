#!/bin/bash
# Stacks of a program at random moments, and some steps from there, beside those of libunwind and
# elfutils. Usage: others.sh OTHER_STACKS PROGRAM STOPS STEPS
set -u
other=$1 program=$2 stops=$3 steps=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

need() {
	type -P "$1" >/dev/null || { echo "SKIP: $1 is not installed"; exit 77; }
}

# build COMPILER ARGUMENTS…
build() {
	need "$1"
	"$@" -o "$work/program" >"$work/messages" 2>&1 || {
		echo "SKIP: this $1 cannot build the program: $(tail -n 1 "$work/messages")"
		exit 77
	}
	command=("$work/program" 100000000)
}

compare() {
	"$other" -n "$stops" -s "$steps" -a "$allowed" -v "${command[@]}" >"$work/out"
	local status=$?
	tail -n 200 "$work/out"
	exit $status
}

allowed=0
case $program in
bash) command=(bash -c 'while :; do x=$((x + 1)); y=${x//1/2}; z=(a b "$y"); done') ;;
perl) command=(perl -e 'sub f { my $n = shift; return $n < 2 ? 1 : f($n - 1) + f($n - 2) }
	while (1) { f(12); my $s = join ",", sort { $a <=> $b } map { $_ * 7919 % 1009 } 1 .. 300;
		$s =~ s/(\d+),/<$1>/g }') ;;
python3) command=(/usr/bin/python3 -c 'import json, re
def f(n): return 1 if n < 2 else f(n - 1) + f(n - 2)
while True: f(12); json.dumps(sorted(re.findall(r"\d+", ",".join(map(str, range(300))))))') ;;
lua5.4) command=(lua5.4 -e 'local function f(n) if n < 2 then return 1 end return f(n - 1) + f(n - 2) end
	while true do f(12); local t = {}; for i = 1, 300 do t[i] = tostring(i * 7919 % 1009) end
	table.sort(t); table.concat(t):gsub("%d", "x") end') ;;
sqlite3) command=(sqlite3 :memory: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c
	LIMIT 1000000000) SELECT count(DISTINCT x % 1000) FROM c") ;;
turns) build gcc -O2 -fomit-frame-pointer -w "$here/turns.c" ;;
# While an exception is thrown, a stack in between may be complete by chance.
thrown)
	build g++ -O2 -fomit-frame-pointer -w "$here/thrown.cpp"
	allowed=20000
	;;
panicked)
	build rustc -O "$here/panicked.rs"
	allowed=20000
	;;
*) exit 2 ;;
esac
need "${command[0]}"
compare
