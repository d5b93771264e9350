#!/bin/bash
# A function of a stripped library without a symbol is called by the exported one that only jumps to
# it, the first by name of several: in recordings by all methods, in lists, in disassembly.
. "$E2E/lib.sh"

need gcc nm strip sqlite3 objdump
cd "$work"
cat >library.c <<'END'
#define OWN __attribute__((noinline, noclone)) static
OWN unsigned spin(unsigned turns)
{
	unsigned value = 1;
	for (volatile unsigned i = 0; i < turns; i++)
		value = value * 69069 + 5;
	return value;
}
OWN unsigned twist(unsigned turns)
{
	unsigned value = 2;
	for (volatile unsigned i = 0; i < turns; i++)
		value = value * 1664525 + 3;
	return value;
}
unsigned zeta(unsigned turns) { return spin(turns); }
unsigned alpha(unsigned turns) { return spin(turns); }
unsigned more(unsigned turns) { return twist(turns) + 1; }
END
cat >program.c <<'END'
unsigned zeta(unsigned), alpha(unsigned), more(unsigned);
int main(void)
{
	unsigned sum = 0;
	for (int i = 0; i < 20; i++)
		sum += alpha(1500000) + zeta(1500000) + more(2500000);
	return sum == 1;
}
END
gcc -O2 -fno-ipa-icf -fcf-protection -shared -fPIC -o libforward.so library.c
spin=$(nm libforward.so | awk '$3 == "spin" { print "0x" $1 }')
twist=$(nm libforward.so | awk '$3 == "twist" { print "0x" $1 }')
for name in alpha zeta; do
	objdump -d --disassemble=$name libforward.so | grep -q 'jmp .*<spin>' ||
		skip "this compiler makes no jump of $name"
done
strip libforward.so
gcc -O2 -o program program.c -L. -lforward -Wl,-rpath,"$work"

name_at() {
	sqlite3 profile.tare "SELECT DISTINCT f.name FROM function f JOIN module m ON f.module = m.id
		WHERE m.name = 'libforward.so' AND f.link_addr = $(($1))"
}
for options in --exact "" --method=sample --small-functions=keep --exclude=*; do
	record_options=(${options:+"$options"})
	record "$work/program"
	[ "$(name_at "$spin")" = alpha ] || fail "with '$options' spin is called '$(name_at "$spin")'"
done
record_options=(--exact)
record "$work/program"
[ -z "$(name_at "$twist")" ] || fail "twist, which nothing only jumps to, is called '$(name_at "$twist")'"
report functions --columns=function,calls,address
grep -q "^alpha,40,$(printf 0x%x $((spin)))" functions.csv ||
	fail "the calls of alpha and zeta are not where they led: $(cat functions.csv)"
"$TARE" instrument --list libforward.so >list
grep -q " alpha\$.*\|alpha" list || fail "alpha is not in the list: $(cat list)"

# The list of functions, and what they are chosen by, have the same name.
record_options=(--exact --function=alpha --small-functions=keep)
record "$work/program"
report functions --columns=function,calls,address
grep -q "^alpha,40,$(printf 0x%x $((spin)))" functions.csv ||
	fail "--function=alpha leaves out what alpha jumps to: $(cat functions.csv)"

# Without a symbol and without a jump: the address beside the module, which stands there once.
record_options=(--exact)
record "$work/program"
COLUMNS=200 "$TARE" report functions --no-pager profile.tare >text
address=+$(printf 0x%x $((twist)))
grep -q " $address  *libforward.so\$" text || fail "no $address beside its module: $(cat text)"
"$TARE" report callers "$address" profile.tare --no-pager >text || fail "what text shows names nothing: $address"
"$TARE" report callers "libforward.so$address" profile.tare --no-pager >text ||
	fail "the whole name names nothing: libforward.so$address"
COLUMNS=60 "$TARE" report functions --no-pager --columns=calls,function profile.tare >text
grep -q " libforward.so$address\$" text || fail "without the module's column it is not in the name: $(cat text)"
"$TARE" export --format=folded profile.tare >folded
grep -q "libforward.so$address" folded || fail "a call path does not name the module: $(cat folded)"

# The package that has its name, if it is of one.
mkdir -p dpkg/info
export DPKG_ADMINDIR=$work/dpkg
printf '/.\n%s\n' "$work/libforward.so.1" >dpkg/info/other.list
names() {
	COLUMNS=100 "$TARE" report "$1" --no-pager profile.tare | sed -n 's/^names  *//p'
}
[ -z "$(names summary)$(names coverage)" ] || fail "a package of another file is named: $(names summary)"
printf '/.\n%s\n' "$work/libforward.so" >dpkg/info/libforward1:amd64.list
expected="functions of libforward.so have none: install libforward1-dbgsym and record again"
for view in summary coverage; do
	[ "$(names $view)" = "$expected" ] || fail "$view: '$(names $view)', expected '$expected'"
done
[ -z "$(names functions)" ] || fail "the table of functions names a package: $(names functions)"
gcc -O1 -shared -fPIC -o libforward.so library.c
[ -z "$(names summary)" ] || fail "a package is named for a file that was replaced"
echo "alpha is at $spin, $address has no name"
