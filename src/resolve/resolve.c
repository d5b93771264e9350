/*
 * Resolving keys. A key in a PLT or GOT is named by its symbol and looked up as the loader does:
 * the first module in load order that defines it. Where nothing is known about an address, the
 * function belongs to the module "[unknown]".
 */
#include "resolve/resolve.h"

#include "cache/policy.h"
#include "cache/stat_index.h"
#include "object/debuginfod.h"

#include <assert.h>
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void resolver_init(struct resolver *resolver, const struct recording *recording,
		   struct profile_writer *writer)
{
	*resolver = (struct resolver){.recording = recording, .writer = writer};
	/* A run without the cache has private copies. */
	resolver->keeps_derived =
		recording && (!recording->private_copies || !*recording->private_copies);
	arena_init(&resolver->arena);
	strmap_init(&resolver->modules_by_path);
	strmap_init(&resolver->ahead_by_identity);
	strmap_init(&resolver->sources);
	strmap_init(&resolver->definers);
	map_init(&resolver->called_unseen);
}

void resolver_fini(struct resolver *resolver)
{
	vec_foreach (item, &resolver->modules) {
		struct resolve_module *module = *item;
		object_close(module->object);
		coverage_fini(&module->coverage);
		copy_code_fini(&module->copy_code);
		object_close(module->copied);
		object_close(module->counted);
		vec_fini(&module->called);
		vec_fini(&module->chosen);
		map_fini(&module->functions);
		map_fini(&module->own);
		strmap_fini(&module->functions_by_name);
		map_fini(&module->locations);
		object_close(module->unwind);
		object_close(module->data);
		jit_code_free(module->jit);
	}
	vec_foreach (files, &resolver->ahead)
		module_files_fini(files);
	vec_fini(&resolver->ahead);
	strmap_fini(&resolver->ahead_by_identity);
	vec_fini(&resolver->modules);
	vec_fini(&resolver->locations);
	strmap_fini(&resolver->modules_by_path);
	strmap_fini(&resolver->sources);
	strmap_fini(&resolver->definers);
	map_fini(&resolver->called_unseen);
	if (resolver->kernel_is_read)
		kernel_symbols_fini(&resolver->kernel);
	arena_fini(&resolver->arena);
}

bool resolver_source(struct resolver *resolver, const char *path, int64_t *id, struct error *err)
{
	const struct profile_source row = {.path = path};
	const uint64_t *known = path ? strmap_get(&resolver->sources, path) : NULL;

	*id = known ? (int64_t)*known : 0;
	if (known || !path)
		return true;
	*id = profile_add_source(resolver->writer, &row, err);
	if (*id)
		strmap_put(&resolver->sources, path, (uint64_t)*id);
	return *id != 0;
}

/* ---- modules ---- */

void resolve_module_fetch(struct resolve_module *module)
{
	struct error ignored;

	if (module->fetched || !debuginfod_is_wanted())
		return;
	module->fetched = true;
	if (!module->object || object_debug_file(module->object) ||
	    object_path(module->object)[0] != '/' ||
	    object_section_by_name(module->object, ".debug_info"))
		return;
	struct object *object =
		object_open(object_path(module->object), OBJECT_SYMBOLS | OBJECT_FETCH, &ignored);
	if (!object)
		return;
	object_close(module->object);
	module->object = object;
}

static void module_measure(struct resolve_module *module)
{
	size_t count;

	if (!module->object)
		return;
	const Elf64_Phdr *segments = object_segments(module->object, &count);
	module->low = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		const uint64_t end = segments[i].p_vaddr + segments[i].p_memsz;
		if (segments[i].p_type != PT_LOAD || end < segments[i].p_vaddr)
			continue;
		if (segments[i].p_vaddr < module->low)
			module->low = segments[i].p_vaddr;
		if (end > module->high)
			module->high = end;
	}
}

