need_root
mkdir small
mount -t tmpfs -o size=1m tmpfs small 2>/dev/null || skip "no tmpfs can be mounted"
head -c 1030000 /dev/zero >small/filler
tare record -o small/out.tare "$PROGRAMS/plain_program" 2>err
status=$?
sed 's/small[^ ]*tare:/small:/' err >&2
ls small
rm small/filler
tare recover -q "$(sed -n 's/.*tare recover //p' err)"
echo "recovered $?"
ls small
umount small
exit $status
