# Every program of coreutils, most of them several times; fails if one is not called here.
# partial: was killed$
# programs: ls
# version: ls --version
# set: quick

prepare() {
	for ((i = 0; i < 300; i++)); do
		echo "line $i of $((i * 7919 % 1009)), key$((i * 31 % 17)) 	tab ünï"
	done >text
	head -c 70000 /usr/bin/bash >binary
	seq 1 3 400 >left
	seq 1 5 400 >right
	mkdir -p tree/a/b/c tree/d
	cp text tree/a/b/one
	cp binary tree/two
	ln -s two tree/link
	ln tree/two tree/a/hard
	find . -exec touch -h -d '2020-02-29 12:00' {} +
}

# Prints a command, what it writes, and its status.
try() {
	local status=0
	echo "\$ $*" | cut -c 1-200
	"$@" || status=$?
	echo "= $status"
}

try_text() {
	try arch
	try uname -s
	try basename /a/b.c .c
	try basename -a /x/y /z
	try dirname /a/b/c d
	try cat -A "$DATA/text"
	try cat -n "$DATA/text" /nonexistent
	try tac "$DATA/text"
	try nl -ba "$DATA/text"
	try od -A x -t x1z "$DATA/binary" | tail -n 50
	try od -t fDdL -N 256 "$DATA/binary"
	try base32 "$DATA/text"
	try base64 -w 40 "$DATA/binary"
	try base64 -d <(base64 "$DATA/text")
	try basenc --z85 <(head -c 400 "$DATA/binary")
	try basenc --base2msbf <(head -c 40 "$DATA/binary")
	try fmt -w 50 "$DATA/text"
	try pr -3 -l 40 -h header "$DATA/text"
	try fold -s -w 20 "$DATA/text"
	try head -n -290 "$DATA/text"
	try head -c 100 "$DATA/text"
	try tail -n 5 "$DATA/text"
	try tail -c +13000 "$DATA/text"
	try split -l 40 --additional-suffix=.part "$DATA/text" split-
	try split -n r/3 "$DATA/text" round-
	try split -b 9000 --filter='md5sum' "$DATA/binary"
	try csplit -s "$DATA/text" '/key3/' '{5}'
	try wc "$DATA/text" "$DATA/binary"
	try wc -mL "$DATA/text"
	try sum -s "$DATA/text"
	try sum -r "$DATA/text"
	try sort "$DATA/text"
	try sort -k4,4V -k2n -r -u "$DATA/text"
	try sort -R --random-source="$DATA/binary" "$DATA/text"
	try sort --parallel=4 -S 1M -c "$DATA/text"
	try sort -m "$DATA/left" "$DATA/right"
	try sort -g -t, -k2 <(printf '%s\n' a,1e3 b,0x10 c,nan d,-7 e,inf)
	try shuf --random-source="$DATA/binary" -n 20 "$DATA/text"
	try shuf --random-source="$DATA/binary" -i 1-50 -r -n 5
	try uniq -c -f 3 -w 4 "$DATA/text"
	try uniq -D <(printf 'a\na\nb\nc\nc\n')
	try comm <(sort "$DATA/left") <(sort "$DATA/right")
	try join -a 1 -e none -o 0,1.1,2.1 <(sort "$DATA/left") <(sort "$DATA/right")
	try tsort <(printf 'a b\nb c\nd c\nc e\n')
	try tsort <(printf 'a b\nb a\n')
	try ptx -w 60 <(head -n 20 "$DATA/text")
	try cut -d ' ' -f 2,4- "$DATA/text"
	try cut -c 3-7 --complement "$DATA/text"
	try paste -d ,: "$DATA/left" "$DATA/right" "$DATA/left"
	try paste -s "$DATA/left"
	try expand -t 4 "$DATA/text"
	try unexpand -a "$DATA/text"
	try tr -s 'a-z' 'A-Z' <"$DATA/text"
	try tr -dc '[:digit:]\n' <"$DATA/text"
	try numfmt --to=iec --field=2 --invalid=ignore <"$DATA/text"
	try numfmt --from=si 1.5G 20K
	try printf '%s|%5.2f|%x|%b|%q\n' text 3.14159 255 'a\tb' "it's"
	try env printf '%-10s|%+d|%e|%q\n' text 42 12345.678 'a b$'
	try env printf '%d\n' 0x1f notanumber
	try /usr/bin/echo -e 'a\x41\n' b
	try seq -w -s , 0.5 0.25 3
	try seq -f '%.3g' 10 -2 0
	try factor 1234567890 18446744073709551557 340282366920938463463374607431768211455
	try expr 17 \* 3 + 4
	try expr match abcdef 'a\(.*\)e'
	try expr 99999999999999999999 + 1
	try expr 1 / 0
	for sum in md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum md5sum.textutils; do
		try "$sum" "$DATA/text" "$DATA/binary"
		"$sum" "$DATA/text" >"$sum.check"
		[ "$sum" = cksum ] || try "$sum" -c "$sum.check"
	done
	try cksum -a sha3 "$DATA/text"
	try cksum -a sm3 --untagged "$DATA/text"
}

