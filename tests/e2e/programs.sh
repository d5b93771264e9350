#!/bin/bash
# Real programs as Debian ships them: same output, status and files with and without tare, nearly all
# of their functions instrumented, and values that add up. Usage: programs.sh NAME
. "$(dirname "$0")/lib.sh"
data=$E2E/data

# About 50 MB of log-like text, the same on every machine.
make_text() {
	awk 'BEGIN {
		split("open close read write sync connect accept retry timeout flush", verb)
		for (i = 1; i <= 900000; i++) {
			seed = (seed * 1103515 + 12345) % 2147483
			printf "%08d host%03d %s seed=%d state=%d ratio=%.4f\n", (i * 7919) % 10000019,
				seed % 211, verb[1 + seed % 10], seed, i % 17, seed / 2147483
		}
	}' >"$1"
}

case $1 in
bash)
	same bash "$data/loop.sh" 100000
	;;
sqlite)
	need sqlite3
	same sqlite3 shop.db ".read $data/orders.sql"
	;;
lua)
	need lua5.4
	same lua5.4 "$data/algorithms.lua"
	;;
perl)
	need perl
	same perl "$data/text.pl"
	;;
zstd)
	need zstd
	make_text "$work/text"
	same zstd -q -5 "$work/text" -o text.zst
	zstd -q -d <"$work/recorded/text.zst" | cmp - "$work/text" || fail "the round trip differs"
	;;
openssl)
	need openssl
	make_text "$work/text"
	same openssl dgst -sha256 -out digest "$work/text"
	;;
sort)
	make_text "$work/text"
	same sort -S 64M -k3,3 -k1,1nr "$work/text" -o sorted
	;;
bash-static)
	need bash-static
	same bash-static "$data/loop.sh" 20000
	same bash-static "$data/streams.sh"
	;;
busybox)
	need busybox
	same busybox sh "$data/streams.sh"
	report processes
	# Its pipelines and subshells, at least: each is a fork or starts itself again.
	[ "$(wc -l <"$work/processes.csv")" -gt 5 ] || fail "processes are missing"
	# What starts it is not static.
	same bash -c 'busybox seq 5000 | busybox sort -rn | busybox head -n 5000 | busybox md5sum'
	report processes
	[ "$(grep -c busybox "$work/processes.csv")" -ge 4 ] || fail "static children are not followed"
	# And what it starts.
	same busybox sh -c "env bash '$data/loop.sh' 500"
	report processes
	grep -q bash "$work/processes.csv" || fail "children of static programs are not followed"
	;;
ldconfig)
	PATH=$PATH:/sbin
	need ldconfig
	same ldconfig -p
	;;
sqlite-static)
	need gcc
	gcc -O2 -static -w -o "$work/static_sqlite" "$E2E/../fixtures/static_sqlite.c" -lsqlite3 -lm \
		2>"$work/build" || skip "sqlite cannot be linked statically here: $(tail -n 1 "$work/build")"
	same "$work/static_sqlite" shop.db "$data/orders.sql"
	;;
*)
	fail "programs.sh knows no program $1"
	;;
esac

[ "$(cat "$work/recorded.status")" = 0 ] || fail "it failed, with and without tare"
report functions
compare sums "$work/functions.csv"
[ "$(wc -l <"$work/functions.csv")" -gt 20 ] || fail "hardly any function was seen"
report coverage
compare coverage 99 "$work/coverage.csv"
