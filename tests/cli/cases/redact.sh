# A redacted profile has the same numbers, and nothing that tells of user, host, folders and arguments.
umask 022
mkdir -p secretfolder/one secretfolder/two
cp "$PROGRAMS/plain_program" secretfolder/one/program
cat >secretfolder/run <<'END'
#!/bin/sh
SECRET_TOKEN=token12345 exec "$(dirname "$0")/one/program" hunter2 --password=swordfish
END
chmod +x secretfolder/run
tare record -q --exact --trace -o run.tare -- secretfolder/run hunter2 API_KEY=abcdef >out
tare redact run.tare -o shared.tare 2>&1 | sed 's/;.*//'
stat -c '%a %n' *.tare
told() { # FILE: what it tells of all that was to stay secret
	local word
	for word in secretfolder hunter2 swordfish token12345 abcdef "$WORK"; do
		! grep -aqF -- "$word" "$1" || echo "$1 tells $word"
	done
}
told run.tare
told shared.tare
for view in summary functions calltree modules threads processes os coverage; do
	tare report $view --format=json -o shared.json shared.tare
	told shared.json
done
tare export --format=html -o page.html shared.tare
for columns in functions,calls,elapsed_exclusive calltree,calls,elapsed_inclusive; do
	for profile in run shared; do
		tare report "${columns%%,*}" --format=csv --columns="${columns#*,},function" $profile.tare >$profile.csv
	done
	cmp run.csv shared.csv
done
tare report coverage --format=csv --columns=module,module_path shared.tare | sed 's/.*program.*/program/; t; d'
tare diff run.tare shared.tare --fail-if='calls>+0%' -o /dev/null
echo "status $?"
tare report --format=json shared.tare | grep -E '"(command_line|directory|host)"'
tare redact shared.tare -q -o again.tare
for profile in shared again; do tare export --format=json $profile.tare | grep -v '"profile"' >$profile.json; done
cmp shared.json again.json
for words in '' 'run.tare' 'run.tare -o run.tare' 'run.tare other.tare -o x' 'out -o x.tare' 'run.tare -o secretfolder' \
	'run.tare -o missing/x.tare'; do
	tare redact $words
	echo "status $?"
done
ls
