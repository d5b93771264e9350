# Runs are numbered in their order, each reads a file from where it stood, and the first failure is told.
printf 'first\nsecond\n' >input
{
	read -r
	tare record -q --repeat=2 -o run.tare -- sh -c 'read -r line; echo "$line"'
} <input
echo "status $?"
cat >count <<'END'
#!/bin/sh
echo run >>runs
exit $(wc -l <runs)
END
chmod +x count
tare record -q --repeat=10 -- ./count
echo "status $?, $(wc -l <runs) runs"
tare record -q --repeat=3 -o stopped -- sh -c 'echo begins; kill -TERM $$'
echo "status $?"
echo once | tare record --repeat=2 -o piped -- cat 2>&1 | sed 's/;.*//'
ls
for options in '--repeat=0' '--repeat=2 --exec' '--repeat=2 -p 1'; do
	tare record $options -o none -- true
	echo "status $?"
done
tare record --repeat=2 -p 1
echo "status $?"
# Each run's command meets what the first one does: signals, limits, descriptors.
tare record -q --repeat=3 -o same -- sh -c 'grep "Sig[BIC]" /proc/$$/status; ulimit -a; ls /proc/$$/fd' >all
third=$(($(wc -l <all) / 3))
[ "$(head -n $third all)" = "$(tail -n $third all)" ] && [ $third -gt 6 ] || cat all
