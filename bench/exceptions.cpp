// What an exception costs: throws through 1, 10 and 50 frames with something to clean up in each,
// and prints the nanoseconds of processor time of one, the least of several rounds.
#include <cstdio>
#include <cstdlib>
#include <ctime>

static volatile long cleaned;

struct cleanup {
	~cleanup()
	{
		cleaned = cleaned + 1;
	}
};

__attribute__((noinline)) static void dive(int depth)
{
	cleanup here;
	if (depth <= 1)
		throw depth;
	dive(depth - 1);
}

static double now_ns()
{
	timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

static double round_ns(int depth, int throws)
{
	const double begin = now_ns();

	for (int i = 0; i < throws; i++) {
		try {
			dive(depth);
		} catch (int) {
		}
	}
	return (now_ns() - begin) / throws;
}

int main(int argc, char **argv)
{
	static const int depths[] = {1, 10, 50};
	const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;

	for (const int depth : depths) {
		double least = round_ns(depth, 100);
		for (int i = 0; i < rounds; i++) {
			const double ns = round_ns(depth, 2000 / depth);
			if (ns < least)
				least = ns;
		}
		std::printf("%d %.0f\n", depth, least);
	}
	return 0;
}