static const char *build_id_text(struct resolver *resolver, const struct object *object)
{
	size_t size = 0;
	const unsigned char *bytes = object ? object_build_id(object, &size) : NULL;

	if (!bytes)
		return "";
	char *text = arena_alloc(&resolver->arena, size * 2 + 1);
	hex_write(text, bytes, size);
	return text;
}

/* Of code that a compiler made while the program ran, as perf does. */
static bool is_jit(const char *path)
{
	return str_starts_with(path, "/tmp/perf-") && str_ends_with(path, ".map");
}

static const char *module_name(const char *path)
{
	if (!strcmp(path, RESOLVE_KERNEL_PATH))
		return "[kernel]";
	return is_jit(path) ? PROFILE_MODULE_JIT : path_basename(path);
}

/* Takes what was read of its files. */
static struct resolve_module *module_add(struct resolver *resolver, struct module_files *files,
					 struct error *err)
{
	const char *path = files->path;
	const struct recording_module *known = files->known;
	struct resolve_module *module = arena_new(&resolver->arena, struct resolve_module);

	module->path = arena_strdup(&resolver->arena, path);
	module->copy = known && *known->copy ? arena_strdup(&resolver->arena, known->copy) : NULL;
	if (is_jit(path))
		module->jit = jit_files_read(path, resolver->jit_directory);
	module->object = files->object;
	module->coverage = files->coverage;
	module->covered = files->covered;
	module->system = policy_is_system(path);
	map_init(&module->functions);
	map_init(&module->own);
	map_init(&module->locations);
	strmap_init(&module->functions_by_name);
	if (known && *known->copy)
		resolve_module_fetch(module);
	module_measure(module);
	if (known && *known->refusal) {
		module->refusal = known->refusal;
		module->is_deferred = !*known->entry;
	}
	vec_push(&resolver->modules, module);
	const struct profile_module row = {
		.name = module_name(path),
		.path = module->path,
		.build_id = build_id_text(resolver, module->object),
		.system = module->system,
		.instrumented = known && *known->copy,
	};
	module->id = profile_add_module(resolver->writer, &row, err);
	return module->id ? module : NULL;
}

static const struct recording_module *find_recorded(const struct resolver *resolver,
						    const char *path)
{
	return resolver->recording ? recording_find(resolver->recording, path) : NULL;
}

struct resolve_module *resolver_find(const struct resolver *resolver, const char *path)
{
	const uint64_t *index = strmap_get(&resolver->modules_by_path, path);

	if (!index && !strcmp(path, RESOLVE_VDSO_PATH)) /* as loaders name it */
		index = strmap_get(&resolver->modules_by_path, "linux-vdso.so.1");
	assert(!index || *index < resolver->modules.len);
	return index ? resolver->modules.data[*index] : NULL;
}

/* The files of the module that a process had by this path; `real` may get its name. */
static struct module_files files_of(const struct resolver *resolver, const char *path,
				    char real[PATH_MAX])
{
	struct module_files files = {.path = path, .known = find_recorded(resolver, path)};

	if (!files.known && path[0] == '/' && !is_jit(path) && realpath(path, real)) {
		files.path = real;
		files.known = find_recorded(resolver, real);
	}
	if (files.known)
		files.path = files.known->path;
	return files;
}

/* Two files that had the same path one after the other have copies of their own. */
static const char *identity_of(const struct module_files *files)
{
	return files->known && *files->known->copy ? files->known->copy : files->path;
}

/* Reads all files that `arena`'s modules will be asked for. */
static void read_ahead(struct resolver *resolver, const struct process_file *arena)
{
	char real[PATH_MAX];
	const size_t before = resolver->ahead.len;

	vec_foreach (record, &arena->modules) {
		if (!*record->path || strmap_get(&resolver->modules_by_path, record->path))
			continue;
		struct module_files files = files_of(resolver, record->path, real);
		const char *identity = arena_strdup(&resolver->arena, identity_of(&files));
		if (strmap_get(&resolver->modules_by_path, identity) ||
		    strmap_get(&resolver->ahead_by_identity, identity))
			continue;
		files.path = arena_strdup(&resolver->arena, files.path);
		strmap_put(&resolver->ahead_by_identity, identity, resolver->ahead.len);
		vec_push(&resolver->ahead, files);
	}
	module_files_read_all(resolver->ahead.data + before, resolver->ahead.len - before);
}

