# gdb running a script over a program that it starts: breakpoints, backtraces, values, its Python.
# programs: gdb gcc
# version: gdb --version
# modules: /usr/bin/gdb /usr/lib/x86_64-linux-gnu/lib*
# partial: was killed$

# What gdb starts is left out of the selection: a tracer sees the second execve that leads to a copy, and
# its breakpoints are in the original code.
prepare() {
	cat >debugged.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		struct item { int number; double weight; const char *name; struct item *next; };
		static struct item *list;
		static int deep(int n) { return n ? deep(n - 1) + 1 : abs(-7); }
		int add(int number, const char *name)
		{
			struct item *item = malloc(sizeof(*item));
			*item = (struct item){number, number / 4.0, name, list};
			list = item;
			return number + (int)strlen(name);
		}
		int main(void)
		{
			int sum = add(1, "one") + add(2, "two") + add(3, "three");
			sum += deep(5);
			puts("done");
			return sum & 127;
		}
	END
	gcc -g -O0 debugged.c -o debugged
}

run() {
	gdb -q -nx -batch -x "$CASES/gdb.gdb" "$DATA/debugged" 2>&1
	gdb -q -nx -batch -ex 'info functions mal' -ex 'disassemble /r main' -ex 'info scope add' \
		-ex 'info line add' "$DATA/debugged" 2>&1
	gdb -q -nx -batch -ex 'maint demangler-warning off' -ex 'info types pthread' \
		-ex 'demangle -- _ZNSt6vectorIiSaIiEE9push_backEOi' /usr/bin/gdb 2>&1 | tail -n 5
	gdb -q -nx -batch -ex 'nonsense' 2>&1 || echo "status $?"
}

# Addresses and numbers of processes.
filter() {
	sed -E 's/0x[0-9a-f]{6,}/ADDRESS/g; s/process [0-9]+/process N/g; s/Thread [^ ]+ \(LWP [0-9]+\)/Thread/g'
}
