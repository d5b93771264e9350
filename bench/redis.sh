#!/bin/bash
# A redis server, N requests of each of a few kinds from its own benchmark program, and its end.
# Usage: redis.sh N
set -eu
for program in redis-server redis-cli redis-benchmark; do
	command -v $program >/dev/null || { echo "$program is not installed" >&2; exit 1; }
done
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
redis-server --port 0 --unixsocket "$directory/socket" --dir "$directory" --save '' >"$directory/log" &
server=$!
until [ -S "$directory/socket" ]; do sleep 0.05; done
redis-benchmark -s "$directory/socket" -n "$1" -c 20 -q --csv -t get,set,incr,lpush,lrange_100 >/dev/null
redis-cli -s "$directory/socket" shutdown nosave
wait $server
