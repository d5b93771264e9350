#!/bin/bash
# A job of Open MPI: loads of 1:2:3:4 on four ranks, and the waits in MPI_Barrier, as the program's
# own clocks have them. By one recorder around mpirun, and by one per rank whose files are merged.
# With the argument `many` instead: 64 ranks on the processors that there are, all complete. With
# `mpich`: the job of four ranks by MPICH, which may be installed beside Open MPI.
. "$(dirname "$0")/lib.sh"
compiler=mpicc starter=mpirun launcher='Open MPI'
[ "${1:-}" != mpich ] || compiler=mpicc.mpich starter=mpirun.mpich launcher=PMI
need $compiler $starter

# Root in a container may; more ranks than processors may; who has nothing to compute yields.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
$compiler -O2 -g -o "$work/mpi_ranks" "$E2E/../fixtures/mpi_ranks.c" || skip "$compiler cannot build: no headers of MPI"
run_in "$work/plain" $starter -n 2 "$work/mpi_ranks" 1 1
[ "$(cat "$work/plain.status")" = 0 ] || skip "$starter cannot run a program: $(head -n 1 "$work/plain.stderr")"

# number PROFILE VIEW SECTION FILTER COLUMN: of the row that has the filter's value.
number() {
	"$TARE" report "$2" "$1" --format=csv --columns="section,rank,mpi_call,$5" \
		--filter="$4" 2>/dev/null | tr -d '\r' | awk -F, -v section="$3" '$1 == section { print $4; exit }'
}
truth() {
	awk -v name="rank.$1.$2" '$1 == name { print $2 }' "$work/recorded.stdout"
}
# near WHAT FOUND WANTED LESS MORE: less or more than it by so many percent, and 20 ms, at most.
near() {
	awk -v found="$2" -v wanted="$3" -v less="$4" -v more="$5" 'BEGIN {
		exit !(found != "" && wanted > 0 &&
			found >= wanted * (1 - less / 100) - 2e7 && found <= wanted * (1 + more / 100) + 2e7)
	}' || fail "$1: $2 ns, and by the program's own clock $3 ns"
}

complete() {
	"$TARE" report summary "$1" --format=json >"$work/summary.json"
	! grep -q '"incomplete_reason": "' "$work/summary.json" ||
		fail "$1: $(grep '"incomplete_reason"' "$work/summary.json")"
	[ "$("$TARE" report ranks "$1" --format=csv --columns=section,rank,ranks | tr -d '\r' |
		grep '^ranks,' | sort | uniq | grep -c ",$2\$")" = "$2" ] ||
		fail "$1 has not $2 ranks: $("$TARE" report ranks "$1" --columns=rank,ranks,host --limit=5)"
	[ "$("$TARE" report processes "$1" --format=csv --columns=launcher,rank | tr -d '\r' | grep ',[0-9]' |
		cut -d, -f1 | sort -u)" = "$launcher" ] || fail "$1 has ranks of another launcher than $launcher"
}

# What tare shows of unit_of_work over the ranks, by the process of each.
work_of() {
	"$TARE" report functions "$1" --process="$2" --function=unit_of_work --format=csv \
		--columns=cpu_inclusive | tr -d '\r' | tail -n 1
}
# The loads are steps, so their times are as 1:2:3:4; a program's own clocks have the recorder's work
# in them where it was switched, so those are for waits.
check_loads() {
	local rank pid all=0 works=() waits=() waited=0 wanted=0
	for rank in 0 1 2 3; do
		pid=$("$TARE" report processes "$1" --format=csv --columns=pid,rank,process | tr -d '\r' |
			awk -F, -v rank=$rank '$2 == rank && $3 ~ /^mpi_ranks/ { print $1 }')
		works[rank]=$(work_of "$1" "$pid")
		all=$((all + works[rank]))
		waits[rank]=$(number "$1" ranks calls "rank=$rank and mpi_call=MPI_Barrier" elapsed_inclusive)
		# Where a rank is preempted between its clock and the call, the clock alone sees that.
		near "MPI_Barrier of rank $rank" "${waits[rank]}" "$(truth $rank barrier_ns)" 30 3
		waited=$((waited + waits[rank]))
		wanted=$((wanted + $(truth $rank barrier_ns)))
	done
	near "MPI_Barrier of all" $waited $wanted 15 3
	for rank in 0 1 2 3; do
		near "work of rank $rank" "${works[rank]}" $((all * (rank + 1) / 10)) 2 2
	done
	"$TARE" report imbalance "$1" --format=csv --columns=section,function,calls,calling_ranks,cpu_most_rank \
		--filter='function=unit_of_work' | tr -d '\r' >"$work/spread"
	grep -q "^functions,unit_of_work,$2,4,3\$" "$work/spread" ||
		fail "unit_of_work is not called $2 times, or not most in rank 3: $(cat "$work/spread")"
}

if [ "${1:-}" = many ]; then
	record $starter -n 64 "$work/mpi_ranks" 2 1
	complete "$work/profile.tare" 64
	exit
fi

record $starter -n 4 "$work/mpi_ranks" 10 100
complete "$work/profile.tare" 4
check_loads "$work/profile.tare" $((10 * 100 * (1 + 2 + 3 + 4)))

run_in "$work/recorded" $starter -n 4 "$TARE" record -q -o "$work/part.%r.tare" "$work/mpi_ranks" 10 100
[ "$(cat "$work/recorded.status")" = 0 ] || fail "tare under $starter: $(tail -n 3 "$work/recorded.stderr")"
"$TARE" merge -q "$work"/part.*.tare -o "$work/merged.tare"
complete "$work/merged.tare" 4
check_loads "$work/merged.tare" $((10 * 100 * (1 + 2 + 3 + 4)))
