ln -s "$PROGRAMS/plain_program" other-name
tare record -q ./other-name
bash -c 'exec -a zero "$TARE" record -q -o b.tare ./other-name'
