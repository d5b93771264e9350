command -v cc >/dev/null || skip "no C compiler"
cat >script <<'END'
echo 'int old(int x) { for (volatile int i = 0; i < x; i++); return x; } int main(void) { return old(11); }' >p.c
cc -O0 -o p p.c && ./p || echo $?
echo 'int now(int x) { for (volatile int i = 0; i < x; i++); return x; } int main(void) { return now(22); }' >p.c
cc -O0 -o p p.c && ./p || echo $?
END
tare record -q -o out.tare -- bash script
tare report functions --no-pager --format=csv --columns=module,function out.tare | grep '^p,' | sort
