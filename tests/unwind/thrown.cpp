// Exceptions through frames with something to clean up, and algorithms of the library.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

static volatile unsigned sink;

struct cleaned {
	~cleaned()
	{
		sink = sink + static_cast<unsigned>(std::string(40, 'x').size());
	}
};

__attribute__((noinline)) static int throw_from(int depth)
{
	cleaned here;

	if (!depth)
		throw std::runtime_error("thrown");
	return throw_from(depth - 1) + 1;
}

static int once()
{
	std::vector<int> values;

	try {
		throw_from(3);
	} catch (const std::exception &thrown) {
		sink = sink + static_cast<unsigned>(thrown.what()[0]);
	}
	for (int i = 0; i < 100; i++)
		values.push_back(i * 7919 % 101);
	std::sort(values.begin(), values.end());
	return values[3] != 3;
}

// Argument: how often (1).
int main(int argc, char **argv)
{
	int wrong = 0;

	for (int round = argc > 1 ? std::atoi(argv[1]) : 1; round > 0; round--)
		wrong |= once();
	std::puts("done");
	return wrong;
}
