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

/*
 * Derive the levels from the page size and the number of address bits. A table below
 * the PGD is one page. Linux folds the P4D first, then the PUD.
 * Return: whether the tables have three to five levels.
 */
static bool shape(struct ptu_geometry *geo, unsigned int page_shift,
		  unsigned int bits)
{
	const unsigned int width = page_shift - 3; /* entries have 8 bytes */
	unsigned int shift = page_shift, level;

	geo->page_bytes = UINT64_C(1) << page_shift;
	for (level = PTAUDIT_PTE; level < PTAUDIT_PGD; level++) {
		/* the PGD translates the remaining bits, at least one */
		bool is_there = shift + width < bits;

		geo->unfolded[level] = is_there;
		geo->nr_entries[level] = is_there ? 1u << width : 1;
		geo->shift[level] = shift;
		if (is_there)
			shift += width;
	}
	geo->unfolded[PTAUDIT_PGD] = true;
	geo->nr_entries[PTAUDIT_PGD] = 1u << (bits - shift);
	geo->shift[PTAUDIT_PGD] = shift;
	return geo->unfolded[PTAUDIT_PMD] && bits - shift <= width;
}

static bool shape_x86(struct ptu_geometry *geo, unsigned int page_shift,
		      const char *flags)
{
	geo->pti = has_flag(flags, "pti");
	/* the PGD also maps the kernel half */
	return page_shift == 12 &&
	       shape(geo, page_shift, has_flag(flags, "la57") ? 57 : 48);
}

static bool shape_arm64(struct ptu_geometry *geo, unsigned int page_shift,
			const char *flags)
{
	unsigned int bits = 0;

	return (page_shift == 12 || page_shift == 14 || page_shift == 16) &&
	       sscanf(flags, " va%2u", &bits) == 1 && bits > page_shift &&
	       bits <= 52 && shape(geo, page_shift, bits);
}

int ptu_geometry_init(uint64_t page_bytes, const char *machine,
		      const char *cpu_flags, struct ptu_geometry *ret,
		      struct ptu_err *err)
{
	static const struct {
		const char *machine;
		bool (*shape)(struct ptu_geometry *geo, unsigned int page_shift,
			      const char *flags);
	} archs[] = {
		[PTU_X86_64] = { "x86_64", shape_x86 },
		[PTU_ARM64] = { "aarch64", shape_arm64 },
	};
	struct ptu_geometry geo = { 0 };
	unsigned int page_shift = 0;

	while (geo.arch < PTU_NR_ARCHS &&
	       strcmp(machine, archs[geo.arch].machine))
		geo.arch++;
	if (geo.arch == PTU_NR_ARCHS)
		return ptu_err_set(err, -EOPNOTSUPP,
				   "this tool does not know the page tables of the machine %s",
				   machine);
	while (page_shift < 63 && page_bytes != UINT64_C(1) << page_shift)
		page_shift++;
	if (!archs[geo.arch].shape(&geo, page_shift, cpu_flags))
		return ptu_err_set(err, -EOPNOTSUPP,
				   "this tool does not know page tables of %s with pages of %llu bytes and the flags \"%.60s\"",
				   machine, (unsigned long long)page_bytes,
				   cpu_flags);
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
	/* only the PGD of arm64 can differ from a page; entries have 8 bytes */
	return (uint64_t)geo->nr_entries[level] * 8
	       << (level == PTAUDIT_PGD && geo->pti);
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
	/* x86-64: the upper half of the PGD maps the kernel half */
	return (uint64_t)(geo->nr_entries[PTAUDIT_PGD] >>
			  (geo->arch == PTU_X86_64))
	       << geo->shift[PTAUDIT_PGD];
}

uint64_t ptu_geometry_task_end(const struct ptu_geometry *geo)
{
	return ptu_geometry_user_end(geo) -
	       (geo->arch == PTU_X86_64 ? geo->page_bytes : 0);
}

unsigned int ptu_geometry_leaf_level(const struct ptu_geometry *geo,
				     uint64_t bytes)
{
	unsigned int ret = PTAUDIT_NR_LEVELS, level;

	for (level = PTAUDIT_PTE; level < PTAUDIT_NR_LEVELS; level++) {
		uint64_t entry_bytes = UINT64_C(1) << geo->shift[level];

		if (geo->unfolded[level] &&
		    (bytes == entry_bytes ||
		     (geo->arch == PTU_ARM64 && bytes > entry_bytes &&
		      bytes % entry_bytes == 0)))
			ret = level;
	}
	return ret;
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
