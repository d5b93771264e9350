#!/bin/bash
# The number of calls of every named function of a real library, beside callgrind's.
. "$E2E/lib.sh"

need valgrind python3 sqlite3

environment=(env -i PATH="$PATH" LC_ALL=C HOME="$work")
command=(sqlite3 :memory: ".read $E2E/data/orders.sql")

"${environment[@]}" valgrind -q --tool=callgrind --compress-strings=no --compress-pos=no \
	--callgrind-out-file="$work/callgrind.out" "${command[@]}" >"$work/valgrind.stdout"
"${environment[@]}" XDG_CACHE_HOME="$XDG_CACHE_HOME" "$TARE" record -q --small-functions=keep \
	-o "$work/profile.tare" -- "${command[@]}" >"$work/recorded.stdout"
cmp "$work/valgrind.stdout" "$work/recorded.stdout" || fail "the output differs"
"$TARE" report functions "$work/profile.tare" --format=csv >"$work/functions.csv"
"$E2E/callgrind_counts" "$work/callgrind.out" "$work/functions.csv" libsqlite3
