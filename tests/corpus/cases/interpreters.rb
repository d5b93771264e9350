# Blocks, exceptions, ensure, throw, fibers, threads, patterns, missing methods, big numbers.
class Shape
  attr_reader :name
  def initialize(name) = @name = name
  def method_missing(what, *rest) = what.to_s.start_with?("get_") ? [what, rest.sum] : super
  def respond_to_missing?(what, all = false) = what.to_s.start_with?("get_") || super
end

def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)

def deep(n)
  raise ArgumentError, "deep" if n.zero?
  deep(n - 1)
ensure
  $unwound = ($unwound || 0) + 1
end

puts fib(20), Shape.new("a").get_sum(1, 2, 3).inspect
begin
  deep(40)
rescue ArgumentError => e
  puts e.message, $unwound, e.backtrace.size > 40
end
puts catch(:found) { (1..100).each { |i| (1..100).each { |k| throw :found, [i, k] if i * k == 2021 } } }.inspect
fiber = Fiber.new { 5.times { |i| Fiber.yield i * i }; :done }
puts Array.new(6) { fiber.resume }.inspect
queue = Queue.new
threads = Array.new(4) { |t| Thread.new { 200.times { |i| queue << t * i } } }
threads.each(&:join)
puts queue.size
puts (1..60).inject(:*), 2**200 % 1_000_007
words = ("the quick brown fox jumps over the lazy dog. " * 30).scan(/\w+/)
puts words.tally.sort_by { |word, count| [-count, word] }.inspect
case {kind: "point", at: [1, 2]}
in {kind: "point", at: [x, y]} then puts x + y
end
table = Hash.new { |hash, key| hash[key] = key * 2 }
5000.times { |i| table[i % 977] += i }
puts table.values.sum, table.keys.sort.each_slice(7).map(&:sum).max
puts "%.6f" % (1..2000).sum { |i| Math.sin(i) }
puts [3, 1, 2].lazy.map { |x| x * 3 }.select(&:odd?).first(2).inspect
GC.start
at_exit { warn "at the end" }
exit 6
