# Places in the name of an output: rank and number of ranks, host, process.
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMIX_RANK PMI_RANK SLURM_PROCID SLURM_STEP_ID
OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 tare record -q -o 'run.%r.%n.tare' -- true
SLURM_PROCID=1 SLURM_NTASKS=3 SLURM_STEP_ID=0 tare record -q --repeat=2 -o 'job.%r' -- true
tare record -q -o 'percent%%.tare' -- true
tare record -q -o 'host.%h.%p.tare' -- true
ls | sed "s/^host.$(uname -n)\.[0-9]*\./host.HOST.PID./"
tare record -o 'run.%r.tare' -- echo not run
echo "status $?"
tare record -o 'run.%q.tare' -- echo not run
echo "status $?"
