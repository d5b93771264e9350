#!/bin/bash
# Debug files from a debuginfod server, which is asked only where the user wants that: names and
# places of the functions of a stripped program.
. "$E2E/lib.sh"

need gcc objcopy readelf python3 sqlite3
ldconfig -p | grep -q 'libdebuginfod\.so\.1 ' || skip "libdebuginfod is not installed"
cp "$E2E/../fixtures/inlined.c" "$work/"
cd "$work"
gcc -O2 -g -Wl,--build-id=sha1 -o whole inlined.c
id=$(readelf -n whole 2>/dev/null | awk '/Build ID/ { print $3 }')
objcopy --strip-all whole program
mkdir -p "www/buildid/$id"
objcopy --only-keep-debug whole "www/buildid/$id/debuginfo"

python3 -u - "$work/www" >port 2>requests <<'END' &
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_address[1])
server.serve_forever()
END
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 200); do
	[ -s port ] && break
	kill -0 $server 2>/dev/null || skip "no server can be started here: $(head -n 1 requests)"
	sleep 0.05
done
[ -s port ] || fail "the server does not start"

export DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)/" DEBUGINFOD_CACHE_PATH=$work/cache
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
record_options=(--small-functions=keep)
place() {
	sqlite3 profile.tare "SELECT source || ':' || line FROM function WHERE name = 'outermost'"
}

record "$work/program"
[ -z "$(place)" ] || fail "a stripped program has names: $(place)"
[ ! -s requests ] || fail "the server was asked without leave: $(cat requests)"

export TARE_DEBUGINFOD=1
record "$work/program"
expected=$work/inlined.c:$(grep -n 'line: declared' inlined.c | cut -d: -f1)
[ "$(place)" = "$expected" ] || fail "expected $expected, got '$(place)'; requests: $(cat requests)"
grep -q "GET /buildid/$id/debuginfo" requests || fail "the server was not asked"

# No server: the recording is as good as without.
rm -rf cache
export DEBUGINFOD_URLS=http://127.0.0.1:1/
record "$work/program"
[ -z "$(place)" ] || fail "names from nowhere: $(place)"
echo "names and places from a server: $expected"
