/*
 *   file:  magic, size | sizes and places of: attributes, data | bits of features | … data …
 *          | for each bit: place and size of the feature
 *   pipe:  magic, size | records, some of which are attributes and features
 *
 * Refused are the other byte order, the format of perf before 2009 and other machines than x86-64.
 * A feature that is damaged is left out: it says something about the data, but is not of them.
 */
#include "sampler/perf_header.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum perf_feature {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_CPUDESC = 8,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_STAT = 19,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_BITS = 256,
};

enum {
	FILE_HEADER_BYTES = 104,
	PIPE_HEADER_BYTES = 16,
	SECTION_BYTES = 16,
	SECTION_BYTES_MAX = 1 << 26, /* of attributes, of a feature */
	MISC_BUILD_ID_SIZE = 1 << 15,
	UPDATE_NAME = 2,
};

#define MAGIC	UINT64_C(0x32454c4946524550) /* "PERFILE2" */
#define MAGIC_1 UINT64_C(0x454c494646524550) /* "PERFFILE" */

struct file_section {
	uint64_t offset, size;
};

/* ---- records and features ---- */

/* u32 length, then so many bytes with a string in them; NULL if there is none. */
static const char *read_sized_string(struct byte_reader *reader)
{
	const uint32_t size = read_u32(reader);
	struct byte_reader text = *reader;

	read_skip(reader, size);
	if (reader->failed)
		return NULL;
	text.end = reader->at;
	return read_string(&text);
}

static void take_string(struct perf_header *header, struct byte_reader *reader, const char **where)
{
	const char *text = read_sized_string(reader);

	if (text)
		*where = arena_strdup(&header->arena, text);
}

static void take_command_line(struct perf_header *header, struct byte_reader *reader)
{
	uint32_t count = read_u32(reader);

	header->origin.command_line.len = 0;
	for (; count && !reader->failed; count--) {
		const char *word = "";

		take_string(header, reader, &word);
		if (!reader->failed)
			vec_push(&header->origin.command_line, word);
	}
}

/* Names of events, by their ids; in order where they have none. */
static void take_event_names(struct perf_header *header, struct byte_reader *reader)
{
	const uint32_t count = read_u32(reader), attr_bytes = read_u32(reader);

	for (uint32_t i = 0; i < count && !reader->failed; i++) {
		read_skip(reader, attr_bytes);
		uint32_t ids = read_u32(reader);
		const char *name = read_sized_string(reader);

		if (!name)
			return;
		if (!ids && i < header->attrs.list.len)
			perf_attr_name(header->attrs.list.data[i], name);
		for (; ids && !reader->failed; ids--)
			perf_attrs_name(&header->attrs, read_u64(reader), name);
	}
}

static void take_clock(struct perf_header *header, struct byte_reader *reader)
{
	read_u32(reader); /* version */
	read_u32(reader); /* which clock */
	const uint64_t wall = read_u64(reader), clock = read_u64(reader);

	if (reader->failed)
		return;
	header->origin.wall_clock_ns = wall;
	header->origin.clock_ns = clock;
}

static void take_build_ids(struct perf_header *header, struct byte_reader *reader)
{
	while (bytes_left(reader) >= 8) {
		read_u32(reader); /* type */
		const uint16_t misc = read_u16(reader), size = read_u16(reader);
		struct byte_reader record = *reader;

		if (size < 8)
			return;
		read_skip(reader, size - 8U);
		if (reader->failed)
			return;
		record.end = reader->at;
		perf_header_take_build_id(header, misc, record);
	}
}

void perf_header_take_feature(struct perf_header *header, unsigned feature,
			      struct byte_reader bytes)
{
	struct perf_origin *origin = &header->origin;

	switch (feature) {
	case FEATURE_BUILD_ID:
		take_build_ids(header, &bytes);
		break;
	case FEATURE_HOSTNAME:
		take_string(header, &bytes, &origin->host);
		break;
	case FEATURE_OSRELEASE:
		take_string(header, &bytes, &origin->release);
		break;
	case FEATURE_VERSION:
		take_string(header, &bytes, &origin->perf_version);
		break;
	case FEATURE_ARCH:
		take_string(header, &bytes, &origin->architecture);
		break;
	case FEATURE_CPUDESC:
		take_string(header, &bytes, &origin->processor);
		break;
	case FEATURE_CMDLINE:
		take_command_line(header, &bytes);
		break;
	case FEATURE_EVENT_DESC:
		take_event_names(header, &bytes);
		break;
	case FEATURE_STAT:
		header->is_stat = true;
		break;
	case FEATURE_DIR_FORMAT:
		header->in_parts = read_u64(&bytes) != 0;
		break;
	case FEATURE_CLOCK_DATA:
		take_clock(header, &bytes);
		break;
	default:
		break;
	}
}

