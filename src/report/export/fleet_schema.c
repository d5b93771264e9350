/*
 * The tables of a fleet as statements of SQL, for four cases: one ClickHouse server, one shard of
 * several, DuckDB, which reads the files where they are, and DuckDB with tables made of them.
 *
 * On a shard each table TABLE is a TABLE_local, and TABLE itself asks all shards; rows of a run are
 * on one shard. Sums (materialized in ClickHouse) are made where the rows are. Views on top of them
 * have the same text everywhere but for the names of functions that they look up.
 *
 *   files → function ─→ function_by_rank ─→ imbalance, function_by_build
 *           frame ────→ frame_by_program ──→ flame
 *           node ─────→ path_by_program ───→ all_paths
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

enum { MOST_SUMS = 6 };

/* Rows with the same keys become one. */
struct summed {
	const char *name, *from, *keys;
	struct {
		const char *of, *name;
	} sums[MOST_SUMS + 1]; /* the last one has no name */
};

static const struct summed all_summed[] = {
	{"function_by_rank",
	 "function",
	 "program, program_build_id, ranks, host, rank, function, module, build_id, name",
	 {{"1", "processes"},
	  {"calls", "all_calls"},
	  {"elapsed_inclusive_ns", "elapsed_ns"},
	  {"cpu_inclusive_ns", "cpu_ns"},
	  {"cpu_exclusive_ns", "cpu_own_ns"},
	  {"application_inclusive_ns", "application_ns"}}},
	{"frame_by_program",
	 "frame",
	 "program, event, unit, path, parent_path, level, function, name",
	 {{"calls", "all_calls"},
	  {"own", "all_own"},
	  {"small", "all_small"},
	  {"with_callees", "all_with_callees"}}},
	{"path_by_program",
	 "node",
	 "program, path, parent_path, function, level",
	 {{"calls", "all_calls"},
	  {"elapsed_exclusive_ns", "elapsed_own_ns"},
	  {"cpu_exclusive_ns", "cpu_own_ns"}}},
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
	/* Each row is a frame, `parent_path` the one below it. */
	{"flame", "SELECT program, event, unit, path, parent AS parent_path, steps AS level, label "
		  "AS name,\n"
		  "    own, small, with_callees, calls\n"
		  "  FROM (SELECT program, event, unit, path, max(parent_path) AS parent,\n"
		  "      max(level) AS steps, max(name) AS label, sum(all_own) AS own,\n"
		  "      sum(all_small) AS small, sum(all_with_callees) AS with_callees,\n"
		  "      sum(all_calls) AS calls\n"
		  "    FROM frame_by_program GROUP BY program, event, unit, path) AS frames"},
};

static bool is_duckdb(enum fleet_schema schema)
{
	return schema == FLEET_SCHEMA_DUCKDB || schema == FLEET_SCHEMA_DUCKDB_TABLES;
}

static void append_columns(struct str *out, const struct fleet_table *table,
			   enum fleet_schema schema)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct fleet_column *column = &table->columns[i];
		if (schema == FLEET_SCHEMA_DUCKDB_TABLES)
			str_printf(out, "%s%s %s", i ? ", " : "", column->name,
				   duckdb_types[column->type]);
		else if (schema == FLEET_SCHEMA_DUCKDB)
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

/* The files of a table in the working directory. */
static void append_files(struct str *out, const struct fleet_table *table)
{
	str_printf(out,
		   "SELECT * FROM read_csv('%s.*.csv',\n"
		   "  header = true, delim = ',', quote = '\"', escape = '\"',\n"
		   "  auto_detect = false, allow_quoted_nulls = false, columns = {",
		   table->name);
	append_columns(out, table, FLEET_SCHEMA_DUCKDB);
	str_append(out, "})");
}

/* All or nothing; `run` comes last, as its rows tell which runs are there. */
static void append_loading(struct str *out)
{
	str_append(out, "BEGIN TRANSACTION;\n");
	for (size_t i = 0; i < FLEET_TABLES; i++) {
		str_printf(out, "CREATE TABLE IF NOT EXISTS %s (\n  ", fleet_tables[i].name);
		append_columns(out, &fleet_tables[i], FLEET_SCHEMA_DUCKDB_TABLES);
		str_append(out, ");\n");
	}
	for (size_t i = 0; i < FLEET_TABLES; i++) {
		str_printf(out, "INSERT INTO %s ", fleet_tables[i].name);
		append_files(out, &fleet_tables[i]);
		str_append(out, "\n  WHERE run NOT IN (SELECT run FROM run);\n");
	}
}

