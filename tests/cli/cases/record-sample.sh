tare record --method=sample true
tare record --method=sampel true
