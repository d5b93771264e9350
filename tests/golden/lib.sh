# For the scripts that compare reports with expected files; sourced as: . lib.sh TARE [--update]
#
# Sets tare, update, and work (an empty folder, the current one, removed at the end). --update, or
# TARE_TEST_UPDATE=1 in the environment, rewrites the files in the folder `expected` beside the
# script instead of comparing.
tare=$(realpath "$1")
mkdir -p "$(dirname "$0")/expected"
expected=$(realpath "$(dirname "$0")/expected")
update=${TARE_TEST_UPDATE:-0}
[ "${2:-}" != --update ] || update=1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

unset COLUMNS NO_COLOR PAGER TERM
export LC_ALL=C.UTF-8 COLUMNS=100 TZ=UTC
export DPKG_ADMINDIR=$work # what packages this system has does not matter
failed=0
count=0

# match NAME COMMAND: what stands in $work/out against expected/NAME.
match() {
	count=$((count + 1))
	echo "$1" >>"$work/.matched"
	if [ "$update" = 1 ]; then
		cp "$work/out" "$expected/$1"
	elif ! cmp -s "$work/out" "$expected/$1"; then
		echo "DIFFERS: $1 ($2)"
		diff -u "$expected/$1" "$work/out" | head -40 || true
		failed=1
	fi
}

# compare NAME ARGUMENTS...: the output of "tare report ARGUMENTS" against expected/NAME.
compare() {
	name=$1
	shift
	if ! "$tare" report "$@" >"$work/out" 2>"$work/err"; then
		echo "FAILED: tare report $*: $(cat "$work/err")"
		failed=1
		return 0
	fi
	match "$name" "tare report $*"
}

# as_text NAME VIEW [OPERANDS] [OPTIONS]: NAME.text. That CSV and JSON have the same numbers is the
# test `numbers`.
as_text() {
	stem=$1
	shift
	compare "$stem.text" "$@"
}

# as_csv NAME …: NAME.csv, too, with all columns: once for each view.
as_csv() {
	as_text "$@"
	shift
	compare "$stem.csv" "$@" --format=csv
}

# as_json NAME …: NAME.json, where its keys are others than those of tables.
as_json() {
	stem=$1
	shift
	compare "$stem.json" "$@" --format=json
}

# compare_refused NAME ARGUMENTS...: the sentence that says why there is no such report.
compare_refused() {
	name=$1
	shift
	if "$tare" report "$@" >"$work/report" 2>"$work/out"; then
		echo "FAILED: tare report $*: not refused"
		failed=1
		return 0
	fi
	match "$name" "tare report $*"
}

# compare_diff NAME ARGUMENTS...: the same of "tare diff ARGUMENTS"; a gate that fails is no failure.
compare_diff() {
	name=$1
	shift
	status=0
	"$tare" diff "$@" >"$work/out" 2>&1 || status=$?
	echo "exit status $status" >>"$work/out"
	match "$name" "tare diff $*"
}

# The last line of the script, and its exit status.
finish() {
	sort "$work/.matched" >"$work/out"
	if ! ls "$expected" | sort | cmp -s - "$work/out"; then
		echo "FAILED: files that nothing is compared with, or names that are used twice:"
		ls "$expected" | sort | diff - "$work/out" || true
		failed=1
	fi
	[ "$update" = 1 ] && echo "wrote $count expected files"
	[ $failed = 0 ] && echo "$count outputs as expected"
	exit $failed
}
