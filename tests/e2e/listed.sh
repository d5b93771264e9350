#!/bin/bash
# Coverage lists the functions of a program and of its libraries as long as they are 10,000 in all; of libraries
# beyond, their number, and each function that was refused.
. "$(dirname "$0")/lib.sh"
need cc awk

functions=6000
functions_of() # LIBRARY
{
	awk -v name="$1" -v functions=$functions 'BEGIN {
		for (i = 0; i < functions; i++)
			printf "int %s_%d(int x) { return x * %d; }\n", name, i, i }' >"$work/$1.c"
}
functions_of first
functions_of second
# It has an instruction that there is none of.
cat >"$work/refused.c" <<'C'
__asm__(".globl second_refused\n.type second_refused, @function\n"
	"second_refused: mov %edi, %eax\nadd $7, %eax\n.byte 6\nret\n.size second_refused, . - second_refused\n");
C
cc -shared -fPIC -o "$work/libfirst.so" "$work/first.c"
cc -shared -fPIC -o "$work/libsecond.so" "$work/second.c" "$work/refused.c"
printf 'int first_1(int x), second_1(int x); int main(void) { return first_1(1) - second_1(1); }' |
	cc -o "$work/program" -x c - -L"$work" -lfirst -lsecond -Wl,-rpath,"$work"

"$TARE" record -q -o "$work/profile.tare" -- "$work/program"
"$TARE" report coverage -v "$work/profile.tare" --limit=0 --format=csv >"$work/coverage.csv"
"$TARE" report coverage "$work/profile.tare" --limit=0 --format=csv --columns=module,found,refused >"$work/modules.csv"

rows_of() # the functions that are listed of a module
{
	grep -c "^$1,$2_[0-9]*," "$work/coverage.csv" || true
}
grep -q '^program,main,' "$work/coverage.csv" || fail "the program's own function is not listed"
[ "$(rows_of libfirst.so first)" -eq $functions ] || fail "$(rows_of libfirst.so first) functions of the first library"
[ "$(rows_of libsecond.so second)" -eq 0 ] || fail "$(rows_of libsecond.so second) functions of the second library"
for library in first second; do
	found=$(sed -n "s/^lib$library.so,\([0-9]*\),.*/\1/p" "$work/modules.csv")
	[ "$found" -ge $functions ] || fail "$found functions found in the $library library"
done
refused=$(sed -n 's/^libsecond.so,[0-9]*,\([0-9]*\).*/\1/p' "$work/modules.csv")
listed=$(grep -c '^libsecond.so,[^,]' "$work/coverage.csv" || true)
[ "$refused" -ge 1 ] || fail "no function was refused: $(grep libsecond "$work/modules.csv")"
[ "$refused" -eq "$listed" ] || fail "of $refused refused functions $listed are listed"
[ "$(stat -c %s "$work/profile.tare")" -lt 1000000 ] || fail "the profile has $(stat -c %s "$work/profile.tare") bytes"
