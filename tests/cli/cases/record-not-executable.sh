echo data >file
tare record ./file
