tare doctor | sed -n 's/  *.*//p' | sort -u | grep -v -e '^ok$' -e '^limited$'
tare doctor | grep -c runtime
tare doctor now
