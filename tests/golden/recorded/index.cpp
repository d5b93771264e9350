// Indexes the words of text files with several threads: what index.tare is a recording of.
// Usage: index OUTPUT FILE...
//
// A reader hands the files' lines to workers through a bounded queue; each worker has an index of
// its own, and in the end all are merged and written. Lines that are no text are refused.
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace text
{

struct Line {
	std::string file;
	unsigned number;
	std::string words;
};

class Malformed : public std::runtime_error
{
      public:
	explicit Malformed(const Line &line)
		: std::runtime_error(line.file + ":" + std::to_string(line.number))
	{
	}
};

template <typename Item> class Queue
{
      public:
	explicit Queue(std::size_t limit) : limit_(limit)
	{
	}

	void push(Item item)
	{
		std::unique_lock<std::mutex> lock(mutex_);
		taken_.wait(lock, [this] { return items_.size() < limit_; });
		items_.push_back(std::move(item));
		added_.notify_one();
	}

	std::optional<Item> pop()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		added_.wait(lock, [this] { return !items_.empty() || closed_; });
		if (items_.empty())
			return std::nullopt;
		Item item = std::move(items_.front());
		items_.pop_front();
		taken_.notify_one();
		return item;
	}

	void close()
	{
		std::lock_guard<std::mutex> lock(mutex_);
		closed_ = true;
		added_.notify_all();
	}

      private:
	std::mutex mutex_;
	std::condition_variable added_, taken_;
	std::deque<Item> items_;
	std::size_t limit_;
	bool closed_ = false;
};

// Sequences by their keys, smallest first, by halves.
template <typename Key, typename Value>
void merge_sort(std::vector<std::pair<Key, Value>> &items, std::size_t begin, std::size_t end)
{
	if (end - begin < 16) {
		for (std::size_t i = begin + 1; i < end; i++)
			for (std::size_t j = i; j > begin && items[j] < items[j - 1]; j--)
				std::swap(items[j], items[j - 1]);
		return;
	}
	std::size_t middle = begin + (end - begin) / 2;
	merge_sort(items, begin, middle);
	merge_sort(items, middle, end);
	std::inplace_merge(items.begin() + static_cast<std::ptrdiff_t>(begin),
			   items.begin() + static_cast<std::ptrdiff_t>(middle),
			   items.begin() + static_cast<std::ptrdiff_t>(end));
}

class Scanner
{
      public:
	virtual ~Scanner() = default;
	virtual std::vector<std::string> scan(const Line &line) const = 0;
};

class WordScanner : public Scanner
{
      public:
	std::vector<std::string> scan(const Line &line) const override
	{
		std::vector<std::string> words;
		std::string word;
		for (char c : line.words) {
			if (c == '\x7f')
				throw Malformed(line);
			if (c != ' ') {
				word += static_cast<char>(c | 0x20);
			} else if (!word.empty()) {
				words.push_back(word);
				word.clear();
			}
		}
		if (!word.empty())
			words.push_back(word);
		return words;
	}
};

using Places = std::map<std::string, std::vector<unsigned>>;

// A number for each way to spell a word: the costly part of the work.
[[gnu::noinline]] static unsigned long fingerprint(const std::string &word)
{
	unsigned long value = 14695981039346656037UL;
	for (int round = 0; round < 400; round++)
		for (char c : word)
			value = (value ^ static_cast<unsigned char>(c)) * 1099511628211UL;
	return value;
}

class Index
{
      public:
	[[gnu::noinline]] void add(const Line &line, const Scanner &scanner)
	{
		for (const std::string &word : scanner.scan(line)) {
			places_[word].push_back(line.number);
			sum_ ^= fingerprint(word);
		}
	}

	void merge(const Index &other)
	{
		for (const auto &[word, places] : other.places_) {
			auto &mine = places_[word];
			mine.insert(mine.end(), places.begin(), places.end());
		}
		sum_ ^= other.sum_;
		refused += other.refused;
	}

	void write(const std::string &path) const
	{
		std::vector<std::pair<std::size_t, std::string>> order;
		for (const auto &[word, places] : places_)
			order.emplace_back(places.size(), word);
		merge_sort(order, 0, order.size());
		std::ofstream output(path);
		for (const auto &[count, word] : order)
			output << count << ' ' << word << '\n';
		output << "sum " << sum_ << ", refused " << refused << std::endl;
	}

	unsigned refused = 0;

      private:
	Places places_;
	unsigned long sum_ = 0;
};

} // namespace text

static void work(text::Queue<text::Line> &queue, text::Index &index)
{
	text::WordScanner scanner;
	while (auto line = queue.pop()) {
		try {
			index.add(*line, scanner);
		} catch (const text::Malformed &) {
			index.refused++;
		}
	}
}

static void read(const char *path, text::Queue<text::Line> &queue)
{
	std::ifstream input(path);
	if (!input)
		throw std::runtime_error(std::string("no such file: ") + path);
	std::string words;
	for (unsigned number = 1; std::getline(input, words); number++)
		queue.push({path, number, words});
}

int main(int argc, char **argv)
{
	constexpr int workers = 3;
	text::Queue<text::Line> queue(16);
	text::Index indexes[workers];
	std::vector<std::thread> threads;
	for (int i = 0; i < workers; i++) {
		threads.emplace_back(work, std::ref(queue), std::ref(indexes[i]));
		pthread_setname_np(threads.back().native_handle(),
				   ("worker " + std::to_string(i + 1)).c_str());
	}
	for (int i = 2; i < argc; i++) {
		try {
			read(argv[i], queue);
		} catch (const std::runtime_error &error) {
			std::fprintf(stderr, "%s\n", error.what());
		}
	}
	queue.close();
	for (auto &thread : threads)
		thread.join();
	for (int i = 1; i < workers; i++)
		indexes[0].merge(indexes[i]);
	indexes[0].write(argv[1]);
}
