head -c 9000 "$PROGRAMS/plain_program" >file
chmod +x file
tare record ./file
