// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Derive the shape of page tables from page size, machine and CPU flags. Pure: must
 * not query the machine, nor use the module's answer.
 */
#include "model/geometry.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const level_names[] = PTAUDIT_LEVEL_NAMES;

_Static_assert(sizeof(level_names) / sizeof(level_names[0]) ==
		       PTAUDIT_NR_LEVELS,
	       "a name for each level");

/* Is @flag one of the blank-separated words of @flags? */
static bool has_flag(const char *flags, const char *flag)
{
	const size_t flag_bytes = strlen(flag);
	const char *word = flags;

	for (;;) {
		size_t word_bytes;

		word += strspn(word, " \t\n");
		if (!*word)
			return false;
		word_bytes = strcspn(word, " \t\n");
		if (word_bytes == flag_bytes && !memcmp(word, flag, flag_bytes))
			return true;
		word += word_bytes;
	}
}

int ptu_geometry_init(uint64_t page_bytes, const char *machine,
		      const char *cpu_flags, struct ptu_geometry *ret,
		      struct ptu_err *err)
{
	/* arch/x86/include/asm/pgtable_64_types.h (6.1): PMD_SHIFT to PGDIR_SHIFT */
	struct ptu_geometry geo = {
		.page_bytes = page_bytes,
		.shift = { 12, 21, 30, 39, 39 },
	};
	unsigned int level;

	if (strcmp(machine, "x86_64"))
		return ptu_err_set(err, -EOPNOTSUPP,
				   "this tool does not know the page tables of the machine %s",
				   machine);
	if (page_bytes != 4096)
		return ptu_err_set(err, -EOPNOTSUPP,
				   "this tool does not know a page size of %llu bytes on %s",
				   (unsigned long long)page_bytes, machine);
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		geo.unfolded[level] = true;
		geo.nr_entries[level] = 512;
	}
	if (has_flag(cpu_flags, "la57")) {
		geo.shift[PTAUDIT_PGD] = 48;
	} else {
		geo.unfolded[PTAUDIT_P4D] = false;
		geo.nr_entries[PTAUDIT_P4D] = 1;
	}
	geo.pti = has_flag(cpu_flags, "pti");
	*ret = geo;
	return 0;
}

const char *ptu_level_name(unsigned int level)
{
	return level < PTAUDIT_NR_LEVELS ? level_names[level] : "?";
}

uint64_t ptu_geometry_reach(const struct ptu_geometry *geo, unsigned int level)
{
	unsigned int shift = geo->shift[level];
	uint64_t entries = geo->nr_entries[level];

	/* both are powers of two: a product that does not fit would wrap to 0 */
	return shift < 64 ? entries << shift : 0;
}

uint64_t ptu_geometry_base(const struct ptu_geometry *geo, unsigned int level,
			   uint64_t addr)
{
	uint64_t reach = ptu_geometry_reach(geo, level);

	/*
	 * A process has one PGD, which also maps the kernel half. Its reach cannot
	 * serve as a mask, because addresses between the halves are not canonical.
	 */
	if (level == PTAUDIT_PGD || !reach)
		return 0;
	/* a mask is faster than a division, which would be noticeable per table */
	return addr & ~(reach - 1);
}

unsigned int ptu_geometry_index(const struct ptu_geometry *geo,
				unsigned int level, uint64_t addr)
{
	return (addr >> geo->shift[level]) & (geo->nr_entries[level] - 1);
}

uint64_t ptu_geometry_table_bytes(const struct ptu_geometry *geo,
				  unsigned int level)
{
	return geo->page_bytes << (level == PTAUDIT_PGD && geo->pti);
}

unsigned int ptu_geometry_above(const struct ptu_geometry *geo,
				unsigned int level)
{
	do
		level++;
	while (level < PTAUDIT_NR_LEVELS && !geo->unfolded[level]);
	return level;
}

uint64_t ptu_geometry_user_end(const struct ptu_geometry *geo)
{
	/* x86-64: the lower half of the PGD maps the user half */
	return (uint64_t)(geo->nr_entries[PTAUDIT_PGD] / 2)
	       << geo->shift[PTAUDIT_PGD];
}

void ptu_geometry_text(const struct ptu_geometry *geo,
		       char ret[PTU_GEOMETRY_TEXT])
{
	size_t used;
	int level;

	used = (size_t)snprintf(ret, PTU_GEOMETRY_TEXT,
				"abi %d\npage_size %" PRIu64 "\n", PTAUDIT_ABI,
				geo->page_bytes);
	for (level = PTAUDIT_PGD; level >= PTAUDIT_PTE; level--)
		if (geo->unfolded[level] && used < PTU_GEOMETRY_TEXT)
			used += (size_t)
				snprintf(ret + used, PTU_GEOMETRY_TEXT - used,
					 "level %s shift %u entries %u\n",
					 ptu_level_name((unsigned int)level),
					 geo->shift[level],
					 geo->nr_entries[level]);
}