static struct module_files take_files(struct resolver *resolver, struct module_files files)
{
	const uint64_t *index = strmap_get(&resolver->ahead_by_identity, identity_of(&files));

	if (!index) {
		module_files_read(&files);
		return files;
	}
	const struct module_files ahead = resolver->ahead.data[*index];
	resolver->ahead.data[*index] = (struct module_files){0};
	return ahead;
}

struct resolve_module *resolver_module(struct resolver *resolver, const char *path,
				       struct error *err)
{
	char real[PATH_MAX];
	struct resolve_module *module = resolver_find(resolver, path);

	if (module)
		return module;
	struct module_files files = files_of(resolver, path, real);
	const uint64_t *index = strmap_get(&resolver->modules_by_path, identity_of(&files));
	const size_t at = index ? (size_t)*index : resolver->modules.len;
	if (!index) {
		files = take_files(resolver, files);
		if (!module_add(resolver, &files, err))
			return NULL;
		strmap_put(&resolver->modules_by_path,
			   arena_strdup(&resolver->arena, identity_of(&files)), at);
	}
	assert(at < resolver->modules.len);
	strmap_put(&resolver->modules_by_path, arena_strdup(&resolver->arena, path), at);
	return resolver->modules.data[at];
}

bool resolver_settle(struct resolver *resolver, const char *path, const char *file,
		     struct error *err)
{
	struct error ignored;
	struct module_files files = {.path = path};

	if (strmap_get(&resolver->modules_by_path, path))
		return true;
	files.object = file ? object_open(file, OBJECT_SYMBOLS, &ignored) : NULL;
	if (!module_add(resolver, &files, err))
		return false;
	strmap_put(&resolver->modules_by_path, arena_strdup(&resolver->arena, path),
		   resolver->modules.len - 1);
	return true;
}

static bool is_file(const char *path, const struct tare_mapped_record *record)
{
	struct stat info;

	return path && stat(path, &info) == 0 && info.st_dev == record->device &&
	       info.st_ino == record->inode;
}

/* A copy has what it has of the original at the same offsets. */
static void add_mapped(struct resolve_process *process, const struct tare_mapped_record *record)
{
	vec_foreach (loaded, &process->loaded) {
		const struct resolve_module *module = loaded->module;
		uint64_t link_addr;
		if ((!is_file(module->path, record) && !is_file(module->copy, record)) ||
		    !module->object ||
		    !object_address_of(module->object, record->offset, &link_addr))
			continue;
		const struct resolve_mapped mapped = {
			.loaded = {.module = loaded->module,
				   .bias = record->begin - link_addr,
				   .open_ticks = record->ticks,
				   .close_ticks = UINT64_MAX},
			.begin = record->begin,
			.end = record->end,
		};
		vec_push(&process->mapped, mapped);
		return;
	}
}

const struct resolve_loaded *resolve_mapped_at(const struct resolve_process *process, uint64_t addr,
					       uint64_t ticks)
{
	for (size_t i = process->mapped.len; i-- > 0;) {
		const struct resolve_mapped *mapped = &process->mapped.data[i];
		if (addr >= mapped->begin && addr < mapped->end &&
		    ticks >= mapped->loaded.open_ticks)
			return &mapped->loaded;
	}
	return NULL;
}

