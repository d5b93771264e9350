PRAGMA page_size = 1024;
PRAGMA journal_mode = WAL;
CREATE TABLE item(id INTEGER PRIMARY KEY, customer INT, name TEXT, price REAL, note BLOB);
CREATE INDEX by_customer ON item(customer, price DESC);
CREATE TABLE log(what TEXT);
CREATE TRIGGER logged AFTER DELETE ON item BEGIN INSERT INTO log VALUES ('deleted ' || old.id); END;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
INSERT INTO item SELECT i, i * 7919 % 101, printf('item %05d %s', i, hex(i * 31)), (i * 13 % 977) / 7.0,
	CASE WHEN i % 3 THEN NULL ELSE zeroblob(i % 50) END FROM n;
SELECT customer, count(*), round(avg(price), 4), max(name), total(length(note)) FROM item
	GROUP BY customer HAVING count(*) > 390 ORDER BY 3 DESC LIMIT 7;
SELECT id, price, rank() OVER (PARTITION BY customer ORDER BY price DESC),
	sum(price) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM item WHERE customer = 5 LIMIT 9;
SELECT count(*) FROM item a JOIN item b ON a.customer = b.customer AND a.price < b.price WHERE a.id < 400;
SELECT name FROM item WHERE name LIKE '%ff%' AND name GLOB 'item 0*' ORDER BY name DESC LIMIT 4;
BEGIN; DELETE FROM item WHERE id % 10 = 0; SELECT changes(); ROLLBACK;
DELETE FROM item WHERE id % 1000 = 0;
SELECT count(*), min(what), max(what) FROM log;
UPDATE item SET price = price * 1.1 WHERE customer IN (SELECT DISTINCT customer FROM item WHERE price > 139);
EXPLAIN QUERY PLAN SELECT * FROM item WHERE customer = 3 ORDER BY price DESC;
CREATE VIRTUAL TABLE words USING fts5(body);
INSERT INTO words SELECT name || ' customer ' || customer FROM item WHERE id < 5000;
SELECT count(*) FROM words WHERE words MATCH 'customer AND 42';
SELECT snippet(words, 0, '<', '>', '…', 4), rank FROM words WHERE words MATCH '42' ORDER BY rank LIMIT 3;
SELECT json_extract(value, '$.a[1]'), json_type(value) FROM json_each('[{"a":[1,2]},{"a":[3,4.5]}]');
SELECT json_group_object(id, price) FROM (SELECT id, round(price, 2) AS price FROM item LIMIT 3);
WITH RECURSIVE m(x, y, i, a, b) AS (
	SELECT x.v / 20.0 - 2, y.v / 10.0 - 1, 0, 0.0, 0.0
	FROM (WITH RECURSIVE s(v) AS (SELECT 0 UNION ALL SELECT v + 1 FROM s WHERE v < 59) SELECT v FROM s) x,
	(WITH RECURSIVE s(v) AS (SELECT 0 UNION ALL SELECT v + 1 FROM s WHERE v < 20) SELECT v FROM s) y
	UNION ALL SELECT x, y, i + 1, a * a - b * b + x, 2 * a * b + y FROM m WHERE a * a + b * b < 4 AND i < 20)
SELECT sum(i), count(*) FROM m;
SELECT hex(zeroblob(2)), typeof(1 / 2.0), 7 / 2, 7 % 3, abs(-9223372036854775807), 1e308 * 10, date('2024-01-31', '+1 month');
SELECT sqrt(2), pow(2, 0.5), log(10), sin(1);
PRAGMA integrity_check;