try_files() {
	try mkdir -p -m 750 made/deep/er
	try mkdir made
	try cp -a "$DATA/tree" copy
	# In the order of the directory, which is that of inodes in some file systems.
	try cp -r --reflink=auto -v copy copy2 | sort
	try cp -n "$DATA/text" copy/two
	try cp --sparse=always -b "$DATA/binary" copy/two
	try cp "$DATA/text" /nonexistent/x
	try mv -v copy2 moved
	try mv -b "copy/two" moved/two
	try ln -s ../copy made/link
	try ln copy/a/b/one hardlink
	try ln -sfr copy/a relative
	try link hardlink hardlink2
	try unlink hardlink2
	try readlink -f made/link/a
	try readlink -m relative/none
	try realpath --relative-to=made copy/a
	try install -D -m 640 "$DATA/text" installed/here/file
	try install -s -m 755 /usr/bin/true stripped
	rm -f stripped
	try touch -d '2021-01-01 UTC' touched
	try touch -r touched -c none
	try stat -c '%n %s %F %a %Y %h' touched copy/two
	try stat -f -c %T /proc
	try ls -lR --time-style=+%Y --block-size=1 -g -G "$DATA/tree"
	try ls -1sSrp --color=always copy
	try ls -Z touched
	try dir -C -w 60 "$DATA/tree/a"
	try vdir --full-time -Q -g -G "$DATA/tree/d"
	try dircolors -b
	try du -ab --apparent-size copy
	try df --output=fstype /proc
	try chmod -v u=rw,go-rwx touched
	try chmod -R a+X copy
	try chown "$(id -u)" touched
	try chgrp -v "$(id -g)" touched
	try chcon -t none touched
	try runcon
	try mkfifo -m 600 fifo
	(cat <fifo >from-fifo) &
	try tee fifo tee-copy <"$DATA/left"
	wait
	try mknod node p
	try test -p node
	try '[' -f node ']'
	try test 3 -gt 2 -a -n x
	name=$(mktemp -p . some.XXXXXX)
	try test -f "$name"
	try rm -v fifo node
	rm "$name"
	try rm -r moved
	try rm nothing
	try rmdir -p made/deep/er
	try truncate -s 12K touched
	try shred -n 1 -s 4096 --random-source="$DATA/binary" touched
	try dd if="$DATA/binary" of=dd-out bs=1000 skip=3 count=20 conv=swab status=none
	try dd if="$DATA/text" conv=ucase,unblock cbs=60 status=none
	try sync dd-out
	try pathchk -p 'a b' "$(head -c 300 /dev/zero | tr '\0' x)"
}

try_system() {
	try date -u -d '2024-02-29 +1 year' '+%F %a %j %V'
	try date -d @1700000000 --rfc-3339=ns
	try date -d 'not a date'
	try env -i A=1 B=2 env
	try env -u HOME -C / pwd
	try printenv TZ
	try pwd -P | sed 's,[^/]*$,,'
	try /usr/bin/pwd -L | sed 's,[^/]*$,,'
	try groups
	try id -un
	try id -G
	try whoami
	try logname
	try hostid
	try nproc --ignore=1
	try nice -n 3 nice
	try nohup echo detached
	try pinky -l root
	try who /dev/null
	try users /dev/null
	try tty
	try stty size
	try stdbuf -oL cut -c 1 "$DATA/left"
	try timeout 0.2 sleep 9
	try timeout --preserve-status -s INT 0.1 sleep 9
	try timeout -k 0.1 5 false
	try sleep 0.01
	try true
	try /usr/bin/true --version
	try /usr/bin/false
	try yes abc | head -n 3000 | md5sum
	try chroot / /usr/bin/echo in the same root
}

run() {
	local program
	try_text 2>&1
	try_files 2>&1
	try_system 2>&1
	try ls --no-such-option
	for program in $(dpkg -L coreutils | sed -n 's,^.*/s\?bin/,,p'); do
		grep -qw -F -- "$program" "$CASES/coreutils.sh" || echo "not called: $program" >&2
	done
}

# Numbers of file descriptors behind <(…), the names that mktemp made up, free memory.
filter() {
	sed -E 's,/dev/fd/[0-9]+,/dev/fd/N,; s,some\.[A-Za-z0-9]{6},some.NAME,'
}
