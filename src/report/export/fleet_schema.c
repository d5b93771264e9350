/*
 * The tables of a fleet as statements of SQL, for three cases: one ClickHouse server, one shard of
 * several, and DuckDB, which reads the files where they are.
 *
 * On a shard each table TABLE is a TABLE_local, and TABLE itself asks all shards; rows of a run are
 * on one shard. Sums (materialized in ClickHouse) are made where the rows are. Views on top of them
 * have the same text everywhere but for the names of functions that they look up.
 *
 *   files → function ─→ function_by_rank ─→ imbalance, function_by_build
 *           node ─────→ path_by_program ────→ flame
 */
#include "report/export/fleet_schema.h"

#include "report/export/fleet.h"

static const char *const clickhouse_types[FLEET_TYPES] = {
	[FLEET_NUMBER] = "UInt64", [FLEET_SIGNED] = "Int64", [FLEET_REAL] = "Float64",
	[FLEET_TEXT] = "String",   [FLEET_DATE] = "Date",
};

static const char *const duckdb_types[FLEET_TYPES] = {
	[FLEET_NUMBER] = "UBIGINT", [FLEET_SIGNED] = "BIGINT", [FLEET_REAL] = "DOUBLE",
	[FLEET_TEXT] = "VARCHAR",   [FLEET_DATE] = "DATE",
};

/* Rows with the same keys become one. */
struct summed {
	const char *name, *from, *keys, *sums;
};

static const struct summed all_summed[] = {
	{"function_by_rank", "function",
	 "program, program_build_id, ranks, host, rank, function, module, build_id, name",
	 "sum(1) AS processes, sum(calls) AS all_calls, sum(elapsed_inclusive_ns) AS elapsed_ns, "
	 "sum(cpu_inclusive_ns) AS cpu_ns, sum(cpu_exclusive_ns) AS cpu_own_ns, "
	 "sum(application_inclusive_ns) AS application_ns"},
	{"path_by_program", "node", "program, path, parent_path, function, level",
	 "sum(calls) AS all_calls, sum(elapsed_exclusive_ns) AS elapsed_own_ns, "
	 "sum(cpu_exclusive_ns) AS cpu_own_ns"},
};

/* Those that have the same text everywhere. */
static const struct {
	const char *name, *query;
} views[] = {
	{"loaded_twice", "SELECT run, count(*) AS times FROM run GROUP BY run HAVING count(*) > 1"},
	/* Of a rank that never calls it there is no row: it has 0. */
	{"imbalance",
	 "SELECT program, program_build_id, job_ranks AS ranks, function, max(of_module) AS "
	 "module,\n"
	 "    max(of_name) AS name, count(*) AS called_by,\n"
	 "    CASE WHEN count(*) < job_ranks THEN 0 ELSE min(cpu) END AS least_ns,\n"
	 "    sum(cpu) / job_ranks AS average_ns, max(cpu) AS most_ns,\n"
	 "    (max(cpu) * job_ranks / sum(cpu) - 1) * 100 AS imbalance_percent\n"
	 "  FROM (SELECT program, program_build_id, ranks AS job_ranks, function, rank,\n"
	 "      max(module) AS of_module, max(name) AS of_name, sum(cpu_ns) AS cpu\n"
	 "    FROM function_by_rank WHERE rank >= 0 AND ranks > 0\n"
	 "    GROUP BY program, program_build_id, ranks, function, rank) AS by_rank\n"
	 "  GROUP BY program, program_build_id, job_ranks, function"},
	{"function_by_build",
	 "SELECT program, program_build_id, function, max(module) AS module,\n"
	 "    max(name) AS name, sum(processes) AS ran_in, sum(all_calls) AS calls,\n"
	 "    sum(cpu_own_ns) AS own_ns, sum(cpu_ns) AS with_callees_ns\n"
	 "  FROM function_by_rank GROUP BY program, program_build_id, function"},
};

static void append_columns(struct str *out, const struct fleet_table *table,
			   enum fleet_schema schema)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct fleet_column *column = &table->columns[i];
		if (schema == FLEET_SCHEMA_DUCKDB)
			str_printf(out, "%s'%s': '%s'", i ? ", " : "", column->name,
				   duckdb_types[column->type]);
		else
			str_printf(out, "%s%s %s", i ? ", " : "", column->name,
				   clickhouse_types[column->type]);
	}
}

