mkdir empty
tare recover empty
status=$?
tare recover missing
tare recover one two
tare recover -o profile.tare
tare recover --clean missing
chmod 777 empty
tare recover empty
exit $status
