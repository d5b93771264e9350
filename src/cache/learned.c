/*
 *   cache: KEY/.tare-learned ──checked──▶ session: learned.N ──▶ runtime
 *             ▲                                                  │ what it disarms, and takes back
 *             └── (old, less what was taken back) and what is disarmed in the end ◀──┘
 *
 * A bare copy is made when something was learned, and anew when what was learned since is a part of
 * what it leaves out: one of BARE_PART, and BARE_LEAST.
 */
#include "cache/learned.h"

#include "cache/digest.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEARNED_FILE ".tare-learned"

enum { BARE_PART = 8, BARE_LEAST = 4 };

static size_t bits_bytes(uint32_t count)
{
	return (count + 7U) / 8;
}

static bool is_private(int fd, uint64_t *size)
{
	struct stat info;

	if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
	    info.st_mode & (S_IWGRP | S_IWOTH))
		return false;
	*size = (uint64_t)info.st_size;
	return true;
}

static void learned_init(struct learned *learned, uint32_t count)
{
	*learned = (struct learned){.count = count,
				    .bits = mem_zalloc(bits_bytes(count)),
				    .bare = mem_zalloc(bits_bytes(count))};
}

static bool read_open(int fd, const uint8_t *source_id, struct learned *learned)
{
	struct tare_learned head;
	uint64_t size;

	if (!is_private(fd, &size) || read(fd, &head, sizeof(head)) != sizeof(head) ||
	    head.magic != TARE_LEARNED_MAGIC || head.abi != TARE_LEARNED_ABI || !head.count ||
	    head.count > TARE_LEARNED_MAX ||
	    size != sizeof(head) + 2 * (uint64_t)bits_bytes(head.count) ||
	    memcmp(head.source_id, source_id, sizeof(head.source_id)) != 0)
		return false;
	const size_t bytes = bits_bytes(head.count);

	learned_init(learned, head.count);
	memcpy(learned->command, head.command, sizeof(learned->command));
	if (read(fd, learned->bits, bytes) == (ssize_t)bytes &&
	    read(fd, learned->bare, bytes) == (ssize_t)bytes)
		return true;
	learned_fini(learned);
	return false;
}

bool learned_read(int dir_fd, const char *name, const uint8_t *source_id, struct learned *learned)
{
	const int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	*learned = (struct learned){0};
	if (fd < 0)
		return false;
	const bool ok = read_open(fd, source_id, learned);
	close(fd);
	return ok;
}

void learned_fini(struct learned *learned)
{
	free(learned->bits);
	free(learned->bare);
	*learned = (struct learned){0};
}

static bool is_set(const struct learned *learned, const uint8_t *bits, uint32_t number)
{
	return number < learned->count && bits[number / 8] >> (number % 8) & 1;
}

bool learned_has(const struct learned *learned, uint32_t number)
{
	return is_set(learned, learned->bits, number);
}

bool learned_is_bare(const struct learned *learned, uint32_t number)
{
	return is_set(learned, learned->bare, number);
}

static void set(struct learned *learned, uint32_t number, bool value)
{
	const uint8_t bit = (uint8_t)(1U << (number % 8));

	if (value)
		learned->bits[number / 8] |= bit;
	else
		learned->bits[number / 8] &= (uint8_t)~bit;
}

static void write_file(const char *path, const uint8_t *source_id, const struct learned *learned)
{
	struct tare_learned head = {
		.magic = TARE_LEARNED_MAGIC, .abi = TARE_LEARNED_ABI, .count = learned->count};
	const size_t bytes = bits_bytes(learned->count);
	struct file_output output = {.fd = -1};
	struct error ignored;

	if (!file_output_open(&output, path, &ignored))
		return;
	memcpy(head.source_id, source_id, sizeof(head.source_id));
	memcpy(head.command, learned->command, sizeof(head.command));
	if (write(output.fd, &head, sizeof(head)) == sizeof(head) &&
	    write(output.fd, learned->bits, bytes) == (ssize_t)bytes &&
	    write(output.fd, learned->bare, bytes) == (ssize_t)bytes)
		file_output_commit(&output, FILE_MODE_PRIVATE, &ignored);
	file_output_discard(&output);
}

static bool id_of(const struct instrumented *file, uint8_t *source_id)
{
	return file->mode == POLICY_FULL && file->entry.outcome == CACHE_INSTRUMENTED &&
	       digest_parse(file->entry.key, source_id);
}

/* The copy with all probes, beside which it is kept. */
static const struct cache_entry *full_entry(const struct instrumented *file)
{
	return file->full.directory ? &file->full : &file->entry;
}

static bool read_cache(const struct cache_entry *entry, const uint8_t *source_id,
		       struct learned *learned)
{
	const int dir_fd = open(entry->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir_fd < 0)
		return false;
	const bool ok = learned_read(dir_fd, LEARNED_FILE, source_id, learned);
	close(dir_fd);
	return ok;
}

bool learned_of_entry(const struct cache_entry *entry, struct learned *learned)
{
	uint8_t source_id[DIGEST_BYTES];

	*learned = (struct learned){0};
	return entry->outcome == CACHE_INSTRUMENTED && digest_parse(entry->key, source_id) &&
	       read_cache(entry, source_id, learned);
}

