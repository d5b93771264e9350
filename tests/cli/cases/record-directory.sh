tare record "$WORK/here"
