# Options of sampling that contradict each other, the method or the command; processes that are none.
tried() {
	tare record "$@"
	echo "$?"
}
tried --method=samples -- true
tried --exact -F 99 -- true
tried --exact --event=page-faults -- true
tried --method=sample --event=page-fault -- true
tried --method=sample -F 0 -- true
tried --method=sample -F 100001 -- true
tried --method=sample --trace -- true
tried --method=sample --function=main -- true
tried --method=sample --paused -- true
tried --method=sample --lines -- true
tried --lines --transform=null -- true
tried --method=sample -d 1 -- true
tried --method=sample --unwind=guess -- true
tried --method=sample
tried --method=sample -e page-faults -e page-faults:100 -- true
tried -p 1 -- true
tried -p 1 -a
tried -p 1 --method=instrument
tried -p 1 --method=instrument,sample
tried -p 1 --module=libc
tried -p 1 --wait
tried -p 1 --exec
tried -p 1,two
tried -p 0
tried -p -1
tried -p 2147483647
tried -p 2147483648
[ "$(cat /proc/2/comm 2>/dev/null)" != kthreadd ] || tried -p 2 2>/dev/null
ls
