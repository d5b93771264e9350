#!/bin/bash
# One profile after the other without a gap, sent to servers of continuous profiles that refuse some,
# take all, or are not there; so many profiles stay on the disk.
. "$(dirname "$0")/lib.sh"
need_perf
need curl python3

server= busy=
clean_up() {
	kill -KILL $server $busy || true
	wait || true
	rm -rf "$work"
} 2>/dev/null
at_end clean_up

# serve NUMBER…: answers POST requests with 200, and those numbers with 500; says what it got in $work/got.
serve() {
	: >"$work/got"
	python3 - "$work/port" "$@" >"$work/got" 2>&1 <<'PYTHON' &
import base64, gzip, http.server, json, os, sys, urllib.parse

refused, count = {int(number) for number in sys.argv[2:]}, 0


class Server(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global count
        count += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if count in refused:
            print("refused", flush=True)
            self.send_response(500)
        else:
            url = urllib.parse.urlparse(self.path)
            query = dict(urllib.parse.parse_qsl(url.query))
            if url.path == "/profiles/writeraw":
                series = json.loads(body)["series"][0]
                query = {label["name"]: label["value"] for label in series["labels"]["labels"]}
                body = base64.b64decode(series["samples"][0]["rawProfile"])
            print(url.path, json.dumps(query), len(gzip.decompress(body)), flush=True)
            self.send_response(200)
        self.end_headers()

    def log_message(self, *ignored):
        pass


with http.server.HTTPServer(("127.0.0.1", 0), Server) as server:
    with open(sys.argv[1] + ".new", "w", encoding="ascii") as file:
        file.write(str(server.server_port))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    server.serve_forever()
PYTHON
	server=$!
	for _ in $(seq 200); do
		[ -s "$work/port" ] && break
		sleep 0.1
	done
	port=$(cat "$work/port")
	rm "$work/port"
}
end_server() {
	kill $server
	wait $server 2>/dev/null || true
	server=
}

mkdir "$work/here"
cd "$work/here"
sh -c 'while :; do :; done' &
busy=$!

# All arrive, also those that were refused at first; the newest stay. Times follow each other.
serve 2 3
"$TARE" record -q -p $busy --every=2 -d 11 --keep=4 --push=pyroscope:http://127.0.0.1:$port -o p.tare 2>"$work/said" ||
	fail "status $?: $(cat "$work/said")"
end_server
grep -c refused "$work/got" >/dev/null || fail "nothing was refused: $(cat "$work/got")"
python3 - "$work/got" <<'PYTHON' || fail "$(cat "$work/got" "$work/said")"
import json, sys
lines = [line.split(" ", 1) for line in open(sys.argv[1]) if not line.startswith("refused")]
parts = []
for path, rest in lines:
    query, size = rest.rsplit(" ", 1)
    query = json.loads(query)
    assert path == "/ingest" and query["format"] == "pprof" and query["name"].startswith("tare{host="), rest
    assert int(size) > 100, rest
    parts.append((int(query["from"]), int(query["until"])))
assert len(parts) >= 4, parts
assert parts == sorted(set(parts)), parts
assert all(-1 <= begin - end <= 2 for (_, end), (begin, _) in zip(parts, parts[1:])), parts
PYTHON
[ "$(ls | wc -l)" = 4 ] || fail "of four profiles to keep there are: $(ls)"
for profile in p.*.tare; do
	"$TARE" report functions --limit=1 "$profile" >/dev/null || fail "$profile is no profile"
done

# A signal ends the recording with a whole profile.
rm ./*
serve
"$TARE" record -q -p $busy --every=60 --push=parca:http://127.0.0.1:$port 2>"$work/said" &
recorder=$!
sleep 2
kill -TERM $recorder
wait $recorder || fail "status $? after SIGTERM: $(cat "$work/said")"
end_server
grep -q '^/profiles/writeraw {"__name__": "process_cpu", "job": "tare", "instance": ' "$work/got" || fail "Parca got: $(cat "$work/got" "$work/said")"
[ "$(ls tare.*Z.tare | wc -l)" = 1 ] || fail "there are: $(ls)"

# Without a server they stay here, which is said; all that is recorded has ended, so the recording does.
rm ./*
(sleep 3 && kill $busy) &
"$TARE" record -q -p $busy --every=60 --push=pyroscope:http://127.0.0.1:$port 2>"$work/said" || fail "status $?: $(cat "$work/said")"
busy=
grep -q 'not sent, and left here: 1' "$work/said" || fail "of a server that is not there: $(cat "$work/said")"
[ "$(ls | wc -l)" = 1 ] || fail "there are: $(ls)"

status=0
"$TARE" record -q -p 1 --every=1 --push=box 2>"$work/said" || status=$?
[ $status = 125 ] && grep -q 'say pyroscope:' "$work/said" || fail "status $status of a wrong server: $(cat "$work/said")"