void perf_header_take_build_id(struct perf_header *header, uint16_t misc, struct byte_reader bytes)
{
	struct perf_build_id id = {.size = PERF_BUILD_ID_BYTES};

	read_u32(&bytes); /* pid */
	for (int i = 0; i < PERF_BUILD_ID_BYTES; i++)
		id.bytes[i] = read_u8(&bytes);
	const uint8_t size = read_u8(&bytes);

	read_skip(&bytes, 3);
	const char *path = read_string(&bytes);
	if (misc & MISC_BUILD_ID_SIZE)
		id.size = size;
	if (bytes.failed || !path || id.size > PERF_BUILD_ID_BYTES || !id.size)
		return;
	id.path = arena_strdup(&header->arena, path);
	*strmap_put(&header->build_id_of, id.path, 0) = header->build_ids.len;
	vec_push(&header->build_ids, id);
}

void perf_header_take_update(struct perf_header *header, struct byte_reader bytes)
{
	const uint64_t what = read_u64(&bytes), id = read_u64(&bytes);
	const char *name = what == UPDATE_NAME ? read_string(&bytes) : NULL;

	if (name)
		perf_attrs_name(&header->attrs, id, name);
}

bool perf_header_take_attr(struct perf_header *header, struct byte_reader bytes, struct error *err)
{
	struct byte_reader sized = bytes;

	read_u32(&sized); /* type */
	uint32_t size = read_u32(&sized);

	if (size < PERF_ATTR_SIZE_VER0)
		size = PERF_ATTR_SIZE_VER0;
	if (size > bytes_left(&bytes))
		return error_set(err, ERROR_INPUT, "the attributes of an event are cut off");
	if (!perf_attrs_add(&header->attrs, bytes.at, size, err))
		return false;
	read_skip(&bytes, size);
	while (bytes_left(&bytes) >= sizeof(uint64_t))
		perf_attrs_add_id(&header->attrs, read_u64(&bytes));
	return true;
}

const struct perf_build_id *perf_header_build_id(const struct perf_header *header, const char *path)
{
	const uint64_t *index = strmap_get(&header->build_id_of, path);

	return index ? &header->build_ids.data[*index] : NULL;
}

/* ---- sections of files ---- */

/* How many of `size` bytes at `offset` there are. */
static size_t read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t got =
			pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

/* The bytes of a section, to be freed; NULL where it does not lie in the file. */
static void *read_section(int fd, uint64_t file_size, struct file_section section)
{
	if (section.offset > file_size || section.size > file_size - section.offset ||
	    section.size > SECTION_BYTES_MAX)
		return NULL;
	void *bytes = mem_alloc(section.size + 1);

	if (read_at(fd, bytes, section.size, section.offset) == section.size)
		return bytes;
	free(bytes);
	return NULL;
}

static struct file_section take_section(struct byte_reader *reader)
{
	struct file_section section = {.offset = read_u64(reader)};

	section.size = read_u64(reader);
	return section;
}

/* One entry of the attributes: the attributes, and where their ids are. */
static bool take_attr(struct perf_header *header, int fd, uint64_t file_size,
		      struct byte_reader entry, struct error *err)
{
	const size_t attr_bytes = bytes_left(&entry) - SECTION_BYTES;

	if (!perf_attrs_add(&header->attrs, entry.at, attr_bytes, err))
		return false;
	read_skip(&entry, attr_bytes);
	const struct file_section place = take_section(&entry);
	void *bytes = read_section(fd, file_size, place);

	if (!bytes)
		return error_set(err, ERROR_INPUT, "the ids of an event lie outside of the file");
	struct byte_reader ids = byte_reader(bytes, place.size);
	while (bytes_left(&ids) >= sizeof(uint64_t))
		perf_attrs_add_id(&header->attrs, read_u64(&ids));
	free(bytes);
	return true;
}

static bool take_attrs(struct perf_header *header, int fd, uint64_t file_size,
		       struct file_section place, uint64_t entry_bytes, struct error *err)
{
	if (entry_bytes < PERF_ATTR_SIZE_VER0 + SECTION_BYTES || place.size < entry_bytes)
		return error_set(err, ERROR_INPUT, "its header names no events");
	void *bytes = read_section(fd, file_size, place);
	bool good = true;

	if (!bytes)
		return error_set(err, ERROR_INPUT,
				 "the attributes of its events lie outside of the file");
	struct byte_reader entries = byte_reader(bytes, place.size);
	while (good && bytes_left(&entries) >= entry_bytes) {
		good = take_attr(header, fd, file_size, byte_reader(entries.at, entry_bytes), err);
		read_skip(&entries, entry_bytes);
	}
	free(bytes);
	return good;
}

static bool has_bit(const uint64_t *bits, unsigned bit)
{
	return bits[bit / 64] >> bit % 64 & 1;
}

/* Their places stand behind the data. */
static void take_features(struct perf_header *header, int fd, uint64_t file_size,
			  const uint64_t *bits)
{
	uint64_t at = header->data_end;

	for (unsigned feature = 1; feature < FEATURE_BITS; feature++) {
		unsigned char place[SECTION_BYTES];

		if (!has_bit(bits, feature))
			continue;
		if (read_at(fd, place, sizeof(place), at) < sizeof(place))
			return;
		struct byte_reader reader = byte_reader(place, sizeof(place));
		const struct file_section section = take_section(&reader);
		void *bytes = read_section(fd, file_size, section);

		at += sizeof(place);
		if (bytes)
			perf_header_take_feature(header, feature, byte_reader(bytes, section.size));
		free(bytes);
	}
}

