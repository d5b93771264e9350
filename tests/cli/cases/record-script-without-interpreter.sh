printf '#!/no/such/interpreter\n' >script
chmod +x script
tare record ./script
