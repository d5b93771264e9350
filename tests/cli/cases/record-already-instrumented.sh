tare instrument -q -o copy "$PROGRAMS/plain_program" && tare record --exact ./copy
