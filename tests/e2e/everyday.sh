#!/bin/bash
# Everyday commands, one after the other: same output, status and files with and without tare.
# With "timers": sampled by timers in the processes.
. "$(dirname "$0")/lib.sh"
[ "${1-}" != timers ] || by_timers

text=$work/text
for ((i = 0; i < 400; i++)); do
	echo "line $i of the text, with $((i * 7919 % 1009)) and the rest"
done >"$text"
mkdir -p "$work/tree/a/b"
cp "$text" "$work/tree/a/b/one"
cp "$text" "$work/tree/two"
ln -s two "$work/tree/link"
input=$text

same cat
same wc
same tr a-z A-Z
same od -c
same md5sum
same sha512sum
same sort -k5n -k2
same sort -R --random-source="$text"
same grep -c -E 'the|of'
same grep -n nothing-like-this
same sed -E 's/(th)(e)/\2\1/g; /^$/d; 5q'
same awk '{ n += NF; c[$5]++ } END { print n, length(c) }'
same gzip -nc
same tar -cf tree.tar --mtime=@0 -C "$work" tree
same cp -a "$work/tree" copy
same find "$work/tree" -name '*o*' -newer /proc/version
same ls -R "$work/tree"
same diff "$text" "$work/tree/two"
same xargs -n 50 echo
same env -i A=b env
same date -d @0 -u
same nice -n 5 sh -c 'echo hi; nice'
same timeout 0.2 sleep 5
same sh -c 'ls /nonexistent; exit 7'
same sh -c 'kill -TERM $$'
same bash -c 'for i in 1 2 3; do (echo sub $i; exit $i); echo $?; done
	x=$(ls / | wc -l); echo $x; cat <(echo process) | tr a-z A-Z
	trap "echo got it" USR1; kill -USR1 $$; ulimit -n; (sleep 0.1; echo later) & wait'
same perl -e 'my %h; $h{$_ % 97} .= $_ for 1 .. 20000;
	print join(",", map { length $h{$_} } sort keys %h), "\n";
	unless (fork) { exit 3 } wait; print $? >> 8, "\n", `echo sub`;
	$SIG{ALRM} = sub { die "late\n" }; alarm 1; eval { 1 while 1 }; print $@'
same python3 -c 'import hashlib, json, re, threading, zlib
text = json.dumps({str(i): [i] * 3 for i in range(2000)})
print(hashlib.sha256(zlib.compress(text.encode())).hexdigest(), len(re.findall(r"\d+", text)))
results = [0] * 4
def work(k): results[k] = sum(i * k for i in range(20000))
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(results)
try: 1 / 0
except ZeroDivisionError as error: print(error)'
input=$E2E/../fixtures/counted_library.c
same gcc -O2 -I "$E2E/../fixtures" -x c - -c -o out.o
