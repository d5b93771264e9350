# -p NAME: one sentence where none or several are called so; a name works where one is.
name=named-$$
cp "$(command -v sleep)" "$name"
tried() {
	tare "$@" 2>&1 | sed "s/$name/NAME/g; s/-p [0-9,]*\$/-p PIDS/"
	echo "status ${PIPESTATUS[0]}"
}
tried record -p "$name" -d 0.1
tried top -p "$name"
"./$name" 60 &
one=$!
"./$name" 60 &
other=$!
# They are called so once they are executed.
for pid in $one $other; do
	until [ "$(cat "/proc/$pid/comm")" = "$name" ]; do sleep 0.01; done
done
tried record -p "$name" -d 0.1
tried record -p "1,$name" -d 0.1
tried top "$name"
tare top "$name" 2>&1 | sed "s/.*-p //" | tr , '\n' | sort | cmp - <(printf '%s\n' $one $other | sort) && echo "both are named"
tried top 1 "$name"
tried top 1 -p 2
tried top ''
kill $one $other
