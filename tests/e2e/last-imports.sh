#!/bin/bash
# A library's function that calls another one last has none of its time, also in a recording that begins
# with both counted, as the one before has learned; whether the loader binds calls at once or lazily.
. "$(dirname "$0")/lib.sh"
need gcc

cat >"$work/library.c" <<'END'
#define KEPT __attribute__((noinline, noclone))
struct context { long (*function)(long); long count; };
volatile long library_sink;
KEPT static long worker(long count)
{
	long value = 1;
	for (long i = 0; i < count; i++) {
		value = value * value + i;
		__asm__ volatile("" : : "r"(value));
	}
	return value;
}
KEPT long middle(long count)
{
	if (!count)
		return 0;
	long value = worker(count);
	library_sink += value;
	return value;
}
KEPT long front(struct context *context)
{
	if (context->count < 0)
		return 1;
	long (*function)(long) = context->function;
	return function(context->count);
}
END
cat >"$work/program.c" <<'END'
struct context { long (*function)(long); long count; };
long front(struct context *), middle(long);
int atoi(const char *);
__attribute__((noinline)) static long work(struct context *context, int calls)
{
	long sum = 0;
	for (int i = 0; i < calls; i++)
		sum ^= front(context) + i;
	return sum;
}
int main(int argc, char **argv)
{
	struct context context = {middle, 200000000 / atoi(argv[1])};
	return work(&context, atoi(argv[1])) == 1;
}
END
cd "$work"
gcc -O2 -fPIC -shared -o liblast.so library.c
for binding in now lazy; do
	gcc -O2 -Wl,-z,$binding -o program program.c -L. -llast -Wl,-rpath,"$work" || exit 1
	export XDG_CACHE_HOME=$work/cache-$binding
	# many calls, by which both are found to be short, and then few
	for calls in 20000 60 50; do
		record "$work/program" $calls
		report functions
		front=$(cell functions function front cpu_inclusive_percent)
		middle=$(cell functions function middle cpu_inclusive_percent)
		[ "$(cell functions function front calls)" = $calls ] || fail "$binding, $calls: calls of front"
		awk -v front="$front" -v middle="$middle" 'BEGIN { exit !(front < 10 && middle > 85) }' ||
			fail "$binding, $calls calls: front has $front %, middle $middle %"
	done
done
