tare record
