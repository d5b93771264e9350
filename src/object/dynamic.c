/*
 * PT_DYNAMIC: where the loader finds its tables, read through segments only, so that files without
 * section headers work. The number of dynamic symbols is nowhere stated; it follows from DT_HASH,
 * DT_GNU_HASH or, failing these, the section header of .dynsym.
 */
#include "object/private.h"

#include <string.h>

static void entry_take(struct object_dynamic *dynamic, uint64_t tag, uint64_t value)
{
	switch (tag) {
	case DT_STRTAB:
		dynamic->strtab = value;
		break;
	case DT_STRSZ:
		dynamic->strtab_size = value;
		break;
	case DT_SYMTAB:
		dynamic->symtab = value;
		break;
	case DT_HASH:
		dynamic->hash = value;
		break;
	case DT_GNU_HASH:
		dynamic->gnu_hash = value;
		break;
	case DT_VERSYM:
		dynamic->versym = value;
		break;
	case DT_RELA:
		dynamic->rela = value;
		break;
	case DT_RELASZ:
		dynamic->rela_size = value;
		break;
	case DT_JMPREL:
		dynamic->jmprel = value;
		break;
	case DT_PLTRELSZ:
		dynamic->jmprel_size = value;
		break;
	case DT_RELR:
		dynamic->relr = value;
		break;
	case DT_RELRSZ:
		dynamic->relr_size = value;
		break;
	case DT_FLAGS_1:
		dynamic->flags_1 = value;
		break;
	case DT_FLAGS:
		dynamic->static_tls = value & DF_STATIC_TLS;
		break;
	default:
		break;
	}
}

static void names_load(struct object *object, struct byte_reader entries)
{
	struct object_dynamic *dynamic = &object->dynamic;
	const char *rpath = NULL;

	for (;;) {
		const uint64_t tag = read_u64(&entries), value = read_u64(&entries);
		if (entries.failed || tag == DT_NULL)
			break;
		if (tag == DT_SONAME)
			dynamic->soname = dynamic_string(object, value);
		else if (tag == DT_RUNPATH)
			dynamic->runpath = dynamic_string(object, value);
		else if (tag == DT_RPATH)
			rpath = dynamic_string(object, value);
	}
	/* The loader ignores DT_RPATH where there is a DT_RUNPATH. */
	if (!dynamic->runpath)
		dynamic->runpath = rpath;
}

/* The entries of PT_DYNAMIC; empty where there are none. */
static struct byte_reader dynamic_entries(const struct object *object)
{
	for (size_t i = 0; i < object->segment_count; i++) {
		const Elf64_Phdr *segment = &object->segments[i];
		const unsigned char *at =
			segment->p_type == PT_DYNAMIC
				? object_at(object, segment->p_vaddr, segment->p_filesz)
				: NULL;
		if (at)
			return byte_reader(at, segment->p_filesz);
	}
	return byte_reader(object->bytes, 0);
}

void dynamic_load(struct object *object)
{
	struct byte_reader entries = dynamic_entries(object);

	object->dynamic.present = bytes_left(&entries) > 0;
	for (;;) {
		const uint64_t tag = read_u64(&entries), value = read_u64(&entries);
		if (entries.failed || tag == DT_NULL)
			break;
		entry_take(&object->dynamic, tag, value);
	}
	names_load(object, dynamic_entries(object));
}

bool object_needs(const struct object *object, const char *prefix)
{
	struct byte_reader entries = dynamic_entries(object);

	for (;;) {
		const uint64_t tag = read_u64(&entries), value = read_u64(&entries);
		if (entries.failed || tag == DT_NULL)
			return false;
		const char *name = tag == DT_NEEDED ? dynamic_string(object, value) : NULL;
		if (name && str_starts_with(name, prefix))
			return true;
	}
}

const char *dynamic_string(const struct object *object, uint64_t offset)
{
	const struct object_dynamic *dynamic = &object->dynamic;
	uint64_t rest;
	const unsigned char *strings = object_rest_at(object, dynamic->strtab, &rest);
	struct byte_reader reader;

	if (!strings || offset >= dynamic->strtab_size)
		return NULL;
	/* A rewritten file's strings continue in its last segment, far behind the table. */
	if (offset >= rest) {
		strings = object_rest_at(object, dynamic->strtab + offset, &rest);
		offset = 0;
	}
	if (!strings)
		return NULL;
	reader = byte_reader(strings, rest);
	read_skip(&reader, offset);
	return read_string(&reader);
}

/* The GNU hash table: its filter, then buckets, and behind them the chains, from symbol `first` on.
 */
struct gnu_hash {
	struct byte_reader filter, buckets;
	uint32_t bucket_count, first;
	uint32_t filter_words, filter_shift;
};

static bool gnu_hash_open(const struct object *object, struct gnu_hash *hash)
{
	uint64_t rest;
	const unsigned char *at = object->dynamic.gnu_hash
					  ? object_rest_at(object, object->dynamic.gnu_hash, &rest)
					  : NULL;

	if (!at)
		return false;
	struct byte_reader table = byte_reader(at, rest);
	hash->bucket_count = read_u32(&table);
	hash->first = read_u32(&table);
	hash->filter_words = read_u32(&table);
	hash->filter_shift = read_u32(&table);
	hash->filter = table;
	read_skip(&table, (uint64_t)hash->filter_words * 8);
	hash->buckets = table;
	return !table.failed;
}

