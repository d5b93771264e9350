/*
 * The inside of struct object, shared by the files of this folder only. Every loader below fills
 * its own members from members loaded before it; after object_open nothing changes but that names
 * come when they are asked for (late_names.c).
 */
#ifndef TARE_OBJECT_PRIVATE_H
#define TARE_OBJECT_PRIVATE_H

#include "base/file_view.h"
#include "object/eh_frame.h"
#include "object/object.h"

#include <pthread.h>

struct u64_vec vec_of(uint64_t);
struct symbol_vec vec_of(struct object_symbol);
struct fde_vec vec_of(struct object_fde);

struct cie_entry {
	const struct object_cie *cie; /* NULL: malformed */
};

/* Link addresses and sizes from PT_DYNAMIC; 0 where absent. */
struct object_dynamic {
	bool present;
	bool static_tls; /* DF_STATIC_TLS */
	uint64_t strtab, strtab_size;
	uint64_t symtab, hash, gnu_hash, versym;
	uint64_t rela, rela_size;
	uint64_t jmprel, jmprel_size;
	uint64_t relr, relr_size;
	uint64_t flags_1;
	const char *soname, *runpath;
};

enum names_state { NAMES_NONE, NAMES_WANTED, NAMES_BEGUN, NAMES_THERE };

struct object {
	char *path;
	struct arena arena;
	struct file_view view, debug_view;
	bool fetch;		   /* OBJECT_FETCH */
	bool of_data;		   /* its symbols are */
	const char *debug_path;	   /* of the file behind debug_view, or NULL */
	unsigned char *mini_debug; /* decompressed .gnu_debugdata, or NULL */
	const unsigned char *bytes;
	size_t size;
	mode_t mode;
	Elf64_Ehdr header;
	Elf64_Phdr *segments;
	size_t segment_count;
	Elf64_Phdr *loads; /* the PT_LOADs with memory, ascending, disjoint */
	size_t load_count;
	struct object_section *sections;
	size_t section_count;
	const struct object_section **plts; /* those of them that hold stubs */
	size_t plt_count;
	struct object_dynamic dynamic;
	const unsigned char *build_id;
	size_t build_id_size;
	uint64_t tare_note;
	bool go_note;
	enum object_kind kind;

	struct {
		pthread_mutex_t mutex; /* recursive */
		void (*read)(struct object *object);
		int state; /* enum names_state */
	} late;		   /* of the members from here to `names` */
	struct symbol_vec symbols;
	uint32_t *symbol_outer;	   /* 1 + index of the nearest earlier symbol that reaches here */
	struct map thunks;	   /* code without a symbol -> index of the one that jumps there */
	struct map slot_names;	   /* GOT slot -> index in names */
	struct map slot_functions; /* GOT slot -> the function of that name in this file */
	struct vec_of(const char *) names;

	struct u64_vec code_pointers, text_relocations;
	struct vec_of(struct object_code_word) code_words;
	struct map code_word_at; /* relocated word -> index of the last one of that address */

	struct object_extent eh_frame, eh_frame_hdr;
	struct map cies; /* offset in .eh_frame -> index in cie_list */
	struct vec_of(struct cie_entry) cie_list;
	struct fde_vec fdes;
	struct byte_reader fde_table; /* rows of the sorted table; empty: none */
	struct fde_vec debug_fdes;
	unsigned char *debug_frame; /* decompressed .debug_frame, or NULL */
};

/* The file contents from `addr` to the end of its segment, NULL and 0 where there are none. */
const unsigned char *object_rest_at(const struct object *object, uint64_t addr, uint64_t *size);

/* sections.c: the section headers of any ELF file in memory; false where they are damaged. */
bool sections_read(struct arena *arena, struct byte_reader file, const Elf64_Ehdr *header,
		   struct object_section **sections, size_t *count);
/* The contents of a section, empty where it has none or they lie outside the file. */
struct byte_reader section_contents(struct byte_reader file, const struct object_section *section);

/* dynamic.c */
void dynamic_load(struct object *object);
/* The string at `offset` of the dynamic string table, or NULL. */
const char *dynamic_string(const struct object *object, uint64_t offset);
/* plt.c: which sections hold stubs. */
void plts_find(struct object *object);

/* Dynamic symbols, by their indices: the ones from `begin` on, below `end`. */
struct dynamic_indices {
	uint64_t begin, end;
};

/* Those that may have the name: of a chain of the GNU hash table what begins with its hash, all
   where there is no such table. */
struct dynamic_indices dynamic_symbols_of(const struct object *object, const char *name);

/* Number of dynamic symbols: from the sections or from the hash tables. */
uint64_t dynamic_symbol_count(const struct object *object);
/* Copies dynamic symbol `index`; false outside the table. */
bool dynamic_symbol_get(const struct object *object, uint64_t index, Elf64_Sym *symbol);

/* late_names.c */
void late_names_init(struct object *object);
void late_names_fini(struct object *object);
/* From now on `read` is called before names are looked at, once: it reads symbols, thunks and
 * slots. */
void late_names_want_by(struct object *object, void (*read)(struct object *object));
/* Calls it; others wait meanwhile. */
void late_names_load(struct object *object);

/* Before any of these is looked at. No object is const but to those that only look. */
static inline void late_names_want(const struct object *object)
{
	const int state = __atomic_load_n(&object->late.state, __ATOMIC_ACQUIRE);

	if (state == NAMES_WANTED || state == NAMES_BEGUN)
		late_names_load((struct object *)(uintptr_t)object);
}

/* symbols.c, debug_file.c, mini_debug.c */
void symbols_load(struct object *object);
/* Appends the symbols of the separate debug file, if there is one that matches. */
void debug_file_load(struct object *object);
/* The sections of an ELF file in memory that belongs to the object; false if it is none. */
bool debug_sections_read(struct object *object, struct byte_reader file,
			 struct object_section **sections, size_t *count);
/* Appends the symbols of .gnu_debugdata. */
void mini_debug_load(struct object *object);
/* Appends the wanted ones of a table of Elf64_Sym. */
void symbols_append(struct object *object, struct byte_reader table, struct byte_reader strings,
		    bool dynamic);

/* thunks.c: after all symbols of code are there */
void thunks_load(struct object *object);

/* relocs.c */
void slot_names_load(struct object *object);
void relocations_load(struct object *object);

/* eh_frame.c */
void eh_frame_load(struct object *object);
/* Where .eh_frame and its header are. */
void eh_extent_load(struct object *object);
enum {
	EH_HDR_TABLE = 0x3b, /* datarel | sdata4: the only form of table that is searched */
	EH_HDR_ENTRY_BYTES = 8
};
/* A CIE and an FDE of either section, from their records. */
bool eh_cie_read(const struct eh_record *record, struct object_cie *cie);
bool eh_fde_decode(const struct object *object, const struct eh_record *record,
		   const struct object_cie *cie, struct object_fde *fde);
/* By address, without empty and overlapping ones. */
void eh_fdes_sort(struct fde_vec *fdes);

/* fde_search.c: the least that object_fde_find needs; all FDEs of files without a sorted table. */
void fde_search_load(struct object *object);

/* debug_frame.c */
void debug_frame_load(struct object *object);

#endif
