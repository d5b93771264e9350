// Exceptions through frames with something to clean up, and algorithms of the library.
#include <algorithm>
#include <cstdio>
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

int main()
{
	std::vector<int> values;

	try {
		throw_from(3);
	} catch (const std::exception &thrown) {
		std::puts(thrown.what());
	}
	for (int i = 0; i < 100; i++)
		values.push_back(i * 7919 % 101);
	std::sort(values.begin(), values.end());
	return values[3] != 3;
}
