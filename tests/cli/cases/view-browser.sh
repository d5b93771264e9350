# The page goes to the browser as a file of this user alone; -o opens none; without a browser the
# error says where the page is.
"$PROGRAMS/../golden/make_profile" .
mkdir tmp
cat >browser <<'END'
#!/bin/sh
printf '%s\n' "$@" >"$WORK/here/opened.part"
mv "$WORK/here/opened.part" "$WORK/here/opened"
END
chmod +x browser
BROWSER="$PWD/browser --new" TMPDIR=$PWD/tmp tare view work.tare 2>said
echo "status $?"
for _ in $(seq 100); do
	[ -e opened ] && break
	sleep 0.1
done
sed 's/tare-......\.html/tare-NAME.html/' opened said
stat -c %a tmp/*.html
grep -c '</html>' tmp/*.html
rm opened
BROWSER=$PWD/browser tare view -o page.html --compare=cut.tare work.tare
echo "status $?"
cat opened 2>/dev/null
grep -o '<script type="application/octet-stream" id="[a-z-]*"' page.html
BROWSER=$PWD/none TMPDIR=$PWD/tmp tare view work.tare 2>&1 | sed 's/tare-......\.html/tare-NAME.html/'
tare view -o /nonexistent/page.html work.tare
echo "status $?"
tare export --format=html hostile.tare | grep -c 'alert(1)'
echo "grep $?"
