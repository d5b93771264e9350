#!/bin/bash
# Debug files from a debuginfod server, which is asked where DEBUGINFOD_URLS names it: names and
# places of the functions of a stripped program. No server holds up a recording for long.
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
at_end 'kill $server 2>/dev/null; rm -rf "$work"'
for _ in $(seq 200); do
	[ -s port ] && break
	kill -0 $server 2>/dev/null || skip "no server can be started here: $(head -n 1 requests)"
	sleep 0.05
done
[ -s port ] || fail "the server does not start"

export DEBUGINFOD_CACHE_PATH=$work/cache no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
servers="http://127.0.0.1:$(cat port)/"
record_options=(--small-functions=keep)
place() {
	sqlite3 profile.tare "SELECT source || ':' || line FROM function WHERE name = 'outermost'"
}

# Nobody names a server, or the user wants none.
unset DEBUGINFOD_URLS
record "$work/program"
[ -z "$(place)" ] || fail "a stripped program has names: $(place)"
export DEBUGINFOD_URLS=$servers
record_options+=(--no-debuginfod)
record "$work/program"
[ -z "$(place)" ] || fail "names despite --no-debuginfod: $(place)"
[ ! -s requests ] || fail "the server was asked without leave: $(cat requests)"

record_options=(--small-functions=keep)
record "$work/program"
expected=$work/inlined.c:$(grep -n 'line: declared' inlined.c | cut -d: -f1)
[ "$(place)" = "$expected" ] || fail "expected $expected, got '$(place)'; requests: $(cat requests)"
grep -q "GET /buildid/$id/debuginfo" requests || fail "the server was not asked"

# No server: the recording is as good as without.
rm -rf cache
export DEBUGINFOD_URLS=http://127.0.0.1:1/
record "$work/program"
[ -z "$(place)" ] || fail "names from nowhere: $(place)"

# A server that takes requests and never answers is asked for one file, not for each, and the user
# reads what takes so long.
printf 'int also(void) { return 1; }\n' >library.c
printf 'int also(void);\nint main(void) { return also() - 1; }\n' >both.c
gcc -O2 -s -shared -fPIC -Wl,--build-id=sha1 -o libalso.so library.c
gcc -O2 -s -Wl,--build-id=sha1 -Wl,-rpath,"$work" -o both both.c libalso.so
python3 -u - >silent_port 2>/dev/null <<'END' &
import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1])
kept = []
while True:
    kept.append(server.accept())
    open("silent_requests", "a").write(kept[-1][0].recv(4096).decode().split("\r\n")[0] + "\n")
END
silent=$!
at_end 'kill $server $silent 2>/dev/null; rm -rf "$work"'
for _ in $(seq 200); do
	[ -s silent_port ] && break
	sleep 0.05
done
export DEBUGINFOD_URLS="http://127.0.0.1:$(cat silent_port)/"
run_in "$work/recorded" "$TARE" record -o "$work/profile.tare" --small-functions=keep -- "$work/both"
[ "$(cat recorded.status)" = 0 ] || fail "a silent server ends the recording: $(cat recorded.stderr)"
asked=$(cut -d' ' -f2 silent_requests | sort -u | wc -l)
[ "$asked" = 1 ] || fail "a silent server was asked for $asked files: $(cat silent_requests)"
grep -q 'asking debuginfod servers for the names of .* takes a while' recorded.stderr ||
	fail "nobody says what is waited for: $(cat recorded.stderr)"
echo "names and places from a server: $expected"
