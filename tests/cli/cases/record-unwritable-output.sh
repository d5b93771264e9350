tare record -o /proc/no.tare -- touch must-not-exist
status=$?
tare record -o no/such/directory.tare -- touch must-not-exist
tare record -o . -- touch must-not-exist
ls
exit $status
