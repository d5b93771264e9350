/*
 * See leaf_pages.h; the format is SQLite's, https://www.sqlite.org/fileformat2.html.
 *
 *   inner page:  kind 5 │ … │ number of cells │ … │ last child │ offsets of cells … │ cells
 *   a cell:      child │ its largest id
 *   leaf page:   kind 13 │ … │ number of cells │ … │ offsets of cells … │ cells
 *   a cell:      bytes of the row │ id │ bytes of the header │ types of the values │ values
 *
 * Refuses, so that SQLite reads them: other kinds of pages, rows that go on in another page, values
 * that are text or floating numbers, and everything that lies outside of its page.
 */
#include "profile/leaf_pages.h"

#include "profile/private.h"

#include <string.h>

enum {
	INNER_PAGE = 5,
	LEAF_PAGE = 13,
	INNER_HEADER_BYTES = 12,
	LEAF_HEADER_BYTES = 8,
	CELLS_AT = 3,
	LAST_CHILD_AT = 8,
	FILE_HEADER_BYTES = 100,
	RESERVED_AT =
		20, /* in the file's header: bytes at the end of each page that are not used */
	DEPTH_MAX = 20,
	CELL_OVERHEAD = 35, /* a row that is not longer than a page less this is in one page */
	TYPE_BYTES_FIRST = 12
};

struct leaf_pages {
	sqlite3_file *file;
	size_t page_bytes, usable;
	uint32_t page_count;
	struct vec_of(uint32_t) leaves; /* in the order of ids */
	int leaf_depth;			/* of them all; 0: not known yet */
	size_t next;			/* of leaves */
	unsigned char *page;		/* the present leaf */
	unsigned cell, cells;
};

/* ---- pages ---- */

