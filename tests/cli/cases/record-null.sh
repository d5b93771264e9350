# Copies without probes: nothing is measured, but children are followed, programs see their own
# paths, and the coverage is that of the copies.
[ -e /proc/self/exe ] || skip "needs /proc"
tare record -q --exact --transform=null -o null.tare -- /bin/bash -c '/bin/readlink /proc/self/exe | cat; exit 3'
echo "status $?"
tare report coverage --format=csv null.tare | cut -d, -f1,5 | grep -E '^(bash|cat|readlink),[1-9]' | sed 's/,.*/ is instrumented/'
tare report functions --format=csv null.tare | wc -l
COLUMNS=1000 tare report summary null.tare | grep -oE '[0-9]+ processes, [0-9]+ threads|losses.*|^INCOMPLETE.*'
tare record -q --exact --transform=null --only-units '*/bash:0-9' -o null.tare -- /bin/bash -c 'cat </dev/null'
tare report coverage --format=csv null.tare | cut -d, -f1,5 | sed 's,^libc.*,libc,'