bool resolve_process_init(struct resolver *resolver, struct resolve_process *process,
			  const struct process_file *arena, struct error *err)
{
	*process = (struct resolve_process){0};
	map_init(&process->known);
	map_init(&process->call_sites);
	read_ahead(resolver, arena);
	vec_foreach (record, &arena->modules) {
		const struct resolve_loaded loaded = {
			.module = resolver_module(
				resolver, *record->path ? record->path : RESOLVE_UNKNOWN_PATH, err),
			.bias = record->bias,
			.open_ticks = record->open_ticks,
			.close_ticks = record->close_ticks,
			.ordinal = record->ordinal,
			.instrumented = record->instrumented,
		};
		if (!loaded.module)
			return false;
		process->addresses_reused |= loaded.close_ticks != UINT64_MAX;
		vec_push(&process->loaded, loaded);
	}
	vec_foreach (record, &arena->mapped)
		add_mapped(process, record);
	return true;
}

void resolve_process_fini(struct resolve_process *process)
{
	vec_fini(&process->loaded);
	vec_fini(&process->mapped);
	vec_fini(&process->targets);
	map_fini(&process->known);
	map_fini(&process->call_sites);
}

bool resolve_has_loaded(const struct resolve_process *process, const struct resolve_module *module,
			bool instrumented)
{
	vec_foreach (loaded, &process->loaded)
		if (loaded->module == module && loaded->instrumented == instrumented)
			return true;
	return false;
}

/* ---- functions ---- */

int64_t resolver_function(struct resolver *resolver, struct resolve_module *module,
			  const struct resolve_function *function, struct error *err)
{
	const uint64_t *id = function->link_addr
				     ? map_get(&module->functions, function->link_addr)
				     : strmap_get(&module->functions_by_name, function->name);

	if (id)
		return (int64_t)*id;
	assert(module->id > 0);
	const struct profile_function row = {.module = module->id,
					     .name = function->name,
					     .link_addr = function->link_addr,
					     .size = function->size};
	const int64_t added = profile_add_function(resolver->writer, &row, err);
	if (added && row.link_addr)
		map_put(&module->functions, row.link_addr, (uint64_t)added);
	else if (added)
		strmap_put(&module->functions_by_name, arena_strdup(&resolver->arena, row.name),
			   (uint64_t)added);
	return added;
}

/* The function at `link_addr`, under `name` or the one that the module has for it. */
static int64_t function_at(struct resolver *resolver, struct resolve_module *module,
			   uint64_t link_addr, const char *name, struct error *err)
{
	const struct object_symbol *symbol =
		module->object ? object_symbol_at(module->object, link_addr) : NULL;
	const struct coverage_row *row = coverage_find(&module->coverage, link_addr);
	const char *own = module->object ? object_function_name(module->object, link_addr) : NULL;
	const struct resolve_function function = {
		.name = name  ? name
			: own ? own
			: row ? row->name
			      : "",
		.link_addr = link_addr,
		.size = row	 ? row->size
			: symbol ? symbol->size
				 : 0,
	};

	const int64_t id = resolver_function(resolver, module, &function, err);

	if (id && row && row->called_unseen)
		map_put(&resolver->called_unseen, (uint64_t)id, 0);
	return id;
}

static int64_t function_by_name(struct resolver *resolver, struct resolve_module *module,
				const char *name, struct error *err)
{
	const struct resolve_function function = {.name = name};

	return resolver_function(resolver, module, &function, err);
}

static bool lived_together(const struct resolve_loaded *loaded, const struct resolve_time *time)
{
	return loaded->close_ticks > time->begin_ticks &&
	       (!time->end_ticks || loaded->open_ticks < time->end_ticks);
}

static bool covers(const struct resolve_loaded *loaded, uint64_t addr)
{
	const uint64_t link_addr = addr - loaded->bias;

	return link_addr >= loaded->module->low && link_addr < loaded->module->high;
}

/* The run address in a key, which may carry an ordinal. */
static uint64_t addr_of(uint64_t key)
{
	return key & ((1ULL << TARE_KEY_ORDINAL_SHIFT) - 1);
}

