tare record --metod=instrument true
