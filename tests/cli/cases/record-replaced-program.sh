command -v cc >/dev/null || skip "no C compiler"
command -v sqlite3 >/dev/null || skip "no sqlite3"
cat >script <<'END'
echo 'int old(int x) { for (volatile int i = 0; i < x; i++); return x; } int main(void) { return old(11); }' >p.c
cc -O0 -o p p.c && ./p || echo $?
echo 'int now(int x) { for (volatile int i = 0; i < x; i++); return x; } int main(void) { return now(22); }' >p.c
cc -O0 -o p p.c && ./p || echo $?
END
tare record --exact -q -o out.tare -- bash script
sqlite3 out.tare "select m.name, f.name from function f join module m on m.id = f.module where m.name = 'p' order by m.id, f.name"
