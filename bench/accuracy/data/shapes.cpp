// A scene of shapes that is built, sorted, searched and drawn into text, again and again: what C++
// programs do. Usage: shapes ROUNDS [THREADS]; prints the same for the same arguments.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace scene
{

class Random
{
      public:
	explicit Random(std::uint32_t seed) : state_(seed * 2654435761u + 1)
	{
	}

	std::uint32_t below(std::uint32_t limit)
	{
		state_ = state_ * 1664525u + 1013904223u;
		return static_cast<std::uint32_t>((std::uint64_t{state_} * limit) >> 32);
	}

      private:
	std::uint32_t state_;
};

struct Point {
	double x, y;
};

inline Point operator+(const Point &a, const Point &b)
{
	return {a.x + b.x, a.y + b.y};
}

class Shape
{
      public:
	Shape(std::string name, Point at) : name_(std::move(name)), at_(at)
	{
	}
	virtual ~Shape() = default;
	virtual double area() const = 0;
	virtual bool contains(const Point &point) const = 0;

	const std::string &name() const
	{
		return name_;
	}
	const Point &at() const
	{
		return at_;
	}
	void move(const Point &by)
	{
		at_ = at_ + by;
	}

      private:
	std::string name_;
	Point at_;
};

class Circle : public Shape
{
      public:
	Circle(std::string name, Point at, double radius)
	    : Shape(std::move(name), at), radius_(radius)
	{
	}
	double area() const override
	{
		return 3.14159265 * radius_ * radius_;
	}
	bool contains(const Point &point) const override
	{
		const double x = point.x - at().x, y = point.y - at().y;
		return x * x + y * y <= radius_ * radius_;
	}

      private:
	double radius_;
};

class Polygon : public Shape
{
      public:
	Polygon(std::string name, Point at, std::vector<Point> corners)
	    : Shape(std::move(name), at), corners_(std::move(corners))
	{
		if (corners_.size() < 3)
			throw std::invalid_argument(this->name() + " has too few corners");
	}
	double area() const override
	{
		double sum = 0;
		for (std::size_t i = 0; i < corners_.size(); i++) {
			const Point &a = corners_[i], &b = corners_[(i + 1) % corners_.size()];
			sum += a.x * b.y - b.x * a.y;
		}
		return sum < 0 ? -sum / 2 : sum / 2;
	}
	bool contains(const Point &point) const override
	{
		bool inside = false;
		for (std::size_t i = 0, j = corners_.size() - 1; i < corners_.size(); j = i++) {
			const Point a = corners_[i] + at(), b = corners_[j] + at();
			if ((a.y > point.y) != (b.y > point.y) &&
			    point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x)
				inside = !inside;
		}
		return inside;
	}

      private:
	std::vector<Point> corners_;
};

using Shapes = std::vector<std::unique_ptr<Shape>>;

static Shapes build(Random &random, std::size_t count, unsigned &refused)
{
	Shapes shapes;
	for (std::size_t i = 0; i < count; i++) {
		const Point at{static_cast<double>(random.below(1000)),
			       static_cast<double>(random.below(1000))};
		const std::string name = "shape" + std::to_string(random.below(100000));
		if (random.below(2) == 0) {
			shapes.push_back(
				std::make_unique<Circle>(name, at, 1.0 + random.below(20)));
			continue;
		}
		std::vector<Point> corners(2 + random.below(7));
		for (Point &corner : corners)
			corner = {random.below(40) - 20.0, random.below(40) - 20.0};
		try {
			shapes.push_back(std::make_unique<Polygon>(name, at, std::move(corners)));
		} catch (const std::invalid_argument &) {
			refused++;
		}
	}
	return shapes;
}

static std::uint64_t index_names(const Shapes &shapes)
{
	std::map<std::string, std::vector<std::size_t>> by_name;
	std::unordered_map<std::string, unsigned> endings;
	for (std::size_t i = 0; i < shapes.size(); i++) {
		by_name[shapes[i]->name()].push_back(i);
		endings[shapes[i]->name().substr(shapes[i]->name().size() - 2)]++;
	}
	std::uint64_t hash = endings.size();
	for (const auto &[name, places] : by_name)
		for (const char letter : name)
			hash = hash * 31 + static_cast<unsigned char>(letter) + places.size();
	return hash;
}

static std::uint64_t search(const Shapes &shapes, Random &random, unsigned points)
{
	std::uint64_t hits = 0;
	for (unsigned i = 0; i < points; i++) {
		const Point point{random.below(10000) / 10.0, random.below(10000) / 10.0};
		hits += static_cast<std::uint64_t>(
			std::count_if(shapes.begin(), shapes.end(),
				      [&](const auto &shape) { return shape->contains(point); }));
	}
	return hits;
}

static std::uint64_t draw(const Shapes &shapes)
{
	std::vector<std::string> rows(40, std::string(80, '.'));
	for (const auto &shape : shapes) {
		const std::size_t row = static_cast<std::size_t>(shape->at().y / 25) % rows.size();
		const std::size_t column = static_cast<std::size_t>(shape->at().x / 12.5) % 80;
		rows[row][column] = static_cast<char>('a' + shape->name().size() % 26);
	}
	const std::string picture = std::accumulate(rows.begin(), rows.end(), std::string());
	return std::hash<std::string>()(picture) % 1000003;
}

static std::uint64_t round_of(unsigned seed)
{
	Random random(seed);
	unsigned refused = 0;
	Shapes shapes = build(random, 1200, refused);
	std::sort(shapes.begin(), shapes.end(), [](const auto &a, const auto &b) {
		return a->area() != b->area() ? a->area() < b->area() : a->name() < b->name();
	});
	for (const auto &shape : shapes)
		shape->move({random.below(10) - 5.0, random.below(10) - 5.0});
	return index_names(shapes) + search(shapes, random, 60) + draw(shapes) + refused;
}

} // namespace scene

int main(int argc, char **argv)
{
	const unsigned rounds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
	const unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
	std::vector<std::uint64_t> sums(threads);
	std::vector<std::thread> others;
	const auto work = [&](unsigned number) {
		for (unsigned i = number; i < rounds; i += threads)
			sums[number] += scene::round_of(i);
	};

	for (unsigned i = 1; i < threads; i++)
		others.emplace_back(work, i);
	work(0);
	for (std::thread &other : others)
		other.join();
	std::printf("%llu\n", static_cast<unsigned long long>(
				      std::accumulate(sums.begin(), sums.end(), std::uint64_t{0})));
	return 0;
}
