#!/bin/bash
# A process is called what it was executed as: a symbolic link, a script, a name longer than the kernel keeps.
. "$(dirname "$0")/lib.sh"

ln -s "$FIXTURES/titled" "$work/serves"
ln -s "$FIXTURES/titled" "$work/a-name-that-is-longer-than-the-kernel-keeps"
printf '#!/bin/sh\n%s ends\n' "$FIXTURES/titled" >"$work/script"
chmod +x "$work/script"

# called PATTERN COMMAND…: a process's name in the profile.
called() {
	local pattern=$1
	shift
	"$TARE" record -q "${method[@]}" -o "$work/profile.tare" -- "$@" >/dev/null || fail "tare record: $?"
	report processes
	grep -qE "^\"?$pattern \(" "$work/processes.csv" || fail "${method[*]} $*: $(cut -c1-80 "$work/processes.csv")"
}

for way in --exact '' --method=sample; do
	method=($way)
	called serves "$work/serves" ends
	called script "$work/script"
	# Fifteen bytes are what a link leaves; of a file, its name is known.
	called a-name-that-is- "$work/a-name-that-is-longer-than-the-kernel-keeps" ends
	cp "$FIXTURES/titled" "$work/a-file-that-is-longer-than-the-kernel-keeps"
	called a-file-that-is-longer-than-the-kernel-keeps "$work/a-file-that-is-longer-than-the-kernel-keeps" ends
done
