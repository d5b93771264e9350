#!/bin/bash
# Ranks that Slurm starts, by a Slurm of the test's own: loads of 1:2:3:4 on four of them, a recorder each, as
# their merged files have them; what a batch script runs beside them; PMI and PMIx of Slurm; a signal to all
# that a step has; an exit status.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "not root"
need munged slurmctld slurmd srun sbatch scancel sinfo squeue

# Of a job or a launcher that the test itself runs in.
unset "${!SLURM_@}" "${!SLURMD_@}" "${!SBATCH_@}" "${!SALLOC_@}" "${!PMI_@}" "${!PMIX_@}" "${!OMPI_@}" "${!MV2_@}"
export SLURM_CONF=$work/slurm.conf
host=$(uname -n)
host=${host%%.*}

# ours: whatever has this file in its environment, the servers and what they have started.
ours() {
	local entry="^SLURM_CONF=$SLURM_CONF\$"
	(unset SLURM_CONF && grep -lsz "$entry" /proc/[0-9]*/environ | cut -d/ -f3)
}
end_slurm() {
	local signal i
	for signal in TERM KILL; do
		# shellcheck disable=SC2046
		kill -$signal $(ours) 2>/dev/null || true
		for ((i = 0; i < 100; i++)); do
			[ -n "$(ours)" ] || break
			sleep 0.1
		done
	done
	remove_work
}
at_end end_slurm

