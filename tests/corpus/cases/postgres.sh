# PostgreSQL: initdb, a server under pgbench, queries with joins and windows, dump and restore, SIGTERM.
# programs: psql pgbench
# needs: /usr/lib/postgresql/*/bin/postgres
# version: /usr/lib/postgresql/*/bin/postgres --version
# unprivileged: the server refuses to run as root
# partial: was killed$

sql() {
	psql -X -q -h "$TMPDIR" -U tester -d "$@"
}

run() {
	local bin server
	bin=$(dirname /usr/lib/postgresql/*/bin/postgres | tail -n 1)
	"$bin/initdb" -D "$TMPDIR/db" -U tester -A trust --no-sync --locale=C.UTF-8 -E UTF8 |
		grep -v -E "$TMPDIR|default|selecting"
	"$bin/postgres" -D "$TMPDIR/db" -k "$TMPDIR" -c listen_addresses= -c fsync=off -c jit=on \
		-c autovacuum=off -c max_parallel_workers=2 -c log_destination=stderr 2>server.log &
	server=$!
	until "$bin/pg_isready" -q -U tester -d postgres -h "$TMPDIR"; do sleep 0.1; done
	"$bin/createdb" -h "$TMPDIR" -U tester work
	pgbench -h "$TMPDIR" -U tester -i -s 1 -q work 2>&1 | grep -c 'done in'
	pgbench -h "$TMPDIR" -U tester -c 4 -j 2 -t 100 -n work 2>&1 | grep -E 'processed|failed'
	pgbench -h "$TMPDIR" -U tester -c 2 -t 200 -n -S -M prepared work 2>&1 | grep -E 'processed|failed'
	sql work -c 'SELECT count(*), sum(abalance) = (SELECT sum(bbalance) FROM pgbench_branches) FROM pgbench_accounts'
	sql work -f "$CASES/postgres.sql" 2>&1
	"$bin/pg_dump" -h "$TMPDIR" -U tester -t item work | grep -v -E '^(--|.(un)?restrict )' | md5sum
	"$bin/pg_dump" -h "$TMPDIR" -U tester -Fc -t item work >dump
	"$bin/createdb" -h "$TMPDIR" -U tester copy
	"$bin/pg_restore" -h "$TMPDIR" -U tester -d copy dump
	sql copy -At -c 'SELECT count(*), md5(string_agg(name, chr(10) ORDER BY id)) FROM item'
	"$bin/vacuumdb" -h "$TMPDIR" -U tester -q -z work
	kill -TERM "$server"
	wait "$server" || echo "status $?"
	grep -E 'PANIC|FATAL|terminated by|crash' server.log || true
	"$bin/pg_controldata" "$TMPDIR/db" | grep 'cluster state'
	rm dump server.log
}
