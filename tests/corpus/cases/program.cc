// Exceptions, threads, iostreams, regular expressions, containers: what compilers and copies of
// libstdc++ are tried with.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

struct tracer {
	std::string name;
	std::ostream &out;
	~tracer() { out << "~" << name << ' '; }
};

struct base {
	virtual ~base() = default;
	virtual int value(int n) const = 0;
};
struct square : base {
	int value(int n) const override { return n * n; }
};
struct thrower : base {
	int value(int n) const override
	{
		if (n % 3 == 0)
			throw std::out_of_range("three divides " + std::to_string(n));
		if (n % 5 == 0)
			throw n;
		return n;
	}
};

static int guarded(const base &object, int n, std::ostream &out)
try {
	tracer trace{"guard" + std::to_string(n), out};
	return object.value(n);
} catch (const std::logic_error &error) {
	out << error.what() << ' ';
	return -1;
}

static int nested(int depth, std::ostream &out)
{
	tracer trace{std::to_string(depth), out};
	if (depth == 0)
		throw std::runtime_error("bottom");
	try {
		return nested(depth - 1, out);
	} catch (const std::runtime_error &error) {
		if (depth % 4 == 0)
			std::throw_with_nested(std::logic_error("level " + std::to_string(depth)));
		throw;
	}
}

static void print(const std::exception &error, std::ostream &out)
{
	out << error.what() << ';';
	try {
		std::rethrow_if_nested(error);
	} catch (const std::exception &inner) {
		print(inner, out);
	}
}

template <typename... T> static auto sum(T... values) { return (values + ... + 0); }

static unsigned long work(int seed)
{
	std::mt19937 random(seed);
	std::unordered_map<unsigned, unsigned> seen;
	unsigned long total = 0;
	for (int i = 0; i < 20000; i++) {
		const unsigned n = random() % 4096;
		try {
			if (++seen[n] % 8 == 0)
				throw n;
			total += n;
		} catch (unsigned thrown) {
			total ^= thrown;
		}
	}
	return total;
}

thread_local std::unique_ptr<tracer> local;

int main()
{
	std::ostringstream out;
	for (int i = 1; i < 8; i++) {
		try {
			out << guarded(square(), i, out) + guarded(thrower(), i, out) << ' ';
		} catch (int n) {
			out << "int " << n << ' ';
		}
	}
	try {
		nested(9, out);
	} catch (const std::exception &error) {
		print(error, out);
	}
	std::cout << out.str() << '\n';

	std::vector<std::future<unsigned long>> futures;
	for (int i = 0; i < 4; i++)
		futures.push_back(std::async(std::launch::async, work, i));
	for (auto &future : futures)
		std::cout << future.get() << ' ';
	auto failing = std::async(std::launch::async, []() -> int { throw std::bad_alloc(); });
	try {
		failing.get();
	} catch (const std::bad_alloc &error) {
		std::cout << error.what() << '\n';
	}

	std::mutex mutex;
	std::condition_variable condition;
	std::ostringstream locals;
	int turn = 0;
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++) {
		threads.emplace_back([&, i] {
			std::unique_lock lock(mutex);
			condition.wait(lock, [&] { return turn == i; });
			std::cout << "thread " << i << '\n';
			turn++;
			condition.notify_all();
		});
	}
	for (auto &thread : threads)
		thread.join();
	std::thread([&] { local.reset(new tracer{"local", locals}); }).join();
	std::cout << locals.str() << '\n';

	const std::string text = "key=value; other = 42;third=\"quoted\"";
	const std::regex pattern(R"((\w+)\s*=\s*("[^"]*"|\w+))");
	for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
		std::cout << (*it)[1] << "->" << (*it)[2] << ' ';
	try {
		std::regex broken("(");
	} catch (const std::regex_error &) {
		std::cout << "regex_error\n";
	}
	std::map<std::string, std::variant<int, double, std::string>> values{
		{"int", 1}, {"double", 2.5}, {"string", "text"}};
	for (const auto &entry : values)
		std::visit([&](const auto &v) { std::cout << entry.first << ':' << v << ' '; },
			   entry.second);
	std::vector<int> numbers(1000);
	std::iota(numbers.begin(), numbers.end(), 1);
	std::stable_sort(numbers.begin(), numbers.end(), [](int a, int b) { return a % 7 < b % 7; });
	std::cout << numbers[10] << ' ' << sum(1, 2.5, 3L) << ' ' << std::hex << std::setw(8)
		  << std::setfill('0') << 48879 << std::dec << ' ' << std::setprecision(10) << 1 / 3.0
		  << ' ' << std::optional<int>().value_or(7) << '\n';
	try {
		std::function<int()> empty;
		empty();
	} catch (const std::bad_function_call &error) {
		std::cout << error.what() << ' ';
	}
	try {
		std::cout << std::stoi("x");
	} catch (const std::invalid_argument &error) {
		std::cout << error.what() << '\n';
	}
}
