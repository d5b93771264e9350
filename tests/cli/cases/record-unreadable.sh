need_root
cp "$PROGRAMS/plain_program" file
chmod 711 file
chown nobody "$WORK/here"
setpriv --reuid=nobody --regid=nogroup --clear-groups test -x "$TARE" ||
	skip "the build directory cannot be reached by another user"
setpriv --reuid=nobody --regid=nogroup --clear-groups "$TARE" record ./file
