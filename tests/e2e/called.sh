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

# So are programs that a recorded one starts, and they see it themselves, as ps and pgrep do.
ln -s /bin/cat "$work/shows"
printf '#!/bin/sh\ncat /proc/$$/comm\n' >"$work/shown"
cp "$work/shown" "$work/shown-by-another-one"
chmod +x "$work/shown" "$work/shown-by-another-one"
mkdir "$work/other"
printf '#!/bin/bash\ncat /proc/$$/comm\n' >"$work/other/shown"
chmod +x "$work/other/shown"
cat >"$work/children" <<END
$work/shows /proc/self/comm
cd $work && ./shows /proc/self/comm
PATH=$work:\$PATH shows /proc/self/comm
cat /proc/self/comm
$work/shown
$work/shown-by-another-one
$work/other/shown
LD_BIND_NOW=1 $work/shows /proc/self/comm
exec $work/shown
END
for options in --exact '' --method=sample --method=instrument; do
	record_options=($options)
	same sh "$work/children"
done
[ "$(grep -c '^show' "$work/recorded.stdout")" = 8 ] || fail "the children show: $(cat "$work/recorded.stdout")"