static const struct resolve_loaded *loaded_at(const struct resolve_process *process, uint64_t key,
					      const struct resolve_time *time)
{
	const uint64_t addr = addr_of(key), ordinal = key >> TARE_KEY_ORDINAL_SHIFT;
	const struct resolve_loaded *found = NULL;

	if (key == TARE_NODE_OTHER)
		return NULL;
	vec_foreach (loaded, &process->loaded) {
		if (!covers(loaded, addr) || (ordinal && loaded->ordinal != ordinal))
			continue;
		if (!found || loaded->ordinal <= time->modules_seen)
			found = loaded;
	}
	return found;
}

/* The same for an address that may lie in the module's copied code, behind what it covers. */
static const struct resolve_loaded *loaded_below(const struct resolve_process *process,
						 uint64_t place, const struct resolve_time *time)
{
	const uint64_t addr = addr_of(place), ordinal = place >> TARE_KEY_ORDINAL_SHIFT;
	const struct resolve_loaded *found = NULL;

	vec_foreach (loaded, &process->loaded) {
		const uint64_t begin = loaded->bias + loaded->module->low;
		if (begin > addr || (ordinal && loaded->ordinal != ordinal))
			continue;
		if (!found || begin > found->bias + found->module->low ||
		    (begin == found->bias + found->module->low &&
		     loaded->ordinal <= time->modules_seen))
			found = loaded;
	}
	return found;
}

/* Of the call's last byte in the original file; 0: in none of its code. */
static uint64_t call_site_address(const struct resolve_loaded *loaded, uint64_t run_addr)
{
	const uint64_t link_addr = run_addr - loaded->bias;

	assert(loaded->bias + loaded->module->low <= run_addr);
	if (link_addr - 1 < loaded->module->high)
		return link_addr - 1;
	const uint64_t probed = resolver_probed_call(loaded->module, link_addr);
	return probed ? probed : resolver_copied_address(loaded->module, link_addr - 1);
}

bool resolve_call_site(struct resolver *resolver, struct resolve_process *process,
		       uint64_t call_site, const struct resolve_time *time, int64_t *location,
		       struct error *err)
{
	const uint64_t *known =
		process->addresses_reused ? NULL : map_get(&process->call_sites, call_site);

	*location = known ? (int64_t)*known : 0;
	if (known || !call_site)
		return true;
	const struct resolve_loaded *loaded = loaded_below(process, call_site, time);
	const uint64_t addr = loaded ? call_site_address(loaded, addr_of(call_site)) : 0;

	if (addr) {
		*location = resolver_location(resolver, loaded->module, addr, err);
		if (!*location)
			return false;
	}
	if (!process->addresses_reused)
		map_put(&process->call_sites, call_site, (uint64_t)*location);
	return true;
}

/* A PLT stub or GOT slot of `caller` for symbol `name`, used by a thread in its time. */
struct symbol_use {
	struct resolve_module *caller;
	const char *name;
	const struct resolve_time *time;
};

static int64_t function_of_symbol(struct resolver *resolver, const struct resolve_process *process,
				  const struct symbol_use *use, struct error *err)
{
	struct str label = {0};

	vec_foreach (loaded, &process->loaded) {
		const struct object *object = loaded->module->object;
		/* The loader binds no symbol to the vDSO; the C library calls it by itself. */
		if (!object || module_is_vdso(loaded->module->path) ||
		    !lived_together(loaded, use->time))
			continue;
		const uint64_t addr = object_dynamic_symbol(object, use->name);
		if (addr)
			return function_at(resolver, loaded->module, addr, use->name, err);
	}
	str_printf(&label, "%s@plt", use->name);
	const int64_t id = function_by_name(resolver, use->caller, label.data, err);
	str_fini(&label);
	return id;
}

static void note_instrumented(const struct resolve_process *process,
			      const struct resolve_loaded *loaded, struct resolve_target *target)
{
	target->reports_enter = loaded->instrumented;
	target->in_original =
		!loaded->instrumented && resolve_has_loaded(process, loaded->module, true);
}

