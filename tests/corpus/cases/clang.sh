# clang and clang++ with libLLVM and libclang-cpp: the same objects, diagnostics and programs.
# programs: clang clang++
# version: clang --version

prepare() {
	cp -r "$CASES/../../../src" "$CASES/../../../abi" .
}

run() {
	clang -std=gnu11 -D_GNU_SOURCE -O2 -g -I"$DATA" -I"$DATA/src" -c "$DATA/src/base/map.c"
	clang -D_GNU_SOURCE -O1 -mavx2 -S -emit-llvm -I"$DATA" -I"$DATA/src" "$DATA/src/base/error.c"
	printf '%s\n' '#include <map>' '#include <string>' 'int main(int argc, char **) try {' \
		'std::map<std::string, int> m{{"a", 1}}; if (argc) throw m["a"]; } catch (int n) { return n + 41; }' |
		clang++ -std=c++17 -O0 -x c++ - -o program
	./program || echo "status $?"
	clang -fsyntax-only -Xclang -ast-dump "$DATA/abi/module.h" | sed 's/0x[0-9a-f]*/ADDRESS/g' | md5sum
	echo 'int main(void) { return undefined_here + "x"; }' | clang -x c - -o none 2>&1 || echo "status $?"
}