static void append_table(struct str *out, const struct fleet_table *table, enum fleet_schema schema)
{
	if (schema == FLEET_SCHEMA_DUCKDB) {
		str_printf(out, "CREATE OR REPLACE VIEW %s AS ", table->name);
		append_files(out, table);
		str_append(out, ";\n");
		return;
	}
	str_printf(out, "CREATE TABLE IF NOT EXISTS %s%s (\n  ", table->name, ending(schema));
	append_columns(out, table, schema);
	str_printf(out, ")\n  ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (%s);\n",
		   table->key);
	if (schema == FLEET_SCHEMA_SHARD)
		append_distributed(out, table->name, "run");
}

/* DuckDB's sums have 128 bits, for which Parquet has no integers. */
static void append_sums(struct str *out, const struct summed *summed, enum fleet_schema schema)
{
	for (size_t i = 0; summed->sums[i].name; i++)
		str_printf(out, "%ssum(%s)%s AS %s", i ? ", " : "", summed->sums[i].of,
			   is_duckdb(schema) ? "::UBIGINT" : "", summed->sums[i].name);
}

static void append_summed(struct str *out, const struct summed *summed, enum fleet_schema schema)
{
	if (is_duckdb(schema))
		str_printf(out, "CREATE OR REPLACE %s %s",
			   schema == FLEET_SCHEMA_DUCKDB ? "VIEW" : "TABLE", summed->name);
	else
		str_printf(out,
			   "CREATE MATERIALIZED VIEW IF NOT EXISTS %s%s\n"
			   "  ENGINE = SummingMergeTree ORDER BY (%s)",
			   summed->name, ending(schema), summed->keys);
	str_printf(out, " AS\n  SELECT %s,\n    ", summed->keys);
	append_sums(out, summed, schema);
	str_printf(out, "\n  FROM %s%s GROUP BY %s;\n", summed->from, ending(schema), summed->keys);
	if (schema == FLEET_SCHEMA_SHARD)
		append_distributed(out, summed->name, "rand()");
}

static const char *create_view(enum fleet_schema schema)
{
	return is_duckdb(schema) ? "CREATE OR REPLACE VIEW" : "CREATE VIEW IF NOT EXISTS";
}

/* All call paths with their names. */
static void append_all_paths(struct str *out, enum fleet_schema schema)
{
	str_printf(out,
		   "%s all_paths AS\n"
		   "  SELECT program, path, parent_path, level, function, name, own_ns, calls\n"
		   "  FROM (SELECT program, path, max(parent_path) AS parent_path,\n"
		   "      max(level) AS level, max(function) AS function,\n"
		   "      sum(cpu_own_ns) AS own_ns, sum(all_calls) AS calls\n"
		   "    FROM path_by_program GROUP BY program, path) AS paths\n"
		   "  %s JOIN (SELECT function, max(name) AS name FROM function_by_rank\n"
		   "    GROUP BY function) AS names USING (function);\n",
		   create_view(schema), is_duckdb(schema) ? "LEFT" : "ANY LEFT");
}

void fleet_schema_append(struct str *out, enum fleet_schema schema)
{
	str_printf(out, "-- Tables of profiles for %s, made by tare export --schema.\n",
		   is_duckdb(schema) ? "DuckDB" : "ClickHouse");
	if (schema == FLEET_SCHEMA_DUCKDB_TABLES)
		append_loading(out);
	else
		for (size_t i = 0; i < FLEET_TABLES; i++)
			append_table(out, &fleet_tables[i], schema);
	for (size_t i = 0; i < TABLE_COUNT(all_summed); i++)
		append_summed(out, &all_summed[i], schema);
	if (schema == FLEET_SCHEMA_DUCKDB_TABLES)
		str_append(out, "COMMIT;\n");
	for (size_t i = 0; i < TABLE_COUNT(views); i++)
		str_printf(out, "%s %s AS\n  %s;\n", create_view(schema), views[i].name,
			   views[i].query);
	append_all_paths(out, schema);
}
