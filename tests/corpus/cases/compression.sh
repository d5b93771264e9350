# Round trips through gzip, bzip2, xz and zstd at several levels, and damaged input.
# partial: was killed$
# programs: gzip bzip2 xz zstd
# version: zstd --version
# set: quick
# modes: null,poison,counting,dormant

prepare() {
	for ((i = 0; i < 30000; i++)); do
		echo "$((i * 7919 % 100003)) host$((i % 211)) state=$((i % 17)) ratio=$((i * i % 997))"
	done >text
	head -c 800000 /usr/bin/bash >binary
	head -c 100000 /dev/zero >zeros
	: >empty
}

# Compresses and restores each input with a program and its options.
round_trip() {
	local name
	for name in text binary zeros empty; do
		"$@" -c <"$DATA/$name" >"$name.packed"
		md5sum <"$name.packed"
		"$1" -dc <"$name.packed" | cmp - "$DATA/$name"
	done
	head -c 5000 text.packed | "$1" -dc | md5sum
	(head -c 3000 text.packed; echo damage; tail -c +3010 text.packed) | "$1" -tq || echo "status $?"
	rm ./*.packed
}

run() {
	round_trip gzip -1n
	round_trip gzip -9n
	round_trip bzip2 -1
	round_trip xz -0
	round_trip xz -6e -T 2 --block-size=300000
	round_trip xz --format=lzma -3
	round_trip xz --x86 --lzma2=preset=1
	round_trip zstd -q -1
	round_trip zstd -q -3 -T2
	round_trip zstd -q -19 --long
	round_trip zstd -q --fast=5
	zstd -q --train -B1000 "$DATA/text" -o dictionary
	zstd -q -D dictionary "$DATA/text" -o text.zst
	zstd -q -d -D dictionary text.zst -o text
	cmp text "$DATA/text"
	xz -k text
	xz -lv text.xz | grep -c CRC
	rm text text.zst text.xz
}