/* What is at an address of a file is the same for all processes, but in code made at run time. */
static bool resolve_own(struct resolver *resolver, const struct resolve_process *process,
			const struct resolve_loaded *loaded, uint64_t link_addr,
			struct resolve_target *target, struct error *err)
{
	struct resolve_module *module = loaded->module;
	const struct coverage_row *row = coverage_find(&module->coverage, link_addr);
	const bool instrumented = row && row->verdict == REWRITE_INSTRUMENTED;

	if (instrumented)
		note_instrumented(process, loaded, target);
	target->function = function_at(resolver, module, link_addr, NULL, err);
	if (target->function && module->object && !module->jit)
		map_put(&module->own, link_addr, (uint64_t)target->function << 1 | instrumented);
	return target->function != 0;
}

static bool resolve_new(struct resolver *resolver, struct resolve_process *process, uint64_t key,
			const struct resolve_time *time, struct resolve_target *target,
			struct error *err)
{
	const struct resolve_loaded *loaded = loaded_at(process, key, time);

	*target = (struct resolve_target){0};
	if (!loaded && key != TARE_NODE_OTHER)
		loaded = resolve_mapped_at(process, addr_of(key), UINT64_MAX);
	if (!loaded) {
		struct resolve_module *unknown =
			resolver_module(resolver, RESOLVE_UNKNOWN_PATH, err);
		if (!unknown)
			return false;
		target->function =
			key == TARE_NODE_OTHER
				? function_by_name(resolver, unknown, "[other]", err)
				: function_at(resolver, unknown, addr_of(key), NULL, err);
		return target->function != 0;
	}
	struct resolve_module *module = loaded->module;
	const uint64_t link_addr = addr_of(key) - loaded->bias;
	const uint64_t *own = map_get(&module->own, link_addr);
	if (own) {
		target->function = (int64_t)(*own >> 1);
		if (*own & 1)
			note_instrumented(process, loaded, target);
		return true;
	}
	const char *name = object_plt_symbol(module->object, link_addr);
	if (name) {
		const struct symbol_use use = {module, name, time};
		target->function = function_of_symbol(resolver, process, &use, err);
		return target->function != 0;
	}
	return resolve_own(resolver, process, loaded, link_addr, target, err);
}

bool resolve_key(struct resolver *resolver, struct resolve_process *process, uint64_t key,
		 const struct resolve_time *time, struct resolve_target *target, struct error *err)
{
	const uint64_t *known = process->addresses_reused ? NULL : map_get(&process->known, key);

	if (known) {
		assert(*known < process->targets.len);
		*target = process->targets.data[*known];
		return true;
	}
	if (!resolve_new(resolver, process, key, time, target, err))
		return false;
	assert(target->function);
	if (!process->addresses_reused) {
		map_put(&process->known, key, process->targets.len);
		vec_push(&process->targets, *target);
	}
	return true;
}

/* Where the id of what a counter counts is kept; NULL: it may be another in another process. */
static int64_t *counted_place(struct resolver *resolver, const struct resolve_loaded *loaded,
			      const struct resolve_counted *counted, uint32_t number)
{
	struct resolve_module *module = loaded->module;
	const uint64_t link_addr =
		counted->note_addr + (uint64_t)(int64_t)resolve_counted_target(counted, number);

	if (!loaded->ordinal || link_addr < module->low || link_addr >= module->high ||
	    object_plt_symbol(module->object, link_addr))
		return NULL;
	if (!module->counted_functions) {
		const size_t size = counted->count * sizeof(*module->counted_functions);

		module->counted_functions = arena_alloc(&resolver->arena, size);
		memset(module->counted_functions, 0, size);
	}
	return &module->counted_functions[number];
}

