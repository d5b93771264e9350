mkdir empty
tare recover empty
status=$?
tare recover missing
tare recover
chmod 777 empty
tare recover empty
exit $status
