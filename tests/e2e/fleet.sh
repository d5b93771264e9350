#!/bin/bash
# The tables of a few profiles in two ClickHouse servers have the sums of tare merge, queries of the documents are
# answered, and fail when one server is gone; in DuckDB and chdb, too, where TARE_DUCKDB and TARE_CHDB name folders with their npm packages.
. "$(dirname "$0")/lib.sh"
need clickhouse-server clickhouse-client python3
build=$(realpath "$(dirname "$TARE")/../..")
TMPDIR=$work "$E2E/../../bench/fleet" "$build" --count=4 --ranks=2 --batch=2 ${TARE_DUCKDB:+--duckdb="$TARE_DUCKDB"} \
	${TARE_CHDB:+--chdb="$TARE_CHDB"}
for name in TARE_DUCKDB TARE_CHDB; do
	[ -n "${!name:-}" ] || echo "skip: $name names no folder with its npm package"
done
