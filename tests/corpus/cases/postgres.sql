SET jit_above_cost = 0;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE TABLE item(id int PRIMARY KEY, customer int, name text, price numeric(12, 4), tags jsonb, at timestamptz);
INSERT INTO item SELECT i, i * 7919 % 101, 'item ' || i, (i * 13 % 977) / 7.0,
	jsonb_build_object('n', i % 10, 'list', jsonb_build_array(i, i * 2)), timestamptz '2020-01-01 UTC' + i * interval '1 hour'
	FROM generate_series(1, 20000) i;
CREATE INDEX ON item(customer, price DESC);
CREATE INDEX ON item USING gin(tags);
ANALYZE item;
SELECT customer, count(*), round(avg(price), 4), max(name) FROM item GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT 5;
SELECT id, rank() OVER w, sum(price) OVER (w ROWS 3 PRECEDING) FROM item WHERE customer = 7 WINDOW w AS (PARTITION BY customer ORDER BY price DESC, id) LIMIT 6;
SELECT count(*) FROM item a JOIN item b ON a.customer = b.customer AND a.price < b.price WHERE a.id < 300;
SELECT count(*) FROM item WHERE tags @> '{"n": 3}' AND name ~ '^item (\d)\1';
WITH RECURSIVE t(a, b) AS (SELECT 0::numeric, 1::numeric UNION ALL SELECT b, a + b FROM t WHERE b < 1e40) SELECT max(b) FROM t;
SELECT to_tsvector('english', 'the quick brown foxes jumped') @@ to_tsquery('fox & jump');
CREATE FUNCTION collatz(n bigint) RETURNS int LANGUAGE plpgsql AS $$
DECLARE steps int := 0;
BEGIN
	WHILE n != 1 LOOP
		n := CASE WHEN n % 2 = 0 THEN n / 2 ELSE 3 * n + 1 END;
		steps := steps + 1;
	END LOOP;
	RETURN steps;
EXCEPTION WHEN numeric_value_out_of_range THEN RETURN -1;
END $$;
SELECT max(collatz(i)), sum(collatz(i)) FROM generate_series(1, 2000) i;
DO $$ BEGIN PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN RAISE NOTICE 'caught %', SQLERRM; END $$;
SELECT 1 / 0;
SELECT none FROM item;
INSERT INTO item(id) VALUES (1);
BEGIN; DELETE FROM item WHERE id % 2 = 0; ROLLBACK;
SELECT date_trunc('month', at)::date, count(*) FROM item GROUP BY 1 ORDER BY 1 LIMIT 3;
SELECT md5(string_agg(price::text, ',' ORDER BY id)), exp(1.0), sqrt(2), 2 ^ 0.5, sha256('x') FROM item;
EXPLAIN (COSTS off) SELECT * FROM item WHERE customer = 3 ORDER BY price DESC LIMIT 1;
