#!/bin/bash
# Where perf is refused, stacks end in assembler code without unwind information. The next recording knows
# what that code does, by all methods; with perf they never end there.
. "$(dirname "$0")/lib.sh"

need gcc python3 sqlite3
cd "$work"
export XDG_CACHE_HOME=$work/cache
cat >program.c <<'END'
long bare(long turns);

__asm__(".text\n"
	".globl bare\n"
	".type bare, @function\n"
	"bare: push %rbp\n push %rbx\n sub $24, %rsp\n"
	"mov %rdi, %rbx\n xor %ebp, %ebp\n"
	"1: imul $69069, %rbp, %rbp\n add $5, %rbp\n dec %rbx\n jnz 1b\n"
	"mov %rbp, %rax\n add $24, %rsp\n pop %rbx\n pop %rbp\n ret\n"
	".size bare, .-bare\n");

__attribute__((noinline)) static long outer(long turns)
{
	return bare(turns) + 1;
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 40; i++)
		sum += outer(20000000);
	return sum == 1;
}
END
gcc -O1 -o program program.c

# recorded FILE [OPTION]…: prints the percentage of stacks that are cut off, and of samples below outer.
recorded() {
	local file=$1
	shift
	"$FIXTURES/refused" 1 "$TARE" record -q -o "$file" "$@" -- ./program || fail "$*: status $?"
	sqlite3 "$file" "SELECT CAST(100 * total(truncated) / total(samples) AS INTEGER) FROM stack_value"
	"$TARE" report --method=sample --format=csv functions "$file" >functions.csv
	python3 - <<'END'
import csv
rows = {row["function"]: float(row["inclusive_percent"]) for row in csv.DictReader(open("functions.csv"))}
print(round(rows.get("outer", 0)))
END
}

sleep 4.5 # a file that was written a moment ago may change
for method in "--method=sample" "--method=instrument,sample"; do
	recorded first.tare "$method" >first
	recorded next.tare "$method" >next
	[ "$(sed -n 1p next)" -le 3 ] && [ "$(sed -n 2p next)" -ge 90 ] ||
		fail "$method: cut off, below outer: $(tr '\n' ' ' <first), then $(tr '\n' ' ' <next)"
	[ "$method" != --method=sample ] || [ "$(sed -n 1p first)" -ge 90 ] ||
		fail "$method: the first was not cut off: $(cat first)"
done

# Nothing is kept without the cache, and what a recording of its own copies needs is not believed to be.
kept=$(find "$XDG_CACHE_HOME" -name 'rules.*' | wc -l)
recorded none.tare --no-cache >none
[ "$(find "$XDG_CACHE_HOME" -name 'rules.*' | wc -l)" = "$kept" ] || fail "--no-cache has kept rules"
