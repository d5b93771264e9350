# gcc and g++ with cc1, cc1plus, as, collect2 and ld: real files to the same objects and programs.
# programs: gcc g++ ld
# version: gcc --version
# set: quick

prepare() {
	cp -r "$CASES/../../../src" "$CASES/../../../abi" .
}

run() {
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -I"$DATA" -I"$DATA/src" -c "$DATA/src/base/map.c"
	gcc -D_GNU_SOURCE -O1 -S -fverbose-asm -I"$DATA" -I"$DATA/src" "$DATA/src/base/error.c"
	gcc -E -dM - </dev/null | sort | md5sum
	printf '%s\n' '#include <map>' '#include <string>' 'int main(int argc, char **) try {' \
		'std::map<std::string, int> m{{"a", 1}}; if (argc) throw m["a"]; } catch (int n) { return n + 41; }' |
		g++ -std=c++17 -O0 -Wl,--build-id=sha1 -x c++ - -o program
	./program || echo "status $?"
	echo 'int main(void) { return undefined_here + "x"; }' | gcc -x c - -o none 2>&1 || echo "status $?"
	echo 'int missing(void); int main(void) { return missing(); }' >missing.c
	gcc -fPIE missing.c -o none 2>&1 || echo "status $?"
	ar rcs library.a map.o
	ranlib library.a
	nm --defined-only library.a
	objdump -d map.o | md5sum
	readelf -aW program | md5sum
	strip program
	ld -r map.o -o both.o
}

filter() {
	sed -E 's,/tmp/[^ :]*/(tmp|run)/cc[A-Za-z0-9]+,TEMPORARY,'
}
