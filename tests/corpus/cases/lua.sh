# lua5.4: coroutines, closures, metatables, string patterns, errors, garbage collection.
# programs: lua5.4
# version: lua5.4 -v
# set: quick
# modes: null,poison,counting,dormant

run() {
	lua5.4 "$CASES/lua.lua" one two
	lua5.4 -e 'error("message", 0)' || echo "status $?"
	lua5.4 -e 'local t = nil; t.x = 1' || echo "status $?"
	lua5.4 -e 'os.exit(7)' || echo "status $?"
	lua5.4 -e 'local function f() return f() + 1 end; f()' 2>&1 | sed -n 1p
	echo 'print(1 + 1) = 3' | lua5.4 -i
}
