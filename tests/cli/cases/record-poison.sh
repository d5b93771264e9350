# Copies whose probes scramble what they may: the program is the same, children are followed, and
# nothing is measured. The copy by itself needs no recording.
[ -e /proc/self/exe ] || skip "needs /proc"
tare record -q --exact --transform=poison --module '*' -o poison.tare -- /bin/bash -c '/bin/readlink /proc/self/exe | cat; exit 3'
echo "status $?"
tare report coverage --format=csv poison.tare | cut -d, -f1,5 | grep -E '^(bash|cat|libc.*|readlink),[1-9]' | sed 's/,.*/ is instrumented/'
tare report functions --format=csv poison.tare | wc -l
COLUMNS=1000 tare report summary poison.tare | grep -oE '[0-9]+ processes, [0-9]+ threads|losses.*|^INCOMPLETE.*'
tare instrument -q --poison -o poisoned /bin/bash
./poisoned -c 'for i in a b; do echo $i$i; done; exit 4'
echo "status $?"
tare instrument -q --null --poison /bin/bash
