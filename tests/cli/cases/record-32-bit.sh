cp "$PROGRAMS/plain_program" file
printf '\001' | dd of=file bs=1 seek=4 conv=notrunc status=none
tare record --exact ./file
