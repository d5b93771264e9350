# sqlite3: joins, windows, recursive queries, full-text search, JSON, triggers, crash-free rollback.
# programs: sqlite3
# version: sqlite3 --version
# set: quick
# modes: null,poison,counting,dormant

run() {
	sqlite3 shop.db <"$CASES/sqlite.sql"
	sqlite3 shop.db .dump | md5sum
	sqlite3 -csv shop.db 'SELECT * FROM item ORDER BY id LIMIT 5' 'PRAGMA integrity_check'
	sqlite3 shop.db '.read /nonexistent' || echo "status $?"
	sqlite3 shop.db 'SELECT none FROM item' || echo "status $?"
	sqlite3 -json shop.db 'SELECT customer, sum(price) AS total FROM item GROUP BY 1 ORDER BY 2 DESC LIMIT 3'
	sqlite3 other.db 'VACUUM; CREATE TABLE t(a)' '.backup copy.db'
	rm shop.db other.db copy.db
}
