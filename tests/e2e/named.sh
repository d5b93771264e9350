#!/bin/bash
# Threads and processes have the names that they had last, whoever has given them.
. "$(dirname "$0")/lib.sh"

record_options=(--small-functions=keep)
same "$FIXTURES/named"
report threads --columns=thread
for name in "named" "by another" "by itself"; do
	grep -q "^\"\?$name (" "$work/threads.csv" || fail "no thread is called \"$name\": $(cat "$work/threads.csv")"
done

# A process that renames itself is called so, and so is its first thread: by calls and by samples.
for options in "" "--method=sample"; do
	# shellcheck disable=SC2086
	"$TARE" record -q $options -o "$work/renamed.tare" -- "$FIXTURES/named" "call me this" >/dev/null || fail "tare record $options failed"
	for view in processes threads; do
		"$TARE" report $view "$work/renamed.tare" --format=csv --columns=process >"$work/$view"
		grep -q '^"\?call me this (' "$work/$view" || fail "$options: $view show another name: $(cat "$work/$view")"
	done
done

# A child that is executed by a link is called as the link is, also where a container's filter of system
# calls is on all of them.
ln -s "$(command -v bash)" "$work/another"
for filtered in "" "$FIXTURES/refused 1"; do
	# shellcheck disable=SC2086,SC2016
	found=$($filtered "$TARE" record -q -o "$work/linked.tare" -- \
		sh -c '"$0" -c "read -r name </proc/\$\$/comm; echo \$name"; :' "$work/another") || fail "not recorded"
	[ "$found" = another ] || fail "${filtered:-without a filter}: a child is called $found"
	"$TARE" report processes "$work/linked.tare" --format=csv --columns=process | grep -q '^"\?another (' ||
		fail "${filtered:-without a filter}: the report calls it otherwise"
done