static unsigned big_endian_u16(const unsigned char *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

static uint32_t big_endian_u32(const unsigned char *at)
{
	return (uint32_t)big_endian_u16(at) << 16 | big_endian_u16(at + 2);
}

/* As SQLite opened the file, so that it is the same one. */
static bool read_page(const struct leaf_pages *pages, uint32_t number, unsigned char *page)
{
	sqlite3_file *file = pages->file;

	if (number < 2 || number > pages->page_count) /* the first one is not only a table's */
		return false;
	const sqlite3_int64 offset = (sqlite3_int64)(number - 1) * (sqlite3_int64)pages->page_bytes;
	return file->pMethods->xRead(file, page, (int)pages->page_bytes, offset) == SQLITE_OK;
}

/* Where the cell begins; 0: nowhere. */
static size_t cell_at(const struct leaf_pages *pages, const unsigned char *page, size_t header,
		      unsigned cell)
{
	const size_t pointer = header + 2 * (size_t)cell;

	if (pointer + 2 > pages->usable)
		return 0;
	const size_t at = big_endian_u16(page + pointer);
	return at >= header && at + 4 <= pages->usable ? at : 0;
}

static bool collect_leaves(struct leaf_pages *pages, uint32_t number, int depth);

static bool collect_children(struct leaf_pages *pages, const unsigned char *page, int depth)
{
	const unsigned cells = big_endian_u16(page + CELLS_AT);

	for (unsigned cell = 0; cell < cells; cell++) {
		const size_t at = cell_at(pages, page, INNER_HEADER_BYTES, cell);
		if (!at || !collect_leaves(pages, big_endian_u32(page + at), depth + 1))
			return false;
	}
	return collect_leaves(pages, big_endian_u32(page + LAST_CHILD_AT), depth + 1);
}

/*
 * All leaves are equally deep, so one is read to know that; the others are when their rows are
 * asked for.
 */
static bool collect_leaves(struct leaf_pages *pages, uint32_t number, int depth)
{
	if (depth == DEPTH_MAX || pages->leaves.len == pages->page_count)
		return false;
	if (depth && depth == pages->leaf_depth) {
		vec_push(&pages->leaves, number);
		return true;
	}
	unsigned char *page = mem_alloc(pages->page_bytes);
	bool ok = read_page(pages, number, page);
	if (ok && page[0] == LEAF_PAGE) {
		pages->leaf_depth = depth;
		vec_push(&pages->leaves, number);
	} else {
		ok = ok && page[0] == INNER_PAGE && collect_children(pages, page, depth);
	}
	free(page);
	return ok;
}

/* ---- opening ---- */

static uint32_t root_page(struct profile *profile, const char *table)
{
	sqlite3_stmt *select = NULL;
	sqlite3_int64 root = 0;

	if (sqlite3_prepare_v2(
		    profile->database,
		    "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", -1,
		    &select, NULL) == SQLITE_OK &&
	    sqlite3_bind_text(select, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
	    sqlite3_step(select) == SQLITE_ROW)
		root = sqlite3_column_int64(select, 0);
	sqlite3_finalize(select);
	return root > 0 && root <= UINT32_MAX ? (uint32_t)root : 0;
}

static bool file_open(struct leaf_pages *pages, struct profile *profile)
{
	unsigned char header[FILE_HEADER_BYTES];
	sqlite3_int64 size = 0;

	if (sqlite3_file_control(profile->database, "main", SQLITE_FCNTL_FILE_POINTER,
				 &pages->file) != SQLITE_OK ||
	    !pages->file || !pages->file->pMethods)
		return false;
	const struct sqlite3_io_methods *methods = pages->file->pMethods;
	if (methods->xRead(pages->file, header, sizeof(header), 0) != SQLITE_OK ||
	    methods->xFileSize(pages->file, &size) != SQLITE_OK)
		return false;
	const unsigned raw = big_endian_u16(header + 16);
	pages->page_bytes = raw == 1 ? 65536 : raw;
	if (pages->page_bytes < 512 || pages->page_bytes & (pages->page_bytes - 1))
		return false;
	pages->usable = pages->page_bytes - header[RESERVED_AT];
	const sqlite3_int64 count = size / (sqlite3_int64)pages->page_bytes;
	pages->page_count = count > 0 && count < UINT32_MAX ? (uint32_t)count : 0;
	return pages->usable >= 480;
}

struct leaf_pages *leaf_pages_open(struct profile *profile, enum profile_table_id table)
{
	struct leaf_pages *pages = mem_zalloc(sizeof(*pages));
	const uint32_t root = root_page(profile, profile_tables[table].name);
	if (!file_open(pages, profile) || !collect_leaves(pages, root, 0)) {
		leaf_pages_close(pages);
		return NULL;
	}
	pages->page = mem_alloc(pages->page_bytes);
	return pages;
}

void leaf_pages_close(struct leaf_pages *pages)
{
	if (!pages)
		return;
	vec_fini(&pages->leaves);
	free(pages->page);
	free(pages);
}

/* ---- rows ---- */

/* A number of one to nine bytes, seven bits in each but the last of nine; false: it has no end. */
static bool take_number(const unsigned char **at, const unsigned char *end, uint64_t *number)
{
	uint64_t value = 0;

	for (int i = 0; i < 9 && *at < end; i++) {
		const unsigned char byte = *(*at)++;
		if (i == 8) {
			*number = value << 8 | byte;
			return true;
		}
		value = value << 7 | (byte & 0x7f);
		if (!(byte & 0x80)) {
			*number = value;
			return true;
		}
	}
	return false;
}

static bool take_row(const struct leaf_pages *pages, struct leaf_row *row)
{
	const size_t begin = cell_at(pages, pages->page, LEAF_HEADER_BYTES, pages->cell);
	const unsigned char *at = pages->page + begin, *end = pages->page + pages->usable;
	const size_t usable_for_row = pages->usable - CELL_OVERHEAD;
	uint64_t bytes, id, header, type;

	if (!begin || !take_number(&at, end, &bytes) || !take_number(&at, end, &id) ||
	    bytes > usable_for_row || bytes > (size_t)(end - at))
		return false;
	end = at + bytes;
	const unsigned char *const begins = at;
	if (!take_number(&at, end, &header) || header > bytes || header < (size_t)(at - begins) + 1)
		return false;
	row->types_end = row->values = begins + header;
	/* The id itself has no value in the row. */
	if (!take_number(&at, row->types_end, &type) || type != 0)
		return false;
	row->id = (int64_t)id;
	row->types = at;
	row->end = end;
	return true;
}

static bool next_leaf(struct leaf_pages *pages)
{
	if (!read_page(pages, pages->leaves.data[pages->next++], pages->page) ||
	    pages->page[0] != LEAF_PAGE)
		return false;
	pages->cell = 0;
	pages->cells = big_endian_u16(pages->page + CELLS_AT);
	return true;
}

int leaf_pages_next(struct leaf_pages *pages, struct leaf_row *row)
{
	while (pages->cell == pages->cells) {
		if (pages->next == pages->leaves.len)
			return 0;
		if (!next_leaf(pages))
			return -1;
	}
	if (!take_row(pages, row))
		return -1;
	pages->cell++;
	return 1;
}

bool leaf_row_take(struct leaf_row *row, struct leaf_value *value)
{
	uint64_t type;

	*value = (struct leaf_value){0};
	if (leaf_row_take_number(row, &value->number, &value->is_null))
		return true;
	if (!take_number(&row->types, row->types_end, &type) || type < TYPE_BYTES_FIRST || type % 2)
		return false;
	value->size = (type - TYPE_BYTES_FIRST) / 2;
	if (value->size > (size_t)(row->end - row->values))
		return false;
	value->bytes = row->values;
	row->values += value->size;
	return true;
}
