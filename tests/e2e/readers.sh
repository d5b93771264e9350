#!/bin/bash
# Readers of other projects find in exports of real recordings what tare reports of them: calls and
# samples, with an event log, of a program with threads, recursion and templates, run twice by a shell. Readers that are
# not here are left out, and named.
. "$(dirname "$0")/lib.sh"
need g++ python3
readers=$E2E/../readers

cat >"$work/busy.cc" <<'C'
#include <map>
#include <string>
#include <thread>
#include <vector>
volatile unsigned sink;
template <class T> __attribute__((noinline)) T mix(const std::vector<T> &values, T seed)
{
	for (unsigned round = 0; round < 20; round++)
		for (T value : values)
			seed = seed * 31 + value / 7;
	return seed;
}
__attribute__((noinline)) unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
struct counter {
	std::map<std::string, unsigned> seen;
	__attribute__((noinline)) void operator()(unsigned n)
	{
		std::vector<unsigned> values(2000, n);
		for (unsigned i = 0; i < 40; i++)
			sink = sink + mix<unsigned>(values, seen[std::to_string(i)]++);
		sink = sink + fib(22);
	}
};
int main()
{
	std::thread other([] { counter()(5); });
	counter()(7);
	other.join();
}
C
g++ -g -O1 -pthread -o "$work/busy" "$work/busy.cc"

missing=
# ask READER COMMAND…
ask() {
	local reader=$1 status=0
	shift
	"$@" >"$work/said" 2>&1 || status=$?
	case $status in
	0) tail -n 2 "$work/said" ;;
	77) missing="$missing; $reader: $(tail -n 1 "$work/said")" ;;
	*) fail "$reader: $(head -c 2000 "$work/said"; tail -n 5 "$work/said")" ;;
	esac
}
ask_all() {
	ask pprof "$readers/pprof" "$TARE" "$@"
	ask speedscope "$readers/../web/run" "$readers/speedscope.mjs" "$TARE" "$@"
	ask firefox "$readers/../web/run" "$readers/firefox.mjs" "$TARE" "$@"
}

profiles=()
record bash -c "'$work/busy'; '$work/busy'"
mv "$work/profile.tare" "$work/calls.tare"
profiles+=("$work/calls.tare")
record_options=(--trace --exclude 'fib*' --exclude 'std::*')
record "$work/busy"
mv "$work/profile.tare" "$work/logged.tare"
profiles+=("$work/logged.tare")
if (need_perf) >/dev/null; then
	# Formats of events tell when samples were taken: their sums are those of an event that is a time.
	record_options=(--method=sample --event=cpu-clock -F 2000)
	record bash -c "'$work/busy'; '$work/busy'"
	mv "$work/profile.tare" "$work/samples.tare"
	profiles+=("$work/samples.tare")
	ask timed "$readers/timed" "$TARE" "$E2E/data/perfetto.proto" "$readers/../golden/exports" "$work/samples.tare"
else
	missing="; samples: $(need_perf)"
fi
ask_all "${profiles[@]}"
echo "exports of ${#profiles[@]} recordings are read as they are reported${missing}"