/*
 * A size of 0 is what perf writes at first, and also what is true of a file without records: there,
 * the places of the features follow at once.
 */
static bool is_unfinished(int fd, struct file_section data, const uint64_t *bits)
{
	uint64_t features = 0, first = 0;

	if (data.size)
		return false;
	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		features += (uint64_t)__builtin_popcountll(bits[i]);
	return read_at(fd, &first, sizeof(first), data.offset) == sizeof(first) &&
	       first != data.offset + features * SECTION_BYTES;
}

static bool read_file_header(struct perf_header *header, int fd, uint64_t file_size,
			     struct error *err)
{
	unsigned char bytes[FILE_HEADER_BYTES];
	uint64_t bits[FEATURE_BITS / 64];

	if (file_size == UINT64_MAX)
		return error_set(err, ERROR_INPUT,
				 "it is a file of perf record that comes through a pipe: give its "
				 "name, or record with -o -");
	if (read_at(fd, bytes, sizeof(bytes), 0) < sizeof(bytes))
		return error_set(err, ERROR_INPUT, "its header is cut off");
	struct byte_reader reader = byte_reader(bytes, sizeof(bytes));

	read_skip(&reader, 16);
	const uint64_t entry_bytes = read_u64(&reader);
	const struct file_section attrs = take_section(&reader), data = take_section(&reader);

	take_section(&reader); /* types of events: of old */
	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		bits[i] = read_u64(&reader);
	if (!take_attrs(header, fd, file_size, attrs, entry_bytes, err))
		return false;
	header->unfinished = is_unfinished(fd, data, bits);
	header->data_offset = data.offset;
	if (data.offset > file_size)
		return error_set(err, ERROR_INPUT, "it ends before its data begin");
	if (__builtin_add_overflow(data.offset, data.size, &header->data_end) ||
	    header->data_end > file_size || header->unfinished)
		header->data_end = file_size;
	header->cut_off = data.size > header->data_end - data.offset;
	if (!header->unfinished && !header->cut_off)
		take_features(header, fd, file_size, bits);
	return true;
}

/* ---- the begin ---- */

static bool check_magic(uint64_t magic, struct error *err)
{
	if (magic == MAGIC)
		return true;
	if (magic == __builtin_bswap64(MAGIC))
		return error_set(err, ERROR_UNSUPPORTED,
				 "it was recorded on a machine of the other byte order; tare reads "
				 "those of x86-64 only");
	if (magic == MAGIC_1 || magic == __builtin_bswap64(MAGIC_1))
		return error_set(err, ERROR_UNSUPPORTED,
				 "it has the format that perf wrote before Linux 3.6; record again "
				 "with a newer perf");
	return error_set(err, ERROR_INPUT, "it is not a file of perf record");
}

bool perf_header_check(const struct perf_header *header, struct error *err)
{
	const char *name = header->origin.architecture;

	if (*name && strcmp(name, "x86_64") != 0)
		return error_set(err, ERROR_UNSUPPORTED,
				 "it was recorded on %.40s; tare reads recordings of x86-64 only",
				 name);
	if (header->is_stat)
		return error_set(err, ERROR_UNSUPPORTED,
				 "it is of perf stat record and has counts, no samples");
	if (header->in_parts)
		return error_set(err, ERROR_UNSUPPORTED,
				 "its samples are in several files, as perf record --threads "
				 "writes them; record without --threads");
	return true;
}

bool perf_header_read(struct perf_header *header, int fd, uint64_t size, struct error *err)
{
	uint64_t begin[2] = {0};
	size_t got = 0;

	*header = (struct perf_header){.data_end = UINT64_MAX, .data_offset = sizeof(begin)};
	header->origin = (struct perf_origin){
		.host = "", .release = "", .perf_version = "", .architecture = "", .processor = ""};
	arena_init(&header->arena);
	perf_attrs_init(&header->attrs);
	strmap_init(&header->build_id_of);
	while (got < sizeof(begin)) {
		const ssize_t more = read(fd, (char *)begin + got, sizeof(begin) - got);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return error_set_errno(err, errno, "it cannot be read");
		if (!more)
			return error_set(err, ERROR_INPUT,
					 got ? "its header is cut off" : "it is empty");
		got += (size_t)more;
	}
	if (!check_magic(begin[0], err))
		return false;
	header->is_pipe = begin[1] == PIPE_HEADER_BYTES;
	if (header->is_pipe)
		return true;
	return read_file_header(header, fd, size, err) && perf_header_check(header, err);
}

void perf_header_fini(struct perf_header *header)
{
	perf_attrs_fini(&header->attrs);
	vec_fini(&header->origin.command_line);
	vec_fini(&header->build_ids);
	strmap_fini(&header->build_id_of);
	arena_fini(&header->arena);
}
