tare record --method=sample true
