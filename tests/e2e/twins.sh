#!/bin/bash
# tare diff of functions that have one name: the same of both sides are compared, whichever ran first, and if another
# one is added before them.
. "$E2E/lib.sh"

need cc
cd "$work"

# unit NAME CALLS: a file with a function of its own called work.
unit() {
	cat >"$1.c" <<-C
		__attribute__((noinline)) static int work(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
		int $1(void) { int s = 0; for (int i = 0; i < $2; i++) s += work(i); return s; }
	C
}
unit a 10
unit b 1000
unit c 3
cat >main.c <<'C'
int a(void), b(void);
#ifdef THREE
int c(void);
#else
static int c(void) { return 0; }
#endif
int main(int argc, char **argv)
{
	(void)argv;
	return argc > 1 ? (a(), b(), c(), 0) : (c(), b(), a(), 0);
}
C

same() {
	"$TARE" diff "$@" --fail-if='calls>+0%' --columns=calls --min-percent=0 >said 2>&1 || fail "$* differ: $(cat said)"
	[ "$(grep -c ' work' said)" -ge 2 ] || fail "$*: $(cat said)"
}
for debug in -g -g0; do
	cc -O1 $debug -o two a.c b.c main.c
	"$TARE" record -q --exact -o first.tare -- ./two
	"$TARE" record -q --exact -o second.tare -- ./two x
	same first.tare second.tare
	same --base first.tare second.tare --new second.tare first.tare
done
mkdir three
cc -O1 -g -o two a.c b.c main.c
cc -O1 -g -DTHREE -o three/two c.c a.c b.c main.c
"$TARE" record -q --exact -o first.tare -- ./two
"$TARE" record -q -o second.tare -- three/two
"$TARE" diff first.tare second.tare --format=csv --columns=calls | tr -d '\r' | grep ',work,' >said
[ "$(wc -l <said)" = 3 ] || fail "rows: $(cat said)"
grep -q '^1000,1000,0,.*/b.c' said && grep -q '^10,10,0,.*/a.c' said && grep -q '^,*3,.*new,.*/c.c' said ||
	fail "paired wrongly: $(cat said)"

# A function with two names: each of two programs calls it by another one.
cat >both.c <<'C'
__attribute__((noinline)) int one(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int two(int n) __attribute__((alias("one")));
C
cc -O1 -shared -fPIC -o libboth.so both.c
for name in one two; do
	mkdir "by-$name"
	echo "int $name(int); int main(void) { for (int i = 0; i < 5; i++) $name(i); return 0; }" >"$name.c"
	cc -O1 -o "by-$name/caller" "$name.c" -L. -lboth -Wl,-rpath,"$work"
	"$TARE" record -q --exact --module=caller -o "$name.tare" -- "by-$name/caller"
	"$TARE" report functions "$name.tare" --limit=0 >said
	grep -q " $name  *lib" said || fail "called by another name than $name: $(cat said)"
done
for view in functions calltree; do
	"$TARE" diff one.tare two.tare --view=$view --format=csv --columns=calls --min-percent=0 | tr -d '\r' | grep libboth >said
	grep -q '^5,5,0,' said && ! grep -q vanished said || fail "$view: $(cat said)"
done
