# Tables for ClickHouse and DuckDB: a file each, all or none, and one sentence for what cannot be.
umask 022
"$PROGRAMS/../golden/make_profile" . 2>/dev/null || skip "make_profile is not built"
told() {
	"$@"
	echo "status $?"
}
told tare export --format=clickhouse -o tables work.tare
told tare export --format=clickhouse -o tables work.tare
stat -c '%a %n' tables tables/* | sed -E 's/[0-9]{10,}/RUN/'
run=$(ls tables/run.*)
run=${run//[!0-9]/}
head -qn 1 tables/*.csv >names
tare export --format=clickhouse --table=run work.tare | cut -d, -f2-6
tare export --format=clickhouse --table=node -o node.csv work.tare
cmp node.csv "tables/node.$run.csv"
tare export --format=clickhouse --table=node work.tare | cmp - node.csv
for words in 'work.tare' '--table=nodes work.tare' '--table=x work.tare' '-o tables --process=work work.tare' \
	'-o tables --from=1 work.tare' '-o tables --root=main work.tare' '-o tables missing.tare' '-o names work.tare' \
	'-o missing/tables work.tare' '--schema=oracle' '-o tables names'; do
	told tare export --format=clickhouse $words
done
told tare export --format=pprof --table=node work.tare
told tare export --format=pprof --schema work.tare
# A name that is taken by a directory: no other file of the run is there, or under another name.
mkdir -p taken "taken/node.$run.csv"
told tare export --format=clickhouse -o taken work.tare 2>&1 | sed -E 's/[0-9]{10,}/RUN/'
ls -A taken | sed -E 's/[0-9]{10,}/RUN/'
for database in clickhouse shard duckdb; do
	tare export --format=clickhouse --schema=$database -o $database.sql
	grep -c '^CREATE' $database.sql
done
tare export --format=clickhouse --schema | cmp - clickhouse.sql
