#!/bin/bash
# The rank and host of each process, by what its launcher has put into its environment: of calls and
# of samples, of forked children, and of profiles that were merged.
. "$(dirname "$0")/lib.sh"

unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMIX_RANK PMIX_SIZE PMI_RANK PMI_SIZE
unset MV2_COMM_WORLD_RANK MV2_COMM_WORLD_SIZE SLURM_PROCID SLURM_NTASKS

# Lines "launcher rank ranks" of the processes that are named so, sorted.
ranks_of() {
	"$TARE" report processes "$1" --format=csv --columns=process,host,launcher,rank,ranks | tr -d '\r' |
		awk -F, -v name="$2" -v host="$(uname -n)" 'index($1, name " (") == 1 {
			if ($2 != host)
				print "host " $2
			print $3, $4, $5
		}' | sort
}
expect() {
	local found
	found=$(ranks_of "$1" "$2" | tr '\n' ';')
	[ "$found" = "$3" ] || fail "$2 in $1: \"$found\" instead of \"$3\""
}

# The recorder reads the environment of what it samples while it runs: a second of it.
cat >"$work/job" <<END
#!/bin/sh
for rank in 0 1 2; do
	OMPI_COMM_WORLD_RANK=\$rank OMPI_COMM_WORLD_SIZE=3 SLURM_PROCID=0 "$FIXTURES/proportions" \$1 &
done
PMI_RANK=7 sh -c '"$FIXTURES/proportions" '\$1'; :' &
wait
"$FIXTURES/proportions" \$1
PMI_RANK=5 bash -c 'work() { for ((i = 0; i < \$1 * 20; i++)); do :; done; }; work \$0; (work \$0); :' \$1
END
chmod +x "$work/job"
all='  ;Open MPI 0 3;Open MPI 1 3;Open MPI 2 3;PMI 7 ;'

for method in instrument sample; do
	[ $method = instrument ] || "$TARE" doctor | grep -q '^ok *sampling' || continue
	record_options=(--method=$method)
	rounds=100
	[ $method = instrument ] || rounds=8000
	record "$work/job" $rounds
	expect "$work/profile.tare" proportions "$all"
	expect "$work/profile.tare" bash "PMI 5 ;PMI 5 ;"
	mv "$work/profile.tare" "$work/$method.tare"
done

"$TARE" merge -q "$work/instrument.tare" "$work/instrument.tare" -o "$work/merged.tare"
expect "$work/merged.tare" proportions "$all"

"$TARE" redact "$work/instrument.tare" -o "$work/redacted.tare"
hosts=$("$TARE" report processes "$work/redacted.tare" --format=csv --columns=host,rank | tr -d '\r' | sort -u)
echo "$hosts" | grep -q "^$(uname -n)" && fail "the host is left: $hosts"
echo "$hosts" | grep -q ',2$' || fail "the ranks are not left: $hosts"
