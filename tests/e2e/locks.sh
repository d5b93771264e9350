#!/bin/bash
# Waits for locks say which thread had them and where it was, without any privilege: mutexes of each kind
# and rwlocks that are written; of those that are read nobody knows.
. "$(dirname "$0")/lib.sh"
need python3 sqlite3

cd "$work"
for times in --adaptive --exact; do
	"$TARE" record "$times" -q -o profile.tare -- "$FIXTURES/locks" >said ||
		fail "status $? of the recorded program"
	[ "$(cat said)" = done ] || fail "the program printed: $(cat said)"
	# by function that waits: ms, of these with a holder, of these in the thread that keeps
	sqlite3 -separator ' ' profile.tare "
		SELECT f.name, sum(o.ticks), sum(iif(h.id, o.ticks, 0)),
		       sum(iif(t.tid <> p.pid, o.ticks, 0)), sum(iif(h.node IS NULL, 0, o.ticks))
		FROM os o JOIN node n ON n.id = o.node JOIN function f ON f.id = n.function
		LEFT JOIN holder h ON h.os = o.id LEFT JOIN thread t ON t.id = h.thread
		LEFT JOIN process p ON p.id = t.process
		WHERE o.cause = 0 AND f.name GLOB 'pthread_*lock' GROUP BY f.name" >waits
	awk '$1 == "pthread_mutex_lock" || $1 == "pthread_rwlock_rdlock" {
		seen++
		if ($3 < .95 * $2 || $4 < .95 * $2 || $5 < .95 * $2) bad = 1
	}
	$1 == "pthread_rwlock_wrlock" {
		# half of it is for who writes
		seen++
		if ($3 < .3 * $2 || $3 > .7 * $2) bad = 1
	}
	END { exit bad || seen != 3 }' waits || fail "$times: waits and their holders: $(cat waits)"
	sqlite3 profile.tare "SELECT thread FROM wait WHERE
		(SELECT blocked_ticks FROM thread WHERE id = wait.thread) <> blocked_ticks OR
		(SELECT preempted_ticks FROM thread WHERE id = wait.thread) <> preempted_ticks" >differ
	[ -s differ ] && fail "$times: waits over time do not add up in the threads $(cat differ)"
	[ "$(sqlite3 profile.tare 'SELECT count(*) FROM wait')" = 2 ] || fail "$times: not two threads' waits"
	"$TARE" report threads profile.tare --unit=ticks --format=json --columns=all >threads.json
	for format in chrome perfetto firefox; do
		"$TARE" export --format=$format profile.tare -o "states.$format"
		"$E2E/states_check" $format "states.$format" threads.json profile.tare keeps keeper || fail "$times: states in $format"
	done
	if command -v protoc >/dev/null; then
		protoc --decode=Trace -I "$E2E/data" perfetto.proto <states.perfetto >decoded
		! grep -qE '^ *[0-9]+[: ]' decoded || fail "fields that Perfetto's schema does not have"
	fi
done
# Where nobody waited for a lock, the columns are there and empty, for samples of waits, too.
"$TARE" record -q -o "$work/alone.tare" -- true
"$TARE" report locks "$work/alone.tare" --columns=os_time_ns,blocked_by,blocked_by_thread --format=csv >"$work/alone.csv" ||
	fail "columns of a recording in which nobody waited"
[ "$(tr -d '\r' <"$work/alone.csv")" = os_time_ns,blocked_by,blocked_by_thread ] || fail "no columns: $(cat "$work/alone.csv")"
"$TARE" report os "$work/alone.tare" --columns=os_time_ns,blocked_by,blocked_by_thread --format=csv | tr -d '\r' >"$work/alone.csv"
! tail -n +2 "$work/alone.csv" | grep -v ',,$' || fail "holders where nobody waited: $(cat "$work/alone.csv")"
! "$TARE" report os "$work/alone.tare" --columns=woken_by >"$work/text" 2>&1 || fail "wakers without --wakers"
grep -q 'tare record --wakers records them' "$work/text" || fail "no sentence: $(cat "$work/text")"