static uint32_t count_bits(const struct learned *learned, const uint8_t *bits)
{
	uint32_t count = 0;

	for (size_t i = 0; i < bits_bytes(learned->count); i++)
		count += (uint32_t)__builtin_popcount(bits[i]);
	return count;
}

void learned_bare_digest(const struct learned *learned, char text[DIGEST_TEXT_BYTES])
{
	text[0] = 0;
	if (count_bits(learned, learned->bare))
		digest_bytes(learned->bare, bits_bytes(learned->count), text);
}

static uint64_t module_id_of(const uint8_t *source_id)
{
	uint64_t id;

	memcpy(&id, source_id, sizeof(id));
	return id;
}

static void session_name(const uint8_t *source_id, struct str *name)
{
	str_printf(name, TARE_LEARNED_NAME "%" PRIu64, module_id_of(source_id));
}

/* The session's says what the copy that is loaded leaves out. */
static void bare_settle(const struct instrumented *file, struct learned *learned)
{
	const bool is_bare = file->full.directory != NULL;

	for (size_t i = 0; i < bits_bytes(learned->count); i++) {
		learned->bare[i] = is_bare ? learned->bare[i] : 0;
		learned->bits[i] |= learned->bare[i];
	}
}

void learned_hand_over(const struct session *session, const struct instrumented *file)
{
	uint8_t source_id[DIGEST_BYTES];
	struct learned learned = {0};
	struct str path = {0};

	if (!id_of(file, source_id) || !learned_of_entry(full_entry(file), &learned))
		return;
	bare_settle(file, &learned);
	str_printf(&path, "%s/", session->directory);
	session_name(source_id, &path);
	write_file(path.data, source_id, &learned);
	str_fini(&path);
	learned_fini(&learned);
}

bool learned_read_session(int session_fd, const uint8_t *source_id, struct learned *learned)
{
	struct str name = {0};

	session_name(source_id, &name);
	const bool ok = learned_read(session_fd, name.data, source_id, learned);
	str_fini(&name);
	return ok;
}

/* ---- what a recording has found ---- */

static bool is_about(const struct tare_disarm_record *record, uint64_t module_id, uint32_t count)
{
	return record->module_id == module_id && record->number < record->count &&
	       record->count <= TARE_LEARNED_MAX && (!count || record->count == count);
}

/* The bits of one more process than before: what it says last counts. */
static void take(struct learned *learned, const struct tare_disarm_record *records,
		 size_t record_count, uint64_t module_id)
{
	for (size_t i = 0; i < record_count; i++)
		if (is_about(&records[i], module_id, learned->count))
			set(learned, records[i].number, records[i].what != TARE_DISARM_TAKEN_BACK);
}

static uint32_t count_of(const struct tare_disarm_record *records, size_t record_count,
			 uint64_t module_id)
{
	for (size_t i = 0; i < record_count; i++)
		if (is_about(&records[i], module_id, 0))
			return records[i].count;
	return 0;
}

static void write_beside(const struct cache_entry *full, const uint8_t *full_id,
			 const struct learned *learned)
{
	struct str path = {0};

	str_printf(&path, "%s/" LEARNED_FILE, full->directory);
	write_file(path.data, full_id, learned);
	str_fini(&path);
}

/* Is what was learned more than what the last bare copy leaves out? */
static bool is_beyond_bare(const struct learned *learned)
{
	uint32_t left_out = 0, more = 0;

	for (uint32_t i = 0; i < learned->count; i++) {
		left_out += learned_is_bare(learned, i);
		more += learned_has(learned, i) && !learned_is_bare(learned, i);
	}
	return left_out ? more >= BARE_LEAST && more >= left_out / BARE_PART : more > 0;
}

bool learned_keep(const struct instrumented *file, const struct tare_disarm_record *records,
		  size_t record_count, const uint8_t *command)
{
	const struct cache_entry *full = full_entry(file);
	uint8_t source_id[DIGEST_BYTES], full_id[DIGEST_BYTES];
	struct learned learned = {0};

	if (!id_of(file, source_id) || !digest_parse(full->key, full_id))
		return false;
	const uint64_t module_id = module_id_of(source_id);
	const uint32_t count = count_of(records, record_count, module_id);

	if (!count && !command)
		return false;
	const bool known = learned_of_entry(full, &learned);

	if (count && (!known || learned.count != count)) {
		learned_fini(&learned);
		learned_init(&learned, count);
	}
	take(&learned, records, record_count, module_id);
	/* What another command has left out may stay: else two that are recorded in turn would have
	   a new copy each time. */
	const bool begins = command && is_beyond_bare(&learned);
	if (begins)
		memcpy(learned.bare, learned.bits, bits_bytes(learned.count));
	const bool has_bare = command && count_bits(&learned, learned.bare);
	const bool is_new = has_bare && memcmp(learned.command, command, DIGEST_BYTES) != 0;
	if (is_new)
		memcpy(learned.command, command, DIGEST_BYTES);
	if (count || begins || is_new)
		write_beside(full, full_id, &learned);
	learned_fini(&learned);
	return has_bare && (begins || full == &file->entry);
}