static const char *ending(enum fleet_schema schema)
{
	return schema == FLEET_SCHEMA_SHARD ? "_local" : "";
}

/* What asks the tables `name`_local of all shards. */
static void append_distributed(struct str *out, const char *name, const char *key)
{
	str_printf(out,
		   "CREATE TABLE IF NOT EXISTS %s AS %s_local\n"
		   "  ENGINE = Distributed(tare, currentDatabase(), %s_local, %s);\n",
		   name, name, name, key);
}

static void append_table(struct str *out, const struct fleet_table *table, enum fleet_schema schema)
{
	if (schema == FLEET_SCHEMA_DUCKDB) {
		str_printf(out,
			   "CREATE OR REPLACE VIEW %s AS SELECT * FROM read_csv('%s.*.csv',\n"
			   "  header = true, delim = ',', quote = '\"', escape = '\"',\n"
			   "  auto_detect = false, allow_quoted_nulls = false, columns = {",
			   table->name, table->name);
		append_columns(out, table, schema);
		str_append(out, "});\n");
		return;
	}
	str_printf(out, "CREATE TABLE IF NOT EXISTS %s%s (\n  ", table->name, ending(schema));
	append_columns(out, table, schema);
	str_printf(out, ")\n  ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (%s);\n",
		   table->key);
	if (schema == FLEET_SCHEMA_SHARD)
		append_distributed(out, table->name, "run");
}

static void append_summed(struct str *out, const struct summed *summed, enum fleet_schema schema)
{
	if (schema == FLEET_SCHEMA_DUCKDB)
		str_printf(out, "CREATE OR REPLACE VIEW %s", summed->name);
	else
		str_printf(out,
			   "CREATE MATERIALIZED VIEW IF NOT EXISTS %s%s\n"
			   "  ENGINE = SummingMergeTree ORDER BY (%s)",
			   summed->name, ending(schema), summed->keys);
	str_printf(out, " AS\n  SELECT %s,\n    %s\n  FROM %s%s GROUP BY %s;\n", summed->keys,
		   summed->sums, summed->from, ending(schema), summed->keys);
	if (schema == FLEET_SCHEMA_SHARD)
		append_distributed(out, summed->name, "rand()");
}

static const char *create_view(enum fleet_schema schema)
{
	return schema == FLEET_SCHEMA_DUCKDB ? "CREATE OR REPLACE VIEW"
					     : "CREATE VIEW IF NOT EXISTS";
}

/* Call paths with their names: each row is a frame, `parent_path` the one below it. */
static void append_flame(struct str *out, enum fleet_schema schema)
{
	str_printf(out,
		   "%s flame AS\n"
		   "  SELECT program, path, parent_path, level, function, name, own_ns, calls\n"
		   "  FROM (SELECT program, path, max(parent_path) AS parent_path,\n"
		   "      max(level) AS level, max(function) AS function,\n"
		   "      sum(cpu_own_ns) AS own_ns, sum(all_calls) AS calls\n"
		   "    FROM path_by_program GROUP BY program, path) AS paths\n"
		   "  %s JOIN (SELECT function, max(name) AS name FROM function_by_rank\n"
		   "    GROUP BY function) AS names USING (function);\n",
		   create_view(schema), schema == FLEET_SCHEMA_DUCKDB ? "LEFT" : "ANY LEFT");
}

void fleet_schema_append(struct str *out, enum fleet_schema schema)
{
	str_printf(out, "-- Tables of profiles for %s, made by tare export --schema.\n",
		   schema == FLEET_SCHEMA_DUCKDB ? "DuckDB" : "ClickHouse");
	for (size_t i = 0; i < FLEET_TABLES; i++)
		append_table(out, &fleet_tables[i], schema);
	for (size_t i = 0; i < TABLE_COUNT(all_summed); i++)
		append_summed(out, &all_summed[i], schema);
	for (size_t i = 0; i < TABLE_COUNT(views); i++)
		str_printf(out, "%s %s AS\n  %s;\n", create_view(schema), views[i].name,
			   views[i].query);
	append_flame(out, schema);
}
