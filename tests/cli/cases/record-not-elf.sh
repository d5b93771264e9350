echo data >file
chmod +x file
tare record ./file