/* The words of the chains from the symbol on: its name's hash, but for bit 0, which ends a chain.
 */
static struct byte_reader gnu_hash_chains(const struct gnu_hash *hash, uint64_t symbol)
{
	struct byte_reader chain = hash->buckets;

	read_skip(&chain, (hash->bucket_count + (symbol - hash->first)) * 4);
	return chain;
}

/* Behind the chain that the symbol is in; 0: it does not end. */
static uint64_t gnu_hash_chain_end(const struct gnu_hash *hash, uint64_t symbol)
{
	struct byte_reader chain = gnu_hash_chains(hash, symbol);

	for (; !chain.failed; symbol++)
		if (read_u32(&chain) & 1)
			return symbol + 1;
	return 0;
}

/* Highest index in any chain, plus one. */
static uint64_t gnu_hash_count(const struct object *object)
{
	struct gnu_hash hash;
	uint32_t last = 0;

	if (!gnu_hash_open(object, &hash))
		return 0;
	struct byte_reader buckets = hash.buckets;
	for (uint32_t i = 0; i < hash.bucket_count && !buckets.failed; i++) {
		const uint32_t bucket = read_u32(&buckets);
		last = bucket > last ? bucket : last;
	}
	if (buckets.failed || last < hash.first)
		return buckets.failed ? 0 : hash.first;
	return gnu_hash_chain_end(&hash, last);
}

uint64_t dynamic_symbol_count(const struct object *object)
{
	const unsigned char *hash = object_at(object, object->dynamic.hash, 8);

	if (!object->dynamic.symtab)
		return 0;
	if (object->dynamic.hash && hash) {
		struct byte_reader reader = byte_reader(hash, 8);
		read_u32(&reader);
		return read_u32(&reader);
	}
	if (object->dynamic.gnu_hash) {
		const uint64_t count = gnu_hash_count(object);
		if (count)
			return count;
	}
	for (size_t i = 0; i < object->section_count; i++)
		if (object->sections[i].header.sh_type == SHT_DYNSYM)
			return object->sections[i].header.sh_size / sizeof(Elf64_Sym);
	return 0;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Whether the filter says that the file has no such name. The loader believes it, too. */
static bool gnu_hash_filters(const struct gnu_hash *hash, uint32_t name_hash)
{
	struct byte_reader filter = hash->filter;

	if (!hash->filter_words || hash->filter_shift > 31)
		return false;
	read_skip(&filter, (uint64_t)(name_hash / 64 % hash->filter_words) * 8);
	const uint64_t word = read_u64(&filter);
	return !filter.failed &&
	       !(word >> name_hash % 64 & word >> (name_hash >> hash->filter_shift) % 64 & 1);
}

/* From the first symbol of the chain whose name has the hash; none where there is no such one. */
static bool gnu_hash_matches(const struct gnu_hash *hash, uint64_t symbol, uint32_t name_hash,
			     struct dynamic_indices *matches)
{
	struct byte_reader chain = gnu_hash_chains(hash, symbol);

	for (; !chain.failed; symbol++) {
		const uint32_t word = read_u32(&chain);
		if ((word ^ name_hash) < 2 && !chain.failed) {
			*matches =
				(struct dynamic_indices){symbol, gnu_hash_chain_end(hash, symbol)};
			return matches->end != 0;
		}
		if (word & 1)
			return !chain.failed;
	}
	return false;
}

/* False where there is no such table, or it is damaged. */
static bool gnu_hash_find(const struct object *object, const char *name,
			  struct dynamic_indices *matches)
{
	const uint32_t name_hash = gnu_hash_of(name);
	struct gnu_hash hash;

	*matches = (struct dynamic_indices){0};
	if (!gnu_hash_open(object, &hash) || !hash.bucket_count)
		return false;
	if (gnu_hash_filters(&hash, name_hash))
		return true;
	struct byte_reader buckets = hash.buckets;
	read_skip(&buckets, (uint64_t)(name_hash % hash.bucket_count) * 4);
	const uint32_t begin = read_u32(&buckets);

	if (buckets.failed || !begin)
		return !buckets.failed;
	return begin >= hash.first && gnu_hash_matches(&hash, begin, name_hash, matches);
}

struct dynamic_indices dynamic_symbols_of(const struct object *object, const char *name)
{
	struct dynamic_indices indices;

	if (gnu_hash_find(object, name, &indices))
		return indices;
	return (struct dynamic_indices){1, dynamic_symbol_count(object)};
}

bool dynamic_symbol_get(const struct object *object, uint64_t index, Elf64_Sym *symbol)
{
	uint64_t rest;
	const unsigned char *table = object_rest_at(object, object->dynamic.symtab, &rest);

	if (!table || index >= rest / sizeof(*symbol))
		return false;
	memcpy(symbol, table + index * sizeof(*symbol), sizeof(*symbol));
	return true;
}