int64_t resolve_counted_function(struct resolver *resolver, struct resolve_process *process,
				 const struct resolve_loaded *loaded,
				 const struct resolve_counted *counted, uint32_t number,
				 struct error *err)
{
	static const struct resolve_time always = {.modules_seen = UINT64_MAX};
	const uint64_t link_addr =
		counted->note_addr + (uint64_t)(int64_t)resolve_counted_target(counted, number);
	const int64_t *ids = loaded->module->counted_functions;
	struct resolve_target target;

	assert(number < counted->count);
	if (ids && ids[number])
		return ids[number];
	if (!resolve_key(resolver, process,
			 (loaded->bias + link_addr) | loaded->ordinal << TARE_KEY_ORDINAL_SHIFT,
			 &always, &target, err))
		return 0;
	int64_t *place = counted_place(resolver, loaded, counted, number);

	if (place)
		*place = target.function;
	return target.function;
}

/* ---- coverage ---- */

enum { COVERAGE_LISTED_MAX = 10000 }; /* functions of all files */

static bool write_row(struct resolver *resolver, const struct resolve_module *module,
		      const struct coverage_row *row, int64_t count, struct error *err)
{
	assert(count >= 1 && module->id > 0);
	const struct profile_coverage coverage = {
		.module = module->id,
		.function = count > 1 ? "" : row->name,
		.link_addr = count > 1 ? 0 : row->addr,
		.size = count > 1 ? 0 : row->size,
		.verdict = rewrite_verdict_name(row->verdict),
		.count = count,
	};

	return profile_add_coverage(resolver->writer, &coverage, err);
}

/* Of a file in which no function was looked at. */
static bool write_refusal(struct resolver *resolver, const struct resolve_module *module,
			  struct error *err)
{
	assert(module->refusal);
	const struct profile_coverage coverage = {
		.module = module->id,
		.function = module->refusal,
		.verdict = module->is_deferred ? PROFILE_COVERAGE_DEFERRED : PROFILE_COVERAGE_FILE};

	return profile_add_coverage(resolver->writer, &coverage, err);
}

/*
 * Functions that were not asked for are counted, not listed: they are the bulk of a C library. Of
 * files for whose functions there is no room in the list, only those are listed that were refused.
 */
static bool is_listed(enum rewrite_verdict verdict, bool has_room)
{
	if (has_room)
		return verdict != REWRITE_NO_SYSCALL;
	return verdict != REWRITE_NO_SYSCALL && verdict != REWRITE_INSTRUMENTED &&
	       verdict != REWRITE_PART && verdict != REWRITE_COUNTED;
}

/* Takes from the room that is left. */
static bool write_module_coverage(struct resolver *resolver, const struct resolve_module *module,
				  size_t *room, struct error *err)
{
	const bool has_room = module->coverage.rows.len <= *room;
	struct {
		const struct coverage_row *row; /* one of them */
		int64_t count;
	} counted[REWRITE_VERDICTS] = {0};
	bool ok = true;

	if (module->refusal)
		return write_refusal(resolver, module, err);
	*room -= has_room ? module->coverage.rows.len : 0;
	vec_foreach (row, &module->coverage.rows) {
		if (is_listed(row->verdict, has_room)) {
			if (!write_row(resolver, module, row, 1, err))
				return false;
			continue;
		}
		counted[row->verdict].row = row;
		counted[row->verdict].count++;
	}
	for (int verdict = 0; verdict < REWRITE_VERDICTS && ok; verdict++)
		if (counted[verdict].count)
			ok = write_row(resolver, module, counted[verdict].row,
				       counted[verdict].count, err);
	return ok;
}

bool resolver_write_coverage(struct resolver *resolver, struct error *err)
{
	size_t room = COVERAGE_LISTED_MAX;

	vec_foreach (module, &resolver->modules) {
		if (((*module)->covered || (*module)->refusal) &&
		    !write_module_coverage(resolver, *module, &room, err))
			return false;
	}
	return true;
}
