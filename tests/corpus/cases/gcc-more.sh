# gcc and g++ on larger files, optimising, at link time too; the programs run.
# programs: gcc g++
# version: g++ --version
# modes: null,counting
# unmatched: the static program ends one call of its start-up that began before anything is recorded

prepare() {
	cp -r "$CASES/../../../src" "$CASES/../../../abi" .
	cp "$CASES/program.cc" .
}

run() {
	gcc -std=gnu11 -D_GNU_SOURCE -O3 -g -I"$DATA" -I"$DATA/src" -c "$DATA/src/object/eh_frame.c"
	gcc -D_GNU_SOURCE -O2 -march=haswell -flto -frandom-seed=1 -I"$DATA" -I"$DATA/src" -c "$DATA/src/base/str.c"
	g++ -std=c++20 -O1 -pthread "$DATA/program.cc" -o program
	./program
	echo 'int main(void) { return 42; }' | gcc -x c -flto -frandom-seed=1 -O2 -static - -o static
	./static || echo "status $?"
}
