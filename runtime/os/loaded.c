/*
 * The table of loaded files. The loader's lock keeps its changes apart; threads that take note read
 * only entries that no longer change.
 *
 *   open ── the same file was here? ── yes: as before, nothing to note
 *                 │ no
 *                 ▼
 *           others were here? their close is noted, their keys get an ordinal
 *
 * Refuses to tell apart more files than keys have ordinals for: those beyond share the last one.
 */
#include "runtime/os/loaded.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/own_place.h"
#include "runtime/os/os_flag.h"
#include "runtime/tree/context.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/mman.h>

#define FILES_MAX TARE_KEY_ORDINAL_MAX
#define WANTED	  (STATX_INO | STATX_MTIME | STATX_SIZE)

/* What tells whether two files of one path are the same; all zero where that is not known. */
struct identity {
	uint64_t device, inode, size_bytes, seconds, nanoseconds;
};

struct file {
	uint64_t low, high; /* run addresses */
	uint64_t bias, dynamic_addr, ordinal;
	struct module_segments segments; /* in its own memory: while it is open */
	struct identity identity;
	bool open, replaced;
};

/* One mapping, most of which is never touched. */
static struct tables {
	struct file files[FILES_MAX];
	uint64_t replaced[FILES_MAX]; /* places in `files`, in the order of their end */
} * tables;
static uint64_t file_count, opened_count;
static uint64_t replaced_count;

static bool tables_make(void)
{
	if (tables)
		return true;
	const long map = own_place_map(sizeof(*tables), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	if (map < 0 && map > -4096)
		return false;
	tables = (struct tables *)map;
	return true;
}

static void identify(struct identity *identity, const char *path)
{
	struct statx status;

	*identity = (struct identity){0};
	if (kernel_call(SYS_statx, AT_FDCWD, path, 0, WANTED, &status))
		return;
	*identity = (struct identity){(uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor,
				      status.stx_ino, status.stx_size,
				      (uint64_t)status.stx_mtime.tv_sec, status.stx_mtime.tv_nsec};
}

static bool is_same(const struct identity *a, const struct identity *b)
{
	return a->inode && a->device == b->device && a->inode == b->inode &&
	       a->size_bytes == b->size_bytes && a->seconds == b->seconds &&
	       a->nanoseconds == b->nanoseconds;
}

static void range_find(struct file *file, const struct module_segments *segments)
{
	for (uint64_t i = 0; i < segments->count; i++) {
		const Elf64_Phdr *header = &segments->headers[i];
		const uint64_t low = segments->bias + header->p_vaddr;

		if (header->p_type != PT_LOAD)
			continue;
		if (!file->high || low < file->low)
			file->low = low;
		if (low + header->p_memsz > file->high)
			file->high = low + header->p_memsz;
	}
}

static struct file *file_again(const struct file *wanted)
{
	for (uint64_t i = 0; i < file_count; i++) {
		struct file *file = &tables->files[i];

		if (!file->open && !file->replaced && file->bias == wanted->bias &&
		    file->low == wanted->low && is_same(&file->identity, &wanted->identity))
			return file;
	}
	return NULL;
}

static void file_replace(struct file *file)
{
	const struct process_module closed = {.type = TARE_RECORD_MODULE_CLOSE,
					      .bias = file->bias,
					      .dynamic_addr = file->dynamic_addr};

	file->replaced = true;
	process_module_note(&closed);
	tables->replaced[replaced_count] = (uint64_t)(file - tables->files);
	__atomic_store_n(&replaced_count, replaced_count + 1, __ATOMIC_RELEASE);
}

static bool replace_below(const struct file *wanted)
{
	bool any = false;

	for (uint64_t i = 0; i < file_count; i++) {
		struct file *file = &tables->files[i];

		if (file->open || file->replaced || file->low >= wanted->high ||
		    wanted->low >= file->high)
			continue;
		file_replace(file);
		any = true;
	}
	return any;
}

uint64_t loaded_open(const struct process_module *module, const struct module_segments *segments)
{
	struct file wanted = {.bias = module->bias,
			      .dynamic_addr = module->dynamic_addr,
			      .segments = *segments,
			      .open = true};
	struct process_module noted = *module;
	const bool made = tables_make();

	range_find(&wanted, segments);
	identify(&wanted.identity, module->path);
	struct file *known = made ? file_again(&wanted) : NULL;

	if (known) {
		known->open = true;
		known->segments = *segments;
		return known->ordinal;
	}
	const bool replaced = made && replace_below(&wanted);

	if (opened_count < TARE_KEY_ORDINAL_MAX)
		opened_count++;
	wanted.ordinal = noted.ordinal = opened_count;
	if (made && file_count < FILES_MAX)
		tables->files[file_count++] = wanted;
	process_module_note(&noted);
	if (replaced)
		os_flag_renew();
	return wanted.ordinal;
}

static struct file *file_open_at(uint64_t dynamic_addr)
{
	for (uint64_t i = file_count; i-- > 0;) {
		struct file *file = &tables->files[i];

		if (file->dynamic_addr == dynamic_addr && file->open)
			return file;
	}
	return NULL;
}

struct module_segments loaded_segments(uint64_t dynamic_addr)
{
	const struct file *file = file_open_at(dynamic_addr);

	return file ? file->segments : (struct module_segments){0};
}

void loaded_close(uint64_t dynamic_addr)
{
	struct file *file = file_open_at(dynamic_addr);

	if (file)
		file->open = false;
	os_flag_unload();
}

static bool is_within(const struct file *file, uint64_t run_addr)
{
	return run_addr >= file->low && run_addr < file->high;
}

/* Gives the keys and call sites in the file's range its ordinal. */
static void keys_number(struct tare_thread_file *self, const struct file *file)
{
	for (uint64_t i = 0; i < self->node_count; i++) {
		struct tare_node *node = context_node_at(self, (uint32_t)i);

		const bool key = is_within(file, node->key);
		const bool call_site = is_within(file, node->call_site);

		if (!key && !call_site)
			continue;
		context_node_forget(self, node);
		node->key |= key ? file->ordinal << TARE_KEY_ORDINAL_SHIFT : 0;
		node->call_site |= call_site ? file->ordinal << TARE_KEY_ORDINAL_SHIFT : 0;
		context_node_note(self, node);
	}
}

void loaded_begin(struct tare_thread_file *self, struct state_private *private_state)
{
	private_state->modules_replaced = __atomic_load_n(&replaced_count, __ATOMIC_ACQUIRE);
	self->modules_seen = opened_count;
}

void loaded_notice(struct tare_thread_file *self, struct state_private *private_state)
{
	const uint64_t replaced = __atomic_load_n(&replaced_count, __ATOMIC_ACQUIRE);

	if (private_state->modules_replaced == replaced)
		return;
	for (uint64_t i = private_state->modules_replaced; i < replaced; i++)
		keys_number(self, &tables->files[tables->replaced[i]]);
	private_state->modules_replaced = replaced;
	self->modules_seen = opened_count;
}
