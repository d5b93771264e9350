cat >script <<'END'
#!/bin/sh -e
echo "$0 $*: $(cat /proc/$$/comm)"
exit 5
END
chmod +x script
./script a 'b c'
tare record -q ./script a 'b c'
status=$?
ls
exit $status
