# clang and clang++ on larger files, optimising; the static analyser; the program runs.
# programs: clang clang++
# version: clang++ --version
# modes: null,counting

prepare() {
	cp -r "$CASES/../../../src" "$CASES/../../../abi" .
	cp "$CASES/program.cc" .
}

run() {
	clang -std=gnu11 -D_GNU_SOURCE -O3 -g -I"$DATA" -I"$DATA/src" -c "$DATA/src/object/eh_frame.c"
	clang++ -std=c++20 -O1 -pthread "$DATA/program.cc" -o program
	./program
	clang --analyze -I"$DATA" -I"$DATA/src" -D_GNU_SOURCE "$DATA/src/base/bytes.c" -o analysis.plist
}
