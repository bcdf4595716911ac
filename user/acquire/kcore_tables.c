// SPDX-License-Identifier: LGPL-2.1-or-later
/* Follow page tables in kernel memory; must not know which tables are counted. */
#include "acquire/kcore_tables.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "module/ptaudit_abi.h"

/*
 * Entries of x86-64.
 * Source: arch/x86/include/asm/pgtable_types.h (6.1 to 7.3)
 */
#define ENTRIES 512
#define ENTRY_PRESENT (UINT64_C(1) << 0)
#define ENTRY_LEAF (UINT64_C(1) << 7)
#define ENTRY_PFN(entry) ((entry) >> 12 & ((UINT64_C(1) << 40) - 1))

/*
 * Word offsets in the struct page (struct ptdesc) of a PGD.
 * Source: include/linux/mm_types.h (6.1, 7.2); arch/x86/mm/pgtable.c,
 * pgd_list_add(), pgd_set_mm()
 */
#define PAGE_WORDS 8
#define PAGE_LIST_NEXT 1
#define PAGE_LIST_PREV 2
#define PAGE_MM 4

/* Upper limit of the list: more PGDs than there can be processes. */
#define MAX_PGDS (UINT64_C(1) << 23)

struct walk {
	const struct ptu_kcore *kcore;
	const struct ptu_geometry *geo;
	ptu_kcore_table_fn fn;
	void *arg;
	uint64_t entries[PTAUDIT_NR_LEVELS][ENTRIES];
};

static unsigned int level_below(const struct ptu_geometry *geo,
				unsigned int level)
{
	do
		level--;
	while (!geo->unfolded[level]);
	return level;
}

static int walk_table(struct walk *walk, unsigned int level, unsigned int first,
		      unsigned int end);

static int walk_child(struct walk *walk, unsigned int level, uint64_t pfn)
{
	int ret = walk->fn(walk->arg, level, pfn);

	if (ret || level == PTAUDIT_PTE)
		return ret < 0 ? ret : 0;
	ret = ptu_kcore_read_phys(walk->kcore, pfn * walk->geo->page_bytes,
				  walk->entries[level],
				  sizeof(walk->entries[level]));
	return ret ? ret : walk_table(walk, level, 0, ENTRIES);
}

/* Walk the table whose entries were read.  Recurses at most five levels deep. */
static int walk_table(struct walk *walk, unsigned int level, unsigned int first,
		      unsigned int end)
{
	int error = 0;
	unsigned int i;

	for (i = first; !error && i < end; i++) {
		uint64_t entry = walk->entries[level][i];

		if (!(entry & ENTRY_PRESENT) ||
		    (level <= PTAUDIT_PUD && entry & ENTRY_LEAF))
			continue;
		error = walk_child(walk, level_below(walk->geo, level),
				   ENTRY_PFN(entry));
	}
	return error;
}

static struct walk *walk_new(const struct ptu_kcore *kcore,
			     const struct ptu_geometry *geo,
			     ptu_kcore_table_fn fn, void *arg)
{
	struct walk *walk = calloc(1, sizeof(*walk));

	if (!walk)
		return NULL;
	walk->kcore = kcore;
	walk->geo = geo;
	walk->fn = fn;
	walk->arg = arg;
	return walk;
}

int ptu_kcore_kernel_half(const struct ptu_kcore *kcore,
			  const struct ptu_geometry *geo, ptu_kcore_table_fn fn,
			  void *arg)
{
	struct walk *walk = walk_new(kcore, geo, fn, arg);
	int error;

	if (!walk)
		return -ENOMEM;
	error = ptu_kcore_read(kcore, kcore->init_pgd,
			       walk->entries[PTAUDIT_PGD],
			       sizeof(walk->entries[PTAUDIT_PGD]));
	if (!error)
		error = walk_table(walk, PTAUDIT_PGD, ENTRIES / 2, ENTRIES);
	free(walk);
	return error;
}

int ptu_kcore_user_half(const struct ptu_kcore *kcore,
			const struct ptu_geometry *geo, uint64_t pfn,
			ptu_kcore_table_fn fn, void *arg)
{
	struct walk *walk = walk_new(kcore, geo, fn, arg);
	int error;

	if (!walk)
		return -ENOMEM;
	error = ptu_kcore_read_phys(kcore, pfn * geo->page_bytes,
				    walk->entries[PTAUDIT_PGD],
				    sizeof(walk->entries[PTAUDIT_PGD]));
	if (!error)
		error = walk_table(walk, PTAUDIT_PGD, 0, ENTRIES / 2);
	free(walk);
	return error;
}

static int add_pgd(struct ptu_kcore_pgd **pgds, size_t *nr, size_t *capacity,
		   uint64_t pfn, uint64_t mm)
{
	if (ptu_array_grow(pgds, *nr, capacity, sizeof(**pgds)))
		return -ENOMEM;
	(*pgds)[(*nr)++] = (struct ptu_kcore_pgd){ .pfn = pfn, .mm = mm };
	return 0;
}

/* Follow the list; each element's back pointer must match the previous element. */
static int follow_list(const struct ptu_kcore *kcore, uint64_t pages,
		       struct ptu_kcore_pgd **pgds, size_t *nr)
{
	uint64_t at = kcore->pgd_list, next;
	size_t capacity = 0;
	int error = ptu_kcore_read(kcore, at, &next, sizeof(next));

	while (!error && next != kcore->pgd_list) {
		uint64_t words[PAGE_WORDS];
		uint64_t page = next - PAGE_LIST_NEXT * sizeof(*words);

		if (page < pages || (page - pages) % sizeof(words) ||
		    *nr >= MAX_PGDS)
			return -EAGAIN;
		error = ptu_kcore_read(kcore, page, words, sizeof(words));
		if (!error && words[PAGE_LIST_PREV] != at)
			error = -EAGAIN;
		if (!error)
			error = add_pgd(pgds, nr, &capacity,
					(page - pages) / sizeof(words),
					words[PAGE_MM]);
		at = next;
		next = words[PAGE_LIST_NEXT];
	}
	return error;
}

int ptu_kcore_pgds(const struct ptu_kcore *kcore, struct ptu_kcore_pgd **ret,
		   size_t *nr, uint64_t *ret_text_poke)
{
	struct ptu_kcore_pgd *pgds = NULL;
	uint64_t pages, text_poke = 0;
	size_t nr_pgds = 0;
	int error;

	if (!kcore->pgd_list || !kcore->vmemmap_base)
		return -ENOENT;
	error = ptu_kcore_read(kcore, kcore->vmemmap_base, &pages,
			       sizeof(pages));
	if (!error && kcore->text_poke_mm)
		error = ptu_kcore_read(kcore, kcore->text_poke_mm, &text_poke,
				       sizeof(text_poke));
	if (!error)
		error = follow_list(kcore, pages, &pgds, &nr_pgds);
	if (error) {
		free(pgds);
		return error == -EFAULT ? -EAGAIN : error;
	}
	*ret = pgds;
	*nr = nr_pgds;
	*ret_text_poke = text_poke;
	return 0;
}
