// A C++ program of many threads, to be sampled: containers, algorithms, strings, virtual calls,
// exceptions. Prints the processor time that it has taken, in microseconds.
//
//   sampled_threads THREADS ROUNDS
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#define KEPT __attribute__((noinline))

static volatile unsigned long sink;

struct task {
	virtual ~task() = default;
	virtual unsigned long run(unsigned seed) const = 0;
};

struct sorts : task {
	KEPT unsigned long run(unsigned seed) const override
	{
		std::vector<unsigned> values(2000);
		for (auto &value : values)
			value = seed = seed * 1103515245 + 12345;
		std::sort(values.begin(), values.end());
		return values[values.size() / 2];
	}
};

struct maps : task {
	KEPT unsigned long run(unsigned seed) const override
	{
		std::map<unsigned, unsigned> values;
		for (int i = 0; i < 500; i++)
			values[seed = seed * 1103515245 + 12345] = seed >> 3;
		return values.begin()->second;
	}
};

struct writes : task {
	KEPT unsigned long run(unsigned seed) const override
	{
		std::string text;
		for (unsigned i = 0; i < 300; i++)
			text += std::to_string(seed + i);
		return std::accumulate(text.begin(), text.end(), 0ul);
	}
};

struct throws : task {
	KEPT static void descend(int depth)
	{
		std::string kept(20, 'x');
		if (!depth)
			throw std::runtime_error(kept);
		descend(depth - 1);
		sink = sink + kept.size();
	}
	KEPT unsigned long run(unsigned seed) const override
	{
		try {
			descend(10);
		} catch (const std::exception &thrown) {
			return seed + static_cast<unsigned char>(thrown.what()[0]);
		}
		return 0;
	}
};

KEPT static void work(unsigned number, int rounds)
{
	std::vector<std::unique_ptr<task>> tasks;

	tasks.emplace_back(new sorts);
	tasks.emplace_back(new maps);
	tasks.emplace_back(new writes);
	tasks.emplace_back(new throws);
	for (int round = 0; round < rounds; round++)
		for (const auto &task : tasks)
			sink = sink + task->run(number + static_cast<unsigned>(round));
}

int main(int argc, char **argv)
{
	std::vector<std::thread> threads;
	struct rusage usage;

	if (argc != 3)
		return 2;
	for (int i = 0; i < std::atoi(argv[1]); i++)
		threads.emplace_back(work, static_cast<unsigned>(i), std::atoi(argv[2]));
	for (auto &thread : threads)
		thread.join();
	getrusage(RUSAGE_SELF, &usage);
	std::printf("cpu_us %ld\n", (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L +
					    usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}
