for event in cpu-clok faults:0 cs:u off-cpu:5 no-pmu/event=1/ software/even=1/ cpu-clock,, rxyz; do
	tare record --method=sample --event="$event" -o profile.tare -- true && echo "$event passed"
done
tare record --event=list | grep -cE '^. (cpu-clock|off-cpu|cycles) '
ls
