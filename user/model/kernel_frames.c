// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Defines how the kernel derives each flag of kpageflags.  Must not know how either
 * side is read or compared.
 */
#include "model/kernel_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ELSEWHERE(what) NULL, NULL, PTU_KPAGEMAP_LEFT_OUT, what

/*
 * Source: fs/proc/page.c, stable_page_flags() (5.10, 6.1, 6.12, 7.2).  @also: a
 * second bit that must be set, or another name of the first bit.
 */
static const struct known {
	unsigned int bit;
	const char *pg;
	const char *also;
	enum ptu_kpagemap_rule rule;
	const char *reason;
} known[] = {
	{ 0, "locked", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 1, "error", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 2, "referenced", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 3, "uptodate", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 4, "dirty", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 5, "lru", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 6, "active", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 7, "slab", NULL, PTU_KPAGEMAP_EITHER,
	  "a page type on this kernel, no flag" },
	{ 8, "writeback", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 9, "reclaim", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 10, ELSEWHERE("a page type; these pages must have count 0") },
	{ 11, ELSEWHERE("from the mapcount") },
	{ 12, ELSEWHERE("from page->mapping") },
	{ 13, "swapcache", "swapbacked", PTU_KPAGEMAP_HEAD, NULL },
	{ 14, "swapbacked", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 15, "head", NULL, PTU_KPAGEMAP_NOT_TAIL, NULL },
	{ 16,
	  ELSEWHERE(
		  "from page->compound_head; a tail page must have the count of its head") },
	{ 17, ELSEWHERE("a page type, or the head's destructor") },
	{ 18, "unevictable", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 19, "hwpoison", NULL, PTU_KPAGEMAP_OWN, NULL },
	{ 20, ELSEWHERE("no page: compared as holes") },
	{ 21, ELSEWHERE("from page->mapping") },
	{ 22, ELSEWHERE("from the type of the compound page") },
	{ 23, ELSEWHERE("a page type") },
	{ 24, ELSEWHERE("from the frame's number") },
	{ 25, "idle", NULL, PTU_KPAGEMAP_NOT_TAIL, NULL },
	{ 26, ELSEWHERE("a page type") },
	{ 32, "reserved", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 33, "mlocked", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 34, "owner_2", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 35, "private", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 36, "private_2", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 37, "owner_priv_1", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 38, "arch_1", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 39, "uncached", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 41, "arch_2", NULL, PTU_KPAGEMAP_COPY, NULL },
	{ 42, "arch_3", NULL, PTU_KPAGEMAP_COPY, NULL },
};

/* Parse a line: digits, a blank, a name. */
static int parse_line(const char *line, size_t length, unsigned int *bit,
		      char name[PTU_KPAGEMAP_NAME])
{
	const char *allowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
	char *end;
	size_t i, name_length;

	if (*line < '0' || *line > '9')
		return -EPROTO;
	*bit = (unsigned int)strtoul(line, &end, 10);
	if (*bit >= PTU_KPAGEMAP_BITS || end - line > 2 || *end != ' ')
		return -EPROTO;
	end++;
	name_length = length - (size_t)(end - line);
	if (!name_length || name_length >= PTU_KPAGEMAP_NAME)
		return -EPROTO;
	for (i = 0; i < name_length; i++) {
		if (!strchr(allowed, end[i]))
			return -EPROTO;
	}
	memcpy(name, end, name_length);
	name[name_length] = '\0';
	return 0;
}

int ptu_kpagemap_names_parse(const char *text, struct ptu_kpagemap_names *ret,
			     struct ptu_err *err)
{
	struct ptu_kpagemap_names names = { .nr_names = 0 };
	const char *line = text;

	while (*line) {
		size_t length = strcspn(line, "\n");

		if (!line[length] || names.nr_names == PTU_KPAGEMAP_NAMES ||
		    parse_line(line, length, &names.names[names.nr_names].bit,
			       names.names[names.nr_names].name))
			return ptu_err_set(err, -EPROTO,
					   "kpagemap_flags: '%.*s' is not a bit with a name",
					   (int)(length < 60 ? length : 60),
					   line);
		names.nr_names++;
		line += length + 1;
	}
	if (!names.nr_names)
		return ptu_err_set(err, -EPROTO,
				   "kpagemap_flags names no flag at all");
	*ret = names;
	return 0;
}

/* Return the bit with this name, as a mask. */
static uint64_t bit_of(const struct ptu_kpagemap_names *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->nr_names; i++) {
		if (!strcmp(names->names[i].name, name))
			return UINT64_C(1) << names->names[i].bit;
	}
	return 0;
}

static struct ptu_kpagemap_flag flag_of(const struct ptu_kpagemap_names *names,
					const struct known *flag)
{
	struct ptu_kpagemap_flag ret = { .rule = flag->rule, .pg = flag->pg };

	if (flag->pg)
		ret.bits = bit_of(names, flag->pg);
	/* before 6.12 the flag was named after its only use */
	if (!ret.bits && flag->bit == 34) {
		ret.pg = "mappedtodisk";
		ret.bits = bit_of(names, ret.pg);
	}
	if (ret.bits && flag->also) {
		uint64_t also = bit_of(names, flag->also);

		ret.bits = also ? ret.bits | also : 0;
	}
	if (!ret.bits) {
		ret.rule = PTU_KPAGEMAP_LEFT_OUT;
		ret.pg = NULL;
		ret.reason = flag->reason ? flag->reason :
					    "this kernel has no such flag";
	}
	return ret;
}

void ptu_kpagemap_flags(const struct ptu_kpagemap_names *names,
			struct ptu_kpagemap_flag ret[PTU_KPAGEMAP_BITS])
{
	size_t i;

	memset(ret, 0, PTU_KPAGEMAP_BITS * sizeof(*ret));
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ret[known[i].bit] = flag_of(names, &known[i]);
}

int ptu_kpagemap_check_header(const uint8_t bytes[PTU_KPAGEMAP_HEADER_BYTES],
			      uint64_t page_bytes, struct ptu_err *err)
{
	const uint16_t one = 1;
	const uint8_t little = *(const uint8_t *)&one;
	unsigned int i, rest = 0;

	for (i = 4; i < PTU_KPAGEMAP_HEADER_BYTES; i++)
		rest |= bytes[i];
	if (bytes[0] == little && bytes[1] < 64 &&
	    UINT64_C(1) << bytes[1] == page_bytes &&
	    bytes[2] == sizeof(uint64_t) &&
	    bytes[3] == PTU_KPAGEMAP_HEADER_BYTES && !rest)
		return 0;
	return ptu_err_set(err, -EPROTO,
			   "kpagemap begins with %02x %02x %02x %02x: not the byte order, page size, word size and header of this tool",
			   bytes[0], bytes[1], bytes[2], bytes[3]);
}
