local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(24), ...)
local t = {}
for i = 1, 20000 do t[i] = (i * 7919) % 10007 end
table.sort(t, function(a, b) return a > b end)
print(t[1], t[10000], #t, table.concat(t, ',', 1, 5), select('#', table.unpack(t, 1, 200)))
local parts = {}
for word, number in ('alpha=1 beta=22 gamma=333'):gmatch('(%a+)=(%d+)') do
	parts[#parts + 1] = word:upper() .. string.format('%05.1f', number)
end
print(table.concat(parts, ';'), ('x'):rep(3, '-'), ('hello world'):gsub('o', '0'), ('%bxy'):len())
print(('f(a(b)c)d'):match('%b()'), ('key = value'):find('^(%w+)%s*=%s*(%w+)$'))
local function generate(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i * i) end end) end
local sum = 0
for v in generate(5000) do sum = sum + v end
print(sum)
local co = coroutine.create(function(a) local b = coroutine.yield(a + 1); error({ code = b }) end)
print(coroutine.resume(co, 1))
local ok, err = coroutine.resume(co, 42)
print(ok, err.code, coroutine.status(co))
local V = {}
V.__index = V
V.__add = function(a, b) return setmetatable({ x = a.x + b.x }, V) end
V.__eq = function(a, b) return a.x == b.x end
V.__lt = function(a, b) return a.x < b.x end
V.__call = function(self, y) return self.x * y end
V.__tostring = function(self) return 'V(' .. self.x .. ')' end
V.__concat = function(a, b) return tostring(a) .. tostring(b) end
V.__close = function(self) print('closed', self) end
local a, b = setmetatable({ x = 1 }, V), setmetatable({ x = 2 }, V)
print(tostring(a + b), a == b, a < b, a(21), a .. b)
do local c <close> = setmetatable({ x = 9 }, V) end
print(pcall(function() local x = nil; return x.y end))
print(xpcall(function() error('deep') end, function(m) return 'handled: ' .. m:gsub('^.-:%d+: ', '') end))
print(pcall(string.rep, 'x', -1), pcall(string.format, '%d', 1.5))
print(math.maxinteger + 1 == math.mininteger, 7 // 2, -7 // 2, 7 % -3, 2 ^ 0.5, 1 / 0, 3 | 4, ~0, 1 << 62, 10 // 0.3)
print(string.pack('<i4z', 7, 'abc'):byte(1, -1))
print(utf8.char(228, 8364, 128512), utf8.len('äö'), #'äö')
goto done
print('skipped')
::done::
local weak = setmetatable({}, { __mode = 'v' })
for i = 1, 1000 do weak[i] = {} end
collectgarbage()
local left = 0
for _ in pairs(weak) do left = left + 1 end
print(left, collectgarbage('count') > 0)
setmetatable({}, { __gc = function() print('collected') end })
collectgarbage()
local chunk = assert(load('local x = ...; return x * 2'))
print(chunk(21), load('x ='))
local dumped = load(string.dump(function(n) return n + 1 end))
print(dumped(1), next({}), type(next), rawequal(a, a), rawlen({ 1, 2 }))
local f = assert(io.open('file', 'w'))
for i = 1, 100 do f:write(i, ' ', i / 4, '\n') end
f:close()
for l in io.lines('file') do sum = sum + #l end
print(sum, io.open('/nonexistent'))
local p = io.popen('echo from shell; exit 3')
print(p:read('a'), p:close())
print(os.time({ year = 2020, month = 1, day = 1, hour = 0 }), os.date('!%F %T', 86400), os.getenv('TZ'))
local N, queens = 7, 0
local function place(row, columns, left, right)
	if row > N then queens = queens + 1 return end
	for c = 1, N do
		if not columns[c] and not left[row + c] and not right[row - c] then
			columns[c], left[row + c], right[row - c] = true, true, true
			place(row + 1, columns, left, right)
			columns[c], left[row + c], right[row - c] = nil, nil, nil
		end
	end
end
place(1, {}, {}, {})
print(queens)
local deep = 0
local function recurse(n) deep = n; if n < 150000 then return 1 + recurse(n + 1) end return 0 end
print(pcall(recurse, 1), deep)
