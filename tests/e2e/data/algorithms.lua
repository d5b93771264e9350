-- Known algorithms with printed results: sieve, n-queens, matrix product, string building,
-- sorting with a comparator, closures, coroutines, pattern matching, errors caught.

local function sieve(limit)
	local composite, count = {}, 0
	for i = 2, limit do
		if not composite[i] then
			count = count + 1
			for j = i * i, limit, i do composite[j] = true end
		end
	end
	return count
end

local function queens(n)
	local solutions, columns, up, down = 0, {}, {}, {}
	local function place(row)
		if row > n then solutions = solutions + 1 return end
		for c = 1, n do
			if not (columns[c] or up[row + c] or down[row - c]) then
				columns[c], up[row + c], down[row - c] = true, true, true
				place(row + 1)
				columns[c], up[row + c], down[row - c] = nil, nil, nil
			end
		end
	end
	place(1)
	return solutions
end

local function multiply(n)
	local a, b, sum = {}, {}, 0
	for i = 1, n do
		a[i], b[i] = {}, {}
		for j = 1, n do a[i][j], b[i][j] = i + j, i - j end
	end
	for i = 1, n do
		for j = 1, n do
			local cell = 0
			for k = 1, n do cell = cell + a[i][k] * b[k][j] end
			sum = (sum + cell * i) % 1000003
		end
	end
	return sum
end

local function sorted(n)
	local list, seed = {}, 42
	for i = 1, n do
		seed = (seed * 16807) % 2147483647
		list[i] = {key = seed % 1000, name = string.format("item%05d", seed % 99991)}
	end
	table.sort(list, function(x, y)
		if x.key ~= y.key then return x.key < y.key end
		return x.name < y.name
	end)
	return list[1].name, list[n].name
end

local function words(n)
	local parts = {}
	for i = 1, n do parts[#parts + 1] = ("w%d "):format(i * 31 % 1009) end
	local text, counts, distinct = table.concat(parts), {}, 0
	for word in text:gmatch("%a%d+") do
		if not counts[word] then distinct = distinct + 1 end
		counts[word] = (counts[word] or 0) + 1
	end
	return distinct, #text:gsub("w(%d)", "<%1>"), text:find("w1008 ", 1, true)
end

local function generated(n)
	local producer = coroutine.wrap(function()
		for i = 1, n do coroutine.yield(i * i % 97) end
	end)
	local sum = 0
	for _ = 1, n do sum = sum + producer() end
	return sum
end

local function caught(n)
	local failures = 0
	for i = 1, n do
		local ok = pcall(function() if i % 3 == 0 then error({code = i}) end end)
		if not ok then failures = failures + 1 end
	end
	return failures
end

-- As often as the first argument says.
for _ = 1, tonumber(arg[1] or 1) do
	print("primes", sieve(1000000))
	print("queens", queens(8))
	print("matrix", multiply(70))
	print("sorted", sorted(20000))
	print("words", words(20000))
	print("coroutine", generated(30000))
	print("errors", caught(20000))
end
