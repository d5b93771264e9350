#!/bin/bash
# Under small limits of resources the command has its own ones, and its status is tare's, whatever
# becomes of the recording. What ends the recorder does not end the command.
. "$(dirname "$0")/lib.sh"
need prlimit

command=(sh -c 'ulimit -a >limits; trap >signals
	while read -r line; do case $line in Sig[BI]*) echo "$line" ;; esac; done </proc/$$/status >>signals
	exit 7')

# The session that the last error names; it is of no use any more.
forget() {
	local session
	session=$(sed -n 's/.*; the recorded data are kept: tare recover //p' "$work/err")
	[ -z "$session" ] || rm -rf "$session"
}

# limited LIMIT COMMAND…: under it, as a program that sets its limits and executes the command.
limited() {
	local limit=$1
	shift
	(cd "$work/here" && prlimit $limit "$@")
}

# recorded NEEDED LIMIT…: the status is the command's, and its limits; with NEEDED there is a profile.
recorded() {
	local needed=$1 limit=$2 status=0
	rm -rf "$work/here" && mkdir "$work/here"
	limited "$limit" "${command[@]}" || status=$?
	[ $status = 7 ] || skip "prlimit $limit is too little for the command itself"
	mv "$work/here" "$work/plain"
	mkdir "$work/here"
	status=0
	limited "$limit" "$TARE" record -q -o "$work/here/x.tare" -- "${command[@]}" 2>"$work/err" || status=$?
	if [ $needed = any ] && [ $status = 125 ] && [ -z "$(ls "$work/here")" ] &&
		grep -q "cannot map a ring for samples" "$work/err"; then
		rm -rf "$work/plain"
		return # nothing was run, and it says why
	fi
	[ $status = 7 ] || fail "$limit: status $status instead of 7: $(cat "$work/err")"
	cmp "$work/plain/limits" "$work/here/limits" || fail "$limit: the command has other limits"
	cmp "$work/plain/signals" "$work/here/signals" || fail "$limit: the command has other signals"
	[ $needed = any ] || [ -e "$work/here/x.tare" ] || fail "$limit: no profile: $(cat "$work/err")"
	[ -e "$work/here/x.tare" ] || grep -q "tare recover" "$work/err" ||
		fail "$limit: neither a profile nor a word: $(cat "$work/err")"
	forget
	rm -rf "$work/plain"
	[ "$(cd "$work/here" && echo *)" = "limits signals" ] ||
		[ "$(cd "$work/here" && echo *)" = "limits signals x.tare" ] ||
		fail "$limit: left: $(ls "$work/here")"
}

mkdir "$work/here"
(cd "$work/here" && "$TARE" record -q -o x.tare -- "${command[@]}") || [ $? = 7 ] || fail "it does not run"
for limit in --stack=131072 --stack=65536 --stack=32768 --nofile=24 --fsize=4194304 --as=200000000 \
	--data=200000000 --cpu=20; do
	recorded profile $limit
done
for limit in --fsize=10240 --as=60000000 --data=60000000 --as=16000000 --as=20000000 --data=5000000; do
	recorded any $limit
done

# The process that tare was started as has them back before it executes the command.
for limit in --stack=65536 --nofile=24 --fsize=4194304 --as=200000000; do
	rm -rf "$work/here" && mkdir "$work/here"
	limited $limit "${command[@]}" || [ $? = 7 ]
	mv "$work/here" "$work/plain"
	mkdir "$work/here"
	status=0
	limited $limit "$TARE" record --exec -q -o "$work/exec.tare" -- "${command[@]}" || status=$?
	[ $status = 7 ] || fail "--exec $limit: status $status instead of 7"
	diff -r "$work/plain" "$work/here" || fail "--exec $limit: the command has other limits or signals"
	rm -rf "$work/plain"
	for _ in $(seq 1200); do
		[ ! -e "$work/exec.tare" ] || break
		sleep 0.1
	done
	rm "$work/exec.tare" || fail "--exec $limit: no profile"
done

# What an interrupted recording has left becomes a profile.
limited --fsize=10240 "$TARE" record -q -o "$work/small.tare" -- "${command[@]}" 2>"$work/err" || [ $? = 7 ]
if [ ! -e "$work/small.tare" ]; then
	grep -q 'File too large (ulimit -f)' "$work/err" || fail "the limit is not named: $(cat "$work/err")"
	"$TARE" recover -q "$(sed -n 's/.*tare recover //p' "$work/err")" || fail "it is not recovered"
	[ -e "$work/small.tare" ] || fail "no profile was recovered"
	forget
fi

# No more processor time: with copies to make, a recorder has used it before the command ends.
if command -v python3 >"$work/out"; then
	status=0
	(cd "$work/here" && XDG_CACHE_HOME=$work/cold prlimit --cpu=1 "$TARE" record -q -o x.tare -- \
		sh -c 'python3 -c "import ssl, sqlite3, lzma" 2>/dev/null; exit 7' 2>"$work/err") || status=$?
	[ $status = 7 ] || fail "--cpu=1: status $status instead of 7: $(cat "$work/err")"
	forget
fi

# Faults of the recorder, while it records; and signals that are sent to it then reach the command.
for signal in SEGV BUS FPE ILL ABRT XCPU PROF; do
	status=0
	"$TARE" record -q -o "$work/fault.tare" -- sh -c "kill -$signal \$PPID; sleep 0.2; exit 7" \
		2>"$work/err" || status=$?
	[ $status = 7 ] || fail "SIG$signal: status $status instead of 7"
	session=$(sed -n 's/.*; the recorded data are kept: tare recover //p' "$work/err")
	[ -d "$session" ] || fail "SIG$signal: no session is named: $(cat "$work/err")"
	"$TARE" recover -q -o "$work/fault.tare" "$session" || fail "SIG$signal: it is not recovered"
done
status=0
"$TARE" record -q -o "$work/fault.tare" -- sh -c 'trap "exit 9" TERM; kill -SEGV $PPID
	for i in $(seq 300); do sleep 0.2; kill -TERM $PPID; done; exit 7' 2>"$work/err" || status=$?
[ $status = 9 ] || fail "SIGTERM does not reach the command behind a fault: status $status"
forget

# Nobody reads what tare says.
{
	status=0
	"$TARE" record -v -o "$work/pipe.tare" -- sh -c 'exit 7' || status=$?
	echo $status >"$work/status"
} 2>&1 | true
[ "$(cat "$work/status")" = 7 ] || fail "a closed pipe: status $(cat "$work/status") instead of 7"
[ -e "$work/pipe.tare" ] || fail "a closed pipe: no profile"

# Files are laid aside only where a limit leaves fewer: compilers' drivers ask for a larger stack.
"$TARE" record -q -o "$work/spares.tare" -- sh -c '
	count() { sed -n "s,.*/\(spare\.[0-9.]*\).*,\1,p" /proc/$$/maps | sort -u | wc -l; }
	ulimit -S -s 4096 && ulimit -S -c 0 && ulimit -S -n $(ulimit -n) && count
	ulimit -S -n $(($(ulimit -n) - 1)) && count' >"$work/counts" || fail "limits are not set"
[ "$(cat "$work/counts")" = "0
12" ] || fail "files that are laid aside, without and with a reason: $(cat "$work/counts")"
