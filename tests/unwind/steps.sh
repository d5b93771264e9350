#!/bin/bash
# Stacks at every third or seventh instruction, beside those that the calls themselves say.
# Usage: steps.sh STEPPED_STACKS VARIANT
set -u
stepped=$1 variant=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build COMPILER ARGUMENTS…
build() {
	command -v "$1" >/dev/null || { echo "SKIP: $1 is not installed"; exit 77; }
	"$@" -o "$work/program" >"$work/messages" 2>&1 || {
		echo "SKIP: this $1 cannot build the program: $(tail -n 1 "$work/messages")"
		exit 77
	}
}

# A long jump is in between two stacks, too.
every=3 allowed=2000
case $variant in
true)
	cp "$(type -P true)" "$work/program"
	allowed=0
	;;
plain) build gcc -O2 -w "$here/turns.c" ;;
no-frame-pointer) build gcc -O2 -fomit-frame-pointer -w "$here/turns.c" ;;
lazy) build gcc -O2 -w -fcf-protection=none -Wl,-z,lazy "$here/turns.c" ;;
cet) build gcc -O2 -w -fcf-protection=full -Wl,-z,ibtplt,-z,lazy "$here/turns.c" ;;
lld) build clang -O2 -w -fuse-ld=lld -Wl,-z,lazy "$here/turns.c" ;;
clang) build clang -O2 -w "$here/turns.c" ;;
O0) build gcc -O0 -w "$here/turns.c" ;;
static) build gcc -O2 -w -static "$here/turns.c" ;;
static-pie) build gcc -O2 -w -static-pie "$here/turns.c" ;;
debug-frame) build gcc -O2 -g -w -static -fno-asynchronous-unwind-tables "$here/turns.c" ;;
# What the code does tells most, not all.
none)
	build gcc -O2 -w -fno-asynchronous-unwind-tables "$here/turns.c"
	allowed=30000
	;;
# While libgcc replaces the registers of the function that throws, its stack is in between two.
exceptions)
	build g++ -O2 -fomit-frame-pointer -w -static-libstdc++ -static-libgcc "$here/thrown.cpp"
	every=7 allowed=4000
	;;
panics)
	build rustc -O "$here/panicked.rs"
	every=7 allowed=4000
	;;
*) exit 2 ;;
esac
exec "$stepped" -e "$every" -a "$allowed" "$work/program"
