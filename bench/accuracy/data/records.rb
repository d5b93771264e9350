# So many rounds of what scripts do: records are made, grouped, sorted, matched and printed as text.
Record = Struct.new(:id, :name, :tags) do
  def weight = tags.sum + name.size
end

def depth(n) = n < 2 ? n : depth(n - 1) + depth(n - 2)

sum = 0
ARGV[0].to_i.times do
  groups = Hash.new { |hash, name| hash[name] = [] }
  20_000.times do |i|
    record = Record.new(i, "user#{i * 7919 % 1009}", [i % 7, i % 11, i % 13])
    groups[record.name] << record.weight
  end
  text = groups.sort_by { |name, weights| [-weights.sum, name] }.map do |name, weights|
    format("%s %d %.2f\n", name, weights.size, weights.sum.fdiv(weights.size))
  end.join
  sum += text.scan(/user(\d)\d* (\d+)/).size + text.sum % 1000 + depth(21)
end
puts sum
