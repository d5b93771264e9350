#!/bin/bash
# Functions that do little but call what waits stay timed, as the wait would be their caller's: by the first
# recording, and by one that starts with what others have learned. Tiny ones go all the same.
. "$(dirname "$0")/lib.sh"
need gcc sqlite3

cd "$work"
export XDG_CACHE_HOME=$work/cache
gcc -O1 -fno-optimize-sibling-calls -pthread -o led "$E2E/../fixtures/led.c"
record_options=(--small-functions=keep)

# counted FUNCTION: 1 if its calls were only counted, from some time on or from the start
counted() {
	sqlite3 profile.tare "SELECT (SELECT count(*) FROM disarm d JOIN function f ON f.id = d.function WHERE f.name = '$1') +
		(SELECT count(*) FROM counted c JOIN function f ON f.id = c.function WHERE c.learned AND f.name = '$1') > 0"
}

for recording in first second third; do
	record "$work/led"
	report functions
	for function in asks takes; do
		[ "$(counted $function)" = 0 ] || fail "$recording: $function is only counted"
		[ "$(cell functions function $function calls)" = 600 ] || fail "$recording: calls of $function"
	done
	[ "$(counted tiny)" = 1 ] || fail "$recording: tiny is timed"
	sqlite3 -separator ' ' profile.tare "
		SELECT sum(o.ticks), sum(iif(c.name = 'takes', o.ticks, 0))
		FROM os o JOIN node n ON n.id = o.node JOIN function f ON f.id = n.function
		JOIN node p ON p.id = n.parent JOIN function c ON c.id = p.function
		JOIN thread t ON t.id = n.thread JOIN process s ON s.id = t.process
		WHERE o.cause = 0 AND f.name = 'pthread_mutex_lock' AND t.tid = s.pid" >waits
	awk '{ exit !($1 > 0 && $2 >= .95 * $1) }' waits || fail "$recording: waits, of these below takes: $(cat waits)"
done
