# The last line of what makes a profile names a command: it works as it stands, wherever tare was
# called from, and whatever the profile's name is.
mkdir bin
ln -s "$TARE" bin/there
cp "$PROGRAMS/plain_program" program
check() { # SHELL COMMAND…
	local shell=$1 line
	shift
	line=$("$@" 2>&1 >/dev/null | tail -n 1)
	echo "${line#*; }" | sed "s#$TARE#TARE#"
	env -u LC_ALL PATH=/usr/bin:/bin:"$WORK/here/in-path" "$shell" -c "${line#*see it: }" >shown ||
		echo "does not work"
	grep -q '^command ' shown || echo "shows nothing"
}
for name in plain.tare "it's a name" -dashes 'a$b;c' "*"; do
	check dash "$TARE" record -o "./$name" ./program
	check dash bin/there record -o "$WORK/here/$name" ./program
done
check dash "$TARE" record -o -dashes ./program
check bash "$TARE" record -o $'line\nend\e\'\\' ./program
check bash "$TARE" record -o $'caf\xc3\xa9' ./program
LC_ALL=C.UTF-8 check dash "$TARE" record -o $'caf\xc3\xa9' ./program
"$PERF_DATA" 0 >perf.data
check dash "$TARE" import perf.data -o "an import"
check dash "$TARE" merge plain.tare plain.tare -o "two of them"
# By name: one that the shell finds, one that it does not.
mkdir in-path
ln -s "$TARE" in-path/tare
PATH=$PATH:$WORK/here/in-path check dash env tare record -o by-name.tare ./program
check dash bash -c 'exec -a lost "$0" record -o lost.tare ./program' "$TARE"
