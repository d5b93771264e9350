#!/bin/bash
# Calls through the PLT go to copies at once, bound when they are made first or at the begin; addresses of
# functions are the originals' wherever the program takes them; dlclose and dlopen of a file bind anew.
. "$(dirname "$0")/lib.sh"
need cc

cat >"$work/library.c" <<'C'
int called(int x) { return x * 3 + 1; }
int calls(int x) { return called(x) + 1; } /* exported functions are called through the PLT */
int (*taken(void))(int) { return called; }
C
cat >"$work/program.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

int called(int x);
int calls(int x);
int (*taken(void))(int);

/* The word of the PLT for `called`. */
static ElfW(Addr) slot(void)
{
	const ElfW(Rela) *relocations = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *names = NULL;
	size_t size = 0;

	for (const ElfW(Dyn) *at = _DYNAMIC; at->d_tag; at++)
		if (at->d_tag == DT_JMPREL)
			relocations = (const void *)at->d_un.d_ptr;
		else if (at->d_tag == DT_PLTRELSZ)
			size = at->d_un.d_val;
		else if (at->d_tag == DT_SYMTAB)
			symbols = (const void *)at->d_un.d_ptr;
		else if (at->d_tag == DT_STRTAB)
			names = (const void *)at->d_un.d_ptr;
	for (size_t i = 0; i < size / sizeof(*relocations); i++)
		if (!strcmp(names + symbols[ELF64_R_SYM(relocations[i].r_info)].st_name, "called"))
			return *(ElfW(Addr) *)relocations[i].r_offset;
	return 0;
}

int main(int count, char **arguments)
{
	int (*volatile own)(int) = taken();
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += called(i) + calls(i);
	for (int i = 0; i < 2; i++) {
		void *again = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
		int (*other)(int) = (int (*)(int))dlsym(again, "calls");
		sum += other(i) + other(7);
		dlclose(again);
	}
	printf("%d %d %d\n", sum, own(1), dlsym(RTLD_DEFAULT, "called") == (void *)own);
	if (count > 2)
		fprintf(stderr, "at once: %d\n", slot() != (ElfW(Addr))own);
	return 0;
}
C
cc -shared -fPIC -O1 -fno-ipa-ra -fno-inline -o "$work/library.so" "$work/library.c"
cp "$work/library.so" "$work/again.so"
printf '%s\n' "called 2005" "calls 1004" "taken 1" >"$work/truth"
for bound in lazy now; do
	cc -O1 -no-pie -Wl,-z,$bound -o "$work/program" "$work/program.c" "$work/library.so" -ldl
	for times in --exact --adaptive; do
		record_options=("$times" --small-functions=count)
		same "$work/program" "$work/again.so"
		report functions
		compare counts "$work/truth" "$work/functions.csv"
	done
	where=$("$TARE" record -q -o "$work/profile.tare" -- "$work/program" "$work/again.so" told 2>&1 >/dev/null)
	[ "$where" = 'at once: 1' ] || fail "-z $bound: calls go by the original's entry: $where"
	where=$("$work/program" "$work/again.so" told 2>&1 >/dev/null)
	[ "$where" = 'at once: 0' ] || fail "-z $bound: the test reads another word: $where"
done
exit 0
