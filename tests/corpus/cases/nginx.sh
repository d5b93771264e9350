# nginx under wrk, and curl: static files, gzip, ranges, redirects, errors, reload, SIGQUIT.
# programs: nginx wrk curl
# version: nginx -v
# partial: was killed$

prepare() {
	mkdir html
	for ((i = 0; i < 2000; i++)); do echo "line $i $((i * 7919 % 1009))"; done >html/text.txt
	head -c 200000 /usr/bin/bash >html/binary
	echo '<html>index</html>' >html/index.html
	chmod -R a+rX .
}

get() {
	curl -s -S --max-time 60 "$@"
}

run() {
	cat >"$TMPDIR/nginx.conf" <<-END
		daemon off;
		worker_processes 2;
		pid $TMPDIR/nginx.pid;
		error_log $PWD/error.log;
		$([ "$(id -u)" != 0 ] || echo 'user root;')
		events { worker_connections 256; }
		http {
			access_log $PWD/access.log;
			types { text/plain txt; text/html html; }
			gzip on; gzip_types text/plain;
			sendfile on;
			$(for kind in client_body fastcgi proxy scgi uwsgi; do echo "${kind}_temp_path $TMPDIR/$kind;"; done)
			server {
				listen 127.0.0.1:$PORT;
				root $DATA/html;
				location /moved { return 301 /text.txt; }
				location ~ ^/re/(\d+)$ { return 200 "number \$1\n"; }
				location /proxy/ { proxy_pass http://127.0.0.1:$PORT/; }
			}
		}
	END
	nginx -t -c "$TMPDIR/nginx.conf" 2>&1 | grep -c successful
	nginx -c "$TMPDIR/nginx.conf" &
	local server=$! url=http://127.0.0.1:$PORT
	until get "$url/" >/dev/null 2>&1; do sleep 0.1; done
	get "$url/"
	get "$url/text.txt" | md5sum
	get --compressed -H 'Accept-Encoding: gzip' -D headers "$url/text.txt" | md5sum
	grep -i -E 'content-(type|encoding)|^HTTP' headers
	get -r 100-199,5000-5099 "$url/binary" | grep -a -i -c content-range
	get -L -w '%{http_code} %{num_redirects}\n' -o moved "$url/moved"
	get -w '%{http_code}\n' "$url/none" | tail -n 1
	get "$url/re/[1-5]"
	get "$url/proxy/text.txt" | md5sum
	get -I "$url/text.txt" | grep -i content-length
	get -Z --parallel-max 8 "$url/re/[10-60]" 2>/dev/null | sort | md5sum
	get -f "$url/none" 2>&1 || echo "status $?"
	wrk -t 2 -c 16 -d 1s "$url/text.txt" >wrk.out
	grep -E 'Socket errors|Non-2xx' wrk.out || awk '/requests in/ { print ($1 > 20) ? "served" : "slow" }' wrk.out
	kill -HUP "$server"
	sleep 0.5
	until get "$url/" >/dev/null 2>&1; do sleep 0.1; done
	get "$url/re/77"
	kill -QUIT "$server"
	wait "$server" || echo "status $?"
	cut -d '"' -f 2 access.log | sort | uniq -c | grep -v -E 'text.txt|GET / ' || true
	grep -E 'alert|emerg|crit' error.log || true
	rm headers wrk.out access.log error.log
}
