#!/bin/bash
# Functions that neither symbols nor unwind information tell of are those that calls lead to, and whose address is
# taken, each with its own samples and its extent.
. "$(dirname "$0")/lib.sh"
need gcc strip nm readelf

# The one takes about three times as long as the other; by how much, is the processor's affair.
cat >"$work/bare.c" <<'END'
static volatile unsigned long sum;
#define KEPT __attribute__((noinline, noclone))
KEPT static void shorter(long n) { for (long i = 0; i < n; i++) sum += i; __asm__(""); }
KEPT static void longer(long n) { for (long i = 0; i < 3 * n; i++) sum ^= i; __asm__(""); }
KEPT static void both(long n)
{
	shorter(n);
	longer(n);
}
int main(void)
{
	for (int i = 0; i < 100; i++)
		both(1000000);
	return 0;
}
END
cd "$work"
gcc -O1 -w -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-pie -no-pie -o named bare.c
nm named | awk '{ print $3, $1 }' >symbols
strip -o bare named

shown() {
	python3 - "$@" <<'END' || fail "recorded with: $*"
import csv
begins = {name: int(addr, 16) for name, addr in (line.split() for line in open("symbols") if len(line.split()) == 2)}
rows = [row for row in csv.DictReader(open("functions.csv")) if row["module"] == "bare" and row["address"]]
found = {int(row["address"], 16): row for row in rows}
one, other = found[begins["shorter"]], found[begins["longer"]]
samples = [int(row["exclusive_samples"]) for row in (one, other)]
assert samples[1] > samples[0] > 0.05 * sum(samples), samples
assert sum(samples) > 0.9 * sum(int(row["exclusive_samples"]) for row in rows), rows
END
}
record_options=(--method=sample)
record "$work/bare"
report functions
shown "${record_options[@]}"
python3 - "$work" <<'END' || fail "extents"
import sqlite3, sys
database = sqlite3.connect(sys.argv[1] + "/profile.tare")
symbols = sorted(int(line.split()[1], 16) for line in open("symbols") if len(line.split()) == 2)
names = {line.split()[0]: int(line.split()[1], 16) for line in open("symbols") if len(line.split()) == 2}
for name in ("shorter", "longer"):
    size = dict(database.execute("SELECT link_addr, size FROM function"))[names[name]]
    following = next(addr for addr in symbols if addr > names[name])
    assert size == following - names[name], (name, size, following - names[name])
END
# Where calls are counted they stand beside.
record_options=()
record "$work/bare"
"$TARE" report functions "$work/profile.tare" --method=sample --format=csv --no-kernel >functions.csv
shown "default"

# Assembler code has symbols without sizes, of what is exported: what is beside it has a name of its own, as a whole,
# though the address of a place within it is taken, too.
cat >"$work/exported.c" <<'END'
#define SPIN(name, count)                                                                                             \
	".balign 64\n" name ": mov $1, %rdx\n mov $" #count ", %rcx\n xor %eax, %eax\n"                               \
	name "_loop: dec %rcx\n jnz " name "_loop\n ret\n"
__asm__(".text\n.globl first\n" SPIN("first", 100000000) SPIN("second", 400000000));
extern void first(void);
extern void second(void) __attribute__((visibility("hidden")));
void (*volatile next)(void);
int main(void)
{
	first();
	__asm__ volatile("lea second_loop(%%rip), %%rax" ::: "rax");
	next = second;
	next();
	return 0;
}
END
gcc -O1 -w -fpie -pie -rdynamic -o exported.named exported.c
strip -o exported exported.named
record_options=(--method=sample)
record "$work/exported"
report functions
python3 - "$(nm exported.named | awk '$3 == "second" { print $1 }')" <<'END' || fail "what a symbol without a size names"
import csv, sys
rows = [row for row in csv.DictReader(open("functions.csv")) if row["module"] == "exported" and row["address"]]
found = {int(row["address"], 16): row for row in rows}
second = found[int(sys.argv[1], 16)]
first = next(row for row in rows if row["function"] == "first")
samples = [int(row["exclusive_samples"]) for row in (first, second)]
assert 2 < samples[1] / samples[0] < 8 and "first" not in second["function"], (samples, second)
END

# Code in another segment, as in images of Lisp programs: the gap there is not the one behind the last function.
cat >"$work/apart.c" <<'END'
__asm__(".section .kept,\"awx\", @progbits\n.balign 16\n.globl spin\n"
	"spin: mov $400000000, %rcx\n1: dec %rcx\n jnz 1b\n ret\n.text\n");
extern char spin[];
void (*volatile kept)(void) = (void (*)(void))spin;
int main(void)
{
	kept();
	return 0;
}
END
gcc -O1 -w -fno-pie -no-pie -o apart.named apart.c
strip -o apart apart.named
record "$work/apart"
python3 - "$work" "$(nm apart.named | awk '$3 == "spin" { print $1 }')" <<'END' || fail "a gap reaches over segments"
import sqlite3, subprocess, sys
spin = int(sys.argv[2], 16)
rows = [line.split() for line in subprocess.check_output(["readelf", "-lW", "apart"], text=True).splitlines()]
begin = max(addr for addr in (int(row[2], 16) for row in rows if row and row[0] == "LOAD") if addr <= spin)
addr, size = sqlite3.connect(sys.argv[1] + "/profile.tare").execute(
    "SELECT f.link_addr, f.size FROM stack_value v JOIN stack s ON s.id = v.stack JOIN location l ON l.id = s.location "
    "JOIN function f ON f.id = l.function GROUP BY f.id ORDER BY total(v.samples) DESC LIMIT 1").fetchone()
assert begin <= addr <= spin < addr + size, (hex(begin), hex(addr), size, hex(spin))
END
