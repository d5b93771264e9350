echo data >data
tare instrument data
echo "status $?"
printf '#!/bin/sh\n' >script
tare instrument script
head -c 9000 "$PROGRAMS/plain_program" >cut
tare instrument cut
tare instrument missing
tare instrument .
cp "$PROGRAMS/plain_program" program
tare instrument -q -o copy program && tare instrument copy
tare instrument -o program program
tare instrument -o no/such/place program
tare instrument --function nothing program
ls
