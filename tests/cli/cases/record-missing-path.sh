tare record ./no-such-command