free_port() {
	local port
	while port=$((20000 + RANDOM % 10000)) && (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
	echo "$port"
}
controller_port=$(free_port)
node_port=$(free_port)
[ "$controller_port" != "$node_port" ] || node_port=$((node_port + 1))

chmod 711 "$work" # munged does not start elsewhere
mkdir "$work/state" "$work/spool" "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 600 "$work/munge/key"
cat >"$SLURM_CONF" <<END
ClusterName=tare
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$work/munge/socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=8
PartitionName=all Nodes=ALL Default=YES State=UP
END

begin() {
	timeout 60 "$@" >"$work/begin" 2>&1 || skip "$1 does not start here: $(tail -n 1 "$work/begin")"
}
begin munged --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
	--log-file="$work/munge/log" --seed-file="$work/munge/seed"
begin slurmctld -f "$SLURM_CONF"
begin slurmd -f "$SLURM_CONF"
for ((i = 0; i < 120; i++)); do
	state=$(timeout 10 sinfo -h -o %T 2>/dev/null || true)
	[ "$state" != idle ] || break
	sleep 0.5
done
[ "$state" = idle ] || skip "the node of Slurm is not idle after a minute: '$state' $(tail -n 1 "$work/slurmd.log")"

# srun with no input of its own, and never without an end.
task() {
	run_in "$work/recorded" timeout 300 srun "$@"
}
task -n 4 true
[ "$(cat "$work/recorded.status")" = 0 ] || skip "srun cannot run a program: $(tail -n 1 "$work/recorded.stderr")"
expect_status() {
	[ "$(cat "$work/recorded.status")" = "$1" ] ||
		fail "$2: status $(cat "$work/recorded.status") instead of $1: $(tail -n 3 "$work/recorded.stderr")"
}

# "launcher rank ranks" of the processes of a program, sorted, in one line.
ranks_of() {
	"$TARE" report processes "$1" --format=csv --columns=process,launcher,rank,ranks | tr -d '\r' |
		awk -F, -v name="$2" 'index($1, name " (") == 1 { print $2, $3, $4 }' | sort | tr '\n' ';'
}
expect_ranks() {
	local found
	found=$(ranks_of "$1" "$2")
	[ "$found" = "$3" ] || fail "$2 in $1: \"$found\" instead of \"$3\""
}
complete() {
	"$TARE" report summary "$1" --format=json >"$work/summary.json"
	! grep -q '"incomplete_reason": "' "$work/summary.json" ||
		fail "$1: $(grep '"incomplete_reason"' "$work/summary.json")"
}
# merge NAME: $work/NAME.tare of all $work/NAME.RANK.of.RANKS.tare
merge() {
	"$TARE" merge -q "$work/$1".*.of.*.tare -o "$work/$1.tare"
	complete "$work/$1.tare"
}

# Its rounds are of equal lengths on average of 11.
cat >"$work/load" <<END
#!/bin/sh
exec "$FIXTURES/proportions" \$((2200 * (SLURM_PROCID + 1)))
END
chmod +x "$work/load"
task -n 4 "$TARE" record -q -o "$work/job.%r.of.%n.tare" "$work/load"
expect_status 0 "four ranks"
merge job
expect_ranks "$work/job.tare" proportions 'Slurm 0 4;Slurm 1 4;Slurm 2 4;Slurm 3 4;'
for rank in 0 1 2 3; do
	[ -e "$work/job.$rank.of.4.tare" ] || fail "no file of rank $rank: $(cd "$work" && ls job.*)"
	pid=$("$TARE" report processes "$work/job.tare" --format=csv --columns=pid,rank,process | tr -d '\r' |
		awk -F, -v rank=$rank '$2 == rank && $3 ~ /^proportions/ { print $1 }')
	"$TARE" report functions "$work/job.tare" --process="$pid" --function=round_of_work --format=csv \
		--columns=cpu_inclusive | tr -d '\r' | tail -n 1
done >"$work/loads"
awk '{ load[NR] = $1; all += $1 }
	END {
		for (i = 1; i <= 4; i++)
			if (!all || (100 * load[i] / all - 10 * i) ^ 2 > 2 ^ 2)
				exit 1
		exit NR != 4
	}' "$work/loads" || fail "CPU time of the ranks' rounds, not 10, 20, 30, 40 percent: $(paste -sd' ' "$work/loads")"
"$TARE" report imbalance "$work/job.tare" --format=csv --filter='function=round_of_work' \
	--columns=section,function,calls,calling_ranks,cpu_most_rank | tr -d '\r' >"$work/spread"
grep -qx 'functions,round_of_work,22000,4,3' "$work/spread" ||
	fail "round_of_work is not called 22000 times, or not most in rank 3: $(cat "$work/spread")"

# A batch script is no rank, though Slurm calls it rank 0 of all, nor is srun, whose tasks are no children of it.
cat >"$work/batch" <<END
#!/bin/sh
"$TARE" record -q -o "$work/script.tare" -- "$FIXTURES/proportions" 100 || exit 11
"$TARE" record -q -o "$work/around.tare" -- srun -n 3 "$FIXTURES/proportions" 100 || exit 12
"$TARE" record -q -o "$work/wrong.%r.tare" -- true
[ \$? = 125 ] || { echo "%r has a value in a batch script"; exit 13; }
srun -n 3 "$TARE" record -q -o "$work/part.%r.of.%n.tare" -- "$FIXTURES/proportions" 100 || exit 14
END
run_in "$work/recorded" timeout 300 sbatch -W -n 4 -o "$work/batch.out" "$work/batch"
expect_status 0 "batch script, $(tail -n 3 "$work/batch.out" 2>/dev/null)"
merge part
expect_ranks "$work/script.tare" proportions '  ;'
expect_ranks "$work/around.tare" proportions ''
ranks_of "$work/around.tare" srun | grep -Eqx '(  ;)+' || fail "srun has ranks: $(ranks_of "$work/around.tare" srun)"
expect_ranks "$work/part.tare" proportions 'Slurm 0 3;Slurm 1 3;Slurm 2 3;'
! "$TARE" report ranks "$work/around.tare" >"$work/report" 2>&1 || fail "ranks are reported: $(cat "$work/report")"

# PMIx says no size, Slurm does.
for kind in pmi2:PMI pmix:PMIx; do
	srun --mpi=list 2>&1 | grep -qx "[[:space:]]*${kind%:*}" || continue
	task --mpi=${kind%:*} -n 2 "$TARE" record -q -o "$work/${kind%:*}.%r.of.%n.tare" -- "$FIXTURES/proportions" 100
	expect_status 0 "--mpi=${kind%:*}"
	merge ${kind%:*}
	expect_ranks "$work/${kind%:*}.tare" proportions "${kind#*:} 0 2;${kind#*:} 1 2;"
done

# A step is told that its time ends: tare gets that as well.
cat >"$work/told" <<'END'
#!/bin/sh
trap 'told=1' USR1
echo ready
until [ "$told" ]; do :; done
echo told
END
chmod +x "$work/told"
timeout 300 srun -n 2 "$TARE" record -q -o "$work/told.%r.of.%n.tare" "$work/told" </dev/null >"$work/told.out" 2>&1 &
for ((i = 0; i < 600; i++)); do
	[ "$(grep -c ready "$work/told.out")" != 2 ] || break
	sleep 0.1
done
timeout 60 scancel -s USR1 "$(timeout 60 squeue -h -o %i).0"
wait $! || fail "a step with a signal: status $?: $(cat "$work/told.out")"
[ "$(grep -c told "$work/told.out")" = 2 ] || fail "the signal does not reach all: $(cat "$work/told.out")"
merge told

# shellcheck disable=SC2016
task -n 2 "$TARE" record -q -o "$work/ended.%r.of.%n.tare" sh -c 'exit $((SLURM_PROCID * 7))'
expect_status 7 "a rank that fails"
merge ended
