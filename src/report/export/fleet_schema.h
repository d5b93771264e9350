/* fleet_schema: the tables of fleet.h, and views on them, as SQL for a database. */
#ifndef TARE_REPORT_EXPORT_FLEET_SCHEMA_H
#define TARE_REPORT_EXPORT_FLEET_SCHEMA_H

#include "base/base.h"

enum fleet_schema {
	FLEET_SCHEMA_NONE,
	FLEET_SCHEMA_CLICKHOUSE,    /* one server */
	FLEET_SCHEMA_SHARD,	    /* each of several, of the cluster "tare" */
	FLEET_SCHEMA_DUCKDB,	    /* views of the files in the working directory */
	FLEET_SCHEMA_DUCKDB_TABLES, /* tables, with those runs of the directory that they lack */
};

void fleet_schema_append(struct str *out, enum fleet_schema schema);

#endif
