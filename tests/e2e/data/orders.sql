-- A small shop, generated inside SQLite by recursive queries with a fixed linear congruential
-- sequence, then questioned with joins, aggregates, windows, sorting and indexes.
PRAGMA cache_size = -8000;
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL, region TEXT NOT NULL);
CREATE TABLE product(id INTEGER PRIMARY KEY, name TEXT NOT NULL, price_cents INTEGER NOT NULL);
CREATE TABLE "order"(id INTEGER PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customer(id),
  day INTEGER NOT NULL);
CREATE TABLE line("order" INTEGER NOT NULL REFERENCES "order"(id),
  product INTEGER NOT NULL REFERENCES product(id), quantity INTEGER NOT NULL);

BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
INSERT INTO customer
SELECT i, printf('customer %05d', (i * 7919) % 100003),
  CASE i % 5 WHEN 0 THEN 'north' WHEN 1 THEN 'south' WHEN 2 THEN 'east' WHEN 3 THEN 'west'
    ELSE 'overseas' END
FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
INSERT INTO product
SELECT i, 'product ' || hex(i * 2654435761 % 65536), 50 + (i * i * 31) % 9950 FROM n;
WITH RECURSIVE n(i, seed) AS (
  SELECT 1, 12345
  UNION ALL SELECT i + 1, (seed * 1103515245 + 12345) % 2147483648 FROM n WHERE i < 20000)
INSERT INTO "order" SELECT i, 1 + (seed >> 8) % 2000, (seed >> 4) % 365 FROM n;
WITH RECURSIVE n(i, seed) AS (
  SELECT 1, 54321
  UNION ALL SELECT i + 1, (seed * 1103515245 + 12345) % 2147483648 FROM n WHERE i < 60000)
INSERT INTO line SELECT 1 + (seed >> 6) % 20000, 1 + (seed >> 15) % 500,
  1 + (seed >> 3) % 9 FROM n;
COMMIT;

CREATE INDEX line_by_order ON line("order");
CREATE INDEX line_by_product ON line(product, quantity);
CREATE INDEX order_by_customer ON "order"(customer, day);
ANALYZE;

SELECT 'revenue by region';
SELECT region, count(DISTINCT o.id), sum(l.quantity), sum(l.quantity * p.price_cents) / 100
FROM customer c JOIN "order" o ON o.customer = c.id JOIN line l ON l."order" = o.id
  JOIN product p ON p.id = l.product
GROUP BY region ORDER BY 4 DESC;

SELECT 'best customers';
SELECT c.name, sum(l.quantity * p.price_cents) AS cents
FROM customer c JOIN "order" o ON o.customer = c.id JOIN line l ON l."order" = o.id
  JOIN product p ON p.id = l.product
GROUP BY c.id HAVING count(*) > 3 ORDER BY cents DESC, c.name LIMIT 20;

SELECT 'running revenue by week';
SELECT week, cents, sum(cents) OVER (ORDER BY week ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)
FROM (SELECT o.day / 7 AS week, sum(l.quantity * p.price_cents) AS cents
  FROM "order" o JOIN line l ON l."order" = o.id JOIN product p ON p.id = l.product GROUP BY week)
ORDER BY week;

SELECT 'products often bought together';
SELECT a.product, b.product, count(*) AS together
FROM line a JOIN line b ON a."order" = b."order" AND a.product < b.product
GROUP BY 1, 2 ORDER BY together DESC, 1, 2 LIMIT 15;

SELECT 'text work';
SELECT count(*), sum(length(replace(upper(name), 'E', 'ee'))) FROM customer
WHERE name LIKE '%9%' OR name GLOB '*0?1*';

SELECT 'idle customers';
SELECT count(*) FROM customer c
WHERE NOT EXISTS (SELECT 1 FROM "order" o WHERE o.customer = c.id AND o.day BETWEEN 100 AND 200);

UPDATE product SET price_cents = price_cents * 11 / 10
WHERE id IN (SELECT product FROM line GROUP BY product HAVING sum(quantity) > 700);
DELETE FROM line WHERE quantity = 1 AND product % 7 = 3;
SELECT 'after changes', count(*), sum(quantity), (SELECT sum(price_cents) FROM product) FROM line;
PRAGMA integrity_check;
