#!/bin/bash
# Libraries that come and go: at the addresses of others, in namespaces of their own, before all others
# (LD_PRELOAD), and as auditors beside tare's runtime. Each function's calls stay its own.
. "$(dirname "$0")/lib.sh"
need cc

# Of one size, so that the loader puts them at one place.
mkdir "$work/plugins"
salt=1
for name in one two three; do
	cc -shared -fPIC -O2 -DPLUGIN=$name -DSALT=$salt -o "$work/plugins/$name.so" \
		"$E2E/../fixtures/plugin.c"
	salt=$((salt + 1))
done

# A plug-in in a namespace of its own has no counters: the calls to it are timed at their site, also where
# that was disarmed before.
for times in --adaptive --exact; do
	record_options=(--small-functions=keep "$times")
	same "$FIXTURES/plugins" "$work/plugins"
	compare_all
	record_options+=(--no-learned)
	same "$FIXTURES/plugins" "$work/plugins" elsewhere
	compare_all
done

# Not where the site is disarmed meanwhile, or its caller is only counted from the start, as an earlier
# recording has learned: then the plug-in has the calls that are known, and is shown to have had at least these.
is_least() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["function"] == "two" { said = $at["calls_are"] }
		END { exit said != "at-least" }' "$work/functions.csv"
}
check_two() {
	report functions
	grep -v '^two' "$work/recorded.stdout" >"$work/truth"
	compare counts "$work/truth" "$work/functions.csv"
	local calls made
	calls=$(cell functions function two calls)
	made=$(awk '$1 == "two" { print $2 }' "$work/recorded.stdout")
	[ "$calls" -ge "$1" ] && [ "$calls" -le "$made" ] || fail "two: $made calls were made, $calls are reported"
	[ "$calls" = "$made" ] || is_least ||
		fail "two: $made calls were made, $calls are reported, and not as the least"
}
record_options=(--small-functions=keep)
for _ in 1 2 3; do
	same "$FIXTURES/plugins" "$work/plugins" elsewhere
	check_two 221
done
for _ in 1 2 3; do
	same "$FIXTURES/plugins" "$work/plugins" elsewhere 1000
	check_two 221000
done
is_least || fail "call sites that 241,000 calls have passed were not disarmed"
# The first calls there are timed, and are more than its copy has counted.
record_options=(--no-learned)
same "$FIXTURES/plugins" "$work/plugins" elsewhere 1000
check_two 221001
record_options=(--exact)
same "$FIXTURES/plugins" "$work/plugins" elsewhere 100
compare_all
grep -q '^# one place: yes$' "$work/recorded.stdout" ||
	echo "the loader did not put the plug-ins at one place here"

# By relative paths, from where they are.
for kind in plain recorded; do
	prefix=()
	[ $kind = plain ] || prefix=("$TARE" record -q -o "$work/profile.tare" "${record_options[@]}" --)
	run_in "$work/$kind" env -C "$work" "${prefix[@]}" "$FIXTURES/plugins" plugins
done
diff "$work/plain.stdout" "$work/recorded.stdout" || fail "output differs with relative paths"
report functions
compare counts "$work/recorded.stdout" "$work/functions.csv"

# An auditor of the program's own. (Among those of its own namespace it sees the runtime as well.)
cat >"$work/auditor.c" <<'C'
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
static int opened, closed;
unsigned int la_version(unsigned int version) { return version; }
unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	opened += space == LM_ID_BASE;
	return 0;
}
unsigned int la_objclose(uintptr_t *cookie) { closed++; return 0; }
__attribute__((destructor)) static void end(void)
{
	fprintf(stderr, "opened %d closed %d\n", opened, closed);
}
C
cc -shared -fPIC -O2 -o "$work/auditor.so" "$work/auditor.c"
same env LD_AUDIT="$work/auditor.so" "$FIXTURES/plugins" "$work/plugins"
grep -q '^opened' "$work/recorded.stderr" || fail "the program's auditor did not run"
report functions
compare counts "$work/recorded.stdout" "$work/functions.csv"

# Replaced memory allocators.
record_options=()
for library in libjemalloc.so.2 libtcmalloc_minimal.so.4; do
	path=$(/sbin/ldconfig -p | sed -n "s,^.*$library .*=> ,,p" | head -n 1)
	[ -n "$path" ] || continue
	same env LD_PRELOAD="$path" sh -c 'echo first | tr a-z A-Z; (exit 3); echo $?'
	same env LD_PRELOAD="$path" "$FIXTURES/threads"
	report functions
	compare sums "$work/functions.csv"
done
exit 0
