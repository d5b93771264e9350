tare record -o killed.tare -- sh -c 'kill -9 $$'
