#!/bin/bash
# Threads have the names that they had last, whoever has given them.
. "$(dirname "$0")/lib.sh"

record_options=(--small-functions=keep)
same "$FIXTURES/named"
report threads --columns=thread
for name in "named" "by another" "by itself"; do
	grep -q "^\"\?$name (" "$work/threads.csv" || fail "no thread is called \"$name\": $(cat "$work/threads.csv")"
done
