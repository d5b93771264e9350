/*
 * Files that need their code where it is and as it is: programs whose language's run-time system
 * finds its tables by code addresses, modules that compare their code in memory with a digest,
 * programs that run others in their own address space, images of programs with their heaps, and
 * static programs without thread-local storage.
 * Known by notes, sections, symbols and strings. A module that reads its own file for that is no
 * concern: under tare it finds the original.
 */
#include "rewrite/private.h"
#include "rewrite/segment_base.h"

#include <string.h>

struct mark {
	const char *symbol, *meaning; /* or a section, or another text in the file */
};

static const struct mark language_marks[] = {
	{"caml_startup", "OCaml"},
	{"caml_frametable", "OCaml"},
	{"hs_main", "Haskell"},
	{"stg_upd_frame_info", "Haskell"},
};

/* What run-time systems look up in files of code that was compiled for them: Mono's, Dart's. */
static const struct mark language_exports[] = {
	{"mono_aot_file_info", "C#"},
	{"_kDartIsolateSnapshotInstructions", "Dart"},
};

/* Of compilers that leave no symbols: .NET's to native code, GraalVM's native image. */
static const struct mark language_sections[] = {
	{".gopclntab", "Go"},
	{"__managedcode", "C#"},
	{".svm_heap", "Java"},
};

/* Where the code begins that is summed up. */
static const struct mark digest_marks[] = {
	{"FIPS_text_start", "OpenSSL"},
	{"FIPS_text_startX", "OpenSSL"},
	{"BORINGSSL_bcm_text_start", "BoringSSL"},
	{"BORINGSSL_bcm_text_hash", "BoringSSL"},
	{"wolfCrypt_FIPS_first", "wolfCrypt"},
};

static const char *mark_of(const struct object *object, const struct mark *marks, size_t mark_count)
{
	size_t count;
	const struct object_symbol *symbols = object_symbols(object, &count);

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < mark_count; k++) {
			if (strcmp(symbols[i].name, marks[k].symbol) == 0)
				return marks[k].meaning;
		}
	}
	return NULL;
}

/* Compiled Haskell has no unwind tables, which leaves little of such a program with them. */
static bool is_mostly_without_unwind(const struct object *object)
{
	size_t count;
	uint64_t code = 0, described = 0;
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++) {
		if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X))
			code += segments[i].p_filesz;
	}
	const struct object_fde *fdes = object_fdes(object, &count);
	for (size_t i = 0; i < count; i++)
		described += fdes[i].end - fdes[i].begin;
	return described < code / 2;
}

/* What Haskell's run-time system says of its faults, which stripping leaves. The sentence is kept
   without its first letter, so as not to be found in tare itself. */
static bool has_haskell_sentence(const struct object *object)
{
	static const char rest[] = "lease report this as a GHC bug";
	size_t size;
	const unsigned char *bytes = object_bytes(object, &size);
	const unsigned char *found = memmem(bytes, size, rest, sizeof(rest) - 1);

	return found > bytes && found[-1] == 'P';
}

/* The language whose run-time system relies on code addresses, or NULL. */
static const char *address_keyed_language(const struct object *object)
{
	const char *soname = object_soname(object);

	if (object_has_go_note(object))
		return "Go";
	for (size_t i = 0; i < TABLE_COUNT(language_sections); i++)
		if (object_section_by_name(object, language_sections[i].symbol))
			return language_sections[i].meaning;
	for (size_t i = 0; i < TABLE_COUNT(language_exports); i++)
		if (object_dynamic_symbol(object, language_exports[i].symbol))
			return language_exports[i].meaning;
	if ((soname && str_starts_with(soname, "libHS")) || object_needs(object, "libHSrts"))
		return "Haskell";
	if (is_mostly_without_unwind(object) && has_haskell_sentence(object))
		return "Haskell";
	return mark_of(object, language_marks, sizeof(language_marks) / sizeof(*language_marks));
}

/*
 * Static programs that load others and lay out the address space for them by themselves, where
 * nothing of tare's may lie. Some let the translated program run pieces of their own code, and no
 * other. Known by variables of the environment that are their own.
 */
static const struct mark loader_marks[] = {
	{"VALGRIND_LAUNCHER", "a tool of valgrind"},
	{"WINEPRELOADRESERVE", "Wine's preloader"},
};

static const char *other_loader(const struct object *object)
{
	size_t size;
	const unsigned char *bytes = object_bytes(object, &size);
	const char *soname = object_soname(object);

	if (soname && str_starts_with(soname, "libdynamorio"))
		return "DynamoRIO"; /* executed as well as loaded */
	if (object_kind(object) != OBJECT_STATIC_EXECUTABLE)
		return NULL;
	for (size_t i = 0; i < sizeof(loader_marks) / sizeof(*loader_marks); i++) {
		const char *variable = loader_marks[i].symbol;

		if (memmem(bytes, size, variable, strlen(variable)))
			return loader_marks[i].meaning;
	}
	return NULL;
}

/*
 * A program that was written into a file while it ran, its heap too, as GNU Common Lisp's and that
 * of Emacs until 26: by unexec, which makes a further .data of .bss and of what follows. Its heap
 * goes on where the last segment ends, and that must be where it ended then.
 */
static bool is_dumped_image(const struct object *object)
{
	size_t count, found = 0;
	const struct object_section *sections = object_sections(object, &count);

	for (size_t i = 0; i < count; i++)
		found += strcmp(sections[i].name, ".data") == 0;
	return found > 1;
}

/* Neither the kernel nor the loader map a segment whose address does not fit its place in the file,
   or that ends beyond the address space of a process. */
static bool can_be_mapped(const struct object *object)
{
	enum { PAGE = 0x1000 };
	const uint64_t space_end = 1ull << 47;
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD &&
		    ((segments[i].p_filesz &&
		      (segments[i].p_vaddr - segments[i].p_offset) % PAGE != 0) ||
		     segments[i].p_vaddr > space_end ||
		     segments[i].p_memsz > space_end - segments[i].p_vaddr))
			return false;
	return true;
}

bool runtime_allows_copies(const struct object *object, struct error *err)
{
	const char *path = object_path(object), *language = address_keyed_language(object);

	if (!can_be_mapped(object))
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s cannot be loaded: the address of a segment does not fit its "
				 "place in the file, or the address space; link it anew",
				 path);
	if (language)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is written in %s: its runtime relies on the addresses of its "
				 "code, so it can only be sampled, not instrumented",
				 path, language);
	const char *checker =
		mark_of(object, digest_marks, sizeof(digest_marks) / sizeof(*digest_marks));
	if (checker)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s compares its own code with a digest (%s in FIPS mode), so it "
				 "can only be sampled, not instrumented",
				 path, checker);
	if (is_dumped_image(object))
		return error_set(
			err, ERROR_UNSUPPORTED,
			"%s was written out of a program that ran (by unexec, as of GNU "
			"Common Lisp): its heap begins where the file's last segment ends, so "
			"it can only be sampled, not instrumented",
			path);
	if (object_kind(object) == OBJECT_STATIC_EXECUTABLE && !code_may_use_fs(object))
		return error_set(
			err, ERROR_UNSUPPORTED,
			"%s has no thread-local storage, by which tare's probes know their "
			"thread, and no loader that could give it some, so it can only be "
			"sampled, not instrumented",
			path);
	const char *other = other_loader(object);
	if (other)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is %s, which runs other programs in its own address space, so "
				 "it can only be sampled, not instrumented",
				 path, other);
	return true;
}
