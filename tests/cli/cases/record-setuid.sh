need_root
cp "$PROGRAMS/plain_program" file
chown nobody file
chmod 4755 file
tare record --exact ./file
