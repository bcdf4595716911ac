// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse the module's totals, and define which total of /proc each one is compared
 * with.  Must not know how /proc's totals are computed.
 */
#include "model/kernel_pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const key_names[] = PTAUDIT_PAGES_NAMES;

_Static_assert(sizeof(key_names) / sizeof(key_names[0]) ==
		       PTAUDIT_NR_PAGES_KEYS,
	       "a name for each key");

const char *ptu_totals_key_name(enum ptaudit_pages_key key)
{
	return key < PTAUDIT_NR_PAGES_KEYS ? key_names[key] : "?";
}

const char *ptu_total_name(enum ptu_total total)
{
	static const char *const names[PTU_NR_TOTALS] = {
		[PTU_TOTAL_PRESENT] = "present",
		[PTU_TOTAL_ANON] = "anon",
		[PTU_TOTAL_FILE] = "file",
		[PTU_TOTAL_SHMEM] = "shmem",
		[PTU_TOTAL_ZERO] = "zero",
		[PTU_TOTAL_SPECIAL] = "special",
		[PTU_TOTAL_KSM] = "ksm",
		[PTU_TOTAL_PTE_PAGES] = "pte_pages",
		[PTU_TOTAL_PMD_PAGES] = "pmd_pages",
		[PTU_TOTAL_PUD_PAGES] = "pud_pages",
		[PTU_TOTAL_MAPPED_ONCE] = "mapped_once",
		[PTU_TOTAL_ANON_ONCE] = "anon_once",
		[PTU_TOTAL_EXCLUSIVE] = "exclusive",
		[PTU_TOTAL_RSS] = "rss",
		[PTU_TOTAL_SWAP] = "swap",
		[PTU_TOTAL_MOVING] = "moving",
		[PTU_TOTAL_UFFD_WP] = "uffd_wp",
		[PTU_TOTAL_GUARD] = "guard",
		[PTU_TOTAL_POISON] = "poison",
		[PTU_TOTAL_HUGETLB] = "hugetlb",
		[PTU_TOTAL_HUGETLB_PMD] = "hugetlb_pmd",
		[PTU_TOTAL_HUGETLB_PUD] = "hugetlb_pud",
		[PTU_TOTAL_HUGETLB_ANON] = "hugetlb_anon",
		[PTU_TOTAL_HUGETLB_ONCE] = "hugetlb_once",
		[PTU_TOTAL_HUGETLB_ANON_ONCE] = "hugetlb_anon_once",
		[PTU_TOTAL_HUGETLB_EXCLUSIVE] = "hugetlb_exclusive",
		[PTU_TOTAL_HUGETLB_UFFD_WP] = "hugetlb_uffd_wp",
		[PTU_TOTAL_HUGETLB_OTHER] = "hugetlb_other",
		[PTU_TOTAL_COW_ORIGINAL] = "cow_original",
		[PTU_TOTAL_COW_COPIED] = "cow_copied",
		[PTU_TOTAL_COW_SHARED] = "cow_copied_shared",
		[PTU_TOTAL_COW_SWAPPED] = "cow_copied_swapped",
	};

	return total < PTU_NR_TOTALS ? names[total] : "?";
}

/* Keys that older kernels do not provide. */
static bool may_be_missing(enum ptaudit_pages_key key)
{
	return key == PTAUDIT_P_PROTNONE_PMD || key == PTAUDIT_P_EXCLUSIVE ||
	       key == PTAUDIT_P_EXCLUSIVE_PMD ||
	       key == PTAUDIT_P_EXCLUSIVE_LARGE ||
	       key == PTAUDIT_P_HUGETLB_EXCLUSIVE;
}

struct keyword {
	const char *name;
	uint64_t *value;
	bool *known;
};

static int parse_line(const char *line, const struct keyword *words,
		      size_t nr_words, size_t *name_chars)
{
	const char *blank = strchr(line, ' ');
	const char *newline = strchr(line, '\n');
	uint64_t value;
	char *end;
	size_t i;

	if (!blank || !newline || blank > newline)
		return -EPROTO;
	*name_chars = (size_t)(newline - line) + 1;
	errno = 0;
	value = strtoull(blank + 1, &end, 0);
	if (errno || end != newline || blank[1] < '0' || blank[1] > '9')
		return -EPROTO;
	for (i = 0; i < nr_words; i++) {
		if (strlen(words[i].name) != (size_t)(blank - line) ||
		    strncmp(words[i].name, line, (size_t)(blank - line)))
			continue;
		if (*words[i].known)
			return -EPROTO;
		*words[i].known = true;
		*words[i].value = value;
		return 0;
	}
	return -EPROTO;
}

static bool adds_up(const struct ptu_totals *t)
{
	uint64_t kinds = t->nr[PTAUDIT_P_ANON] + t->nr[PTAUDIT_P_FILE] +
			 t->nr[PTAUDIT_P_SHMEM] + t->nr[PTAUDIT_P_ZERO] +
			 t->nr[PTAUDIT_P_SPECIAL];
	uint64_t sizes = t->nr[PTAUDIT_P_PTE_PAGES] +
			 t->nr[PTAUDIT_P_PMD_PAGES] +
			 t->nr[PTAUDIT_P_PUD_PAGES];

	return kinds == t->nr[PTAUDIT_P_PRESENT] &&
	       sizes == t->nr[PTAUDIT_P_PRESENT] &&
	       t->nr[PTAUDIT_P_HUGETLB_PMD] + t->nr[PTAUDIT_P_HUGETLB_PUD] ==
		       t->nr[PTAUDIT_P_HUGETLB] &&
	       t->nr[PTAUDIT_P_ANON_ONCE] <= t->nr[PTAUDIT_P_ANON] &&
	       t->nr[PTAUDIT_P_ANON_ONCE] <= t->nr[PTAUDIT_P_MAPPED_ONCE] &&
	       t->nr[PTAUDIT_P_HUGETLB_ANON_ONCE] <=
		       t->nr[PTAUDIT_P_HUGETLB_ANON] &&
	       t->nr[PTAUDIT_P_HUGETLB_ANON] <= t->nr[PTAUDIT_P_HUGETLB] &&
	       t->nr[PTAUDIT_P_EXCLUSIVE_PMD] +
			       t->nr[PTAUDIT_P_EXCLUSIVE_LARGE] <=
		       t->nr[PTAUDIT_P_EXCLUSIVE];
}

#define NR_OTHERS 14

int ptu_totals_parse(const char *text, struct ptu_totals *ret,
		     struct ptu_err *err)
{
	struct ptu_totals t = { 0 };
	uint64_t ignored[NR_OTHERS];
	bool others[NR_OTHERS] = { false };
	struct keyword words[PTAUDIT_NR_PAGES_KEYS + NR_OTHERS] = {
		{ "pid", &ignored[0], &others[0] },
		{ "tgid", &ignored[1], &others[1] },
		{ "tid", &ignored[2], &others[2] },
		{ "ns_pid", &t.pid, &others[3] },
		{ "ns_tgid", &t.tgid, &others[4] },
		{ "ns_tid", &t.tid, &others[5] },
		{ "start_boottime_ns", &ignored[6], &others[6] },
		{ "start_ticks", &t.start_ticks, &others[7] },
		{ "mm", &t.mm, &others[8] },
		{ "start", &t.start, &others[9] },
		{ "end", &t.end, &others[10] },
		{ "lock_windows", &ignored[11], &others[11] },
		{ "hold_ns_max", &ignored[12], &others[12] },
		{ "walk_ns", &ignored[13], &others[13] },
	};
	unsigned int key;
	size_t i, chars;

	for (key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++)
		words[NR_OTHERS + key] = (struct keyword){ key_names[key],
							   &t.nr[key],
							   &t.known[key] };
	for (; *text; text += chars) {
		if (parse_line(text, words, sizeof(words) / sizeof(words[0]),
			       &chars))
			return ptu_err_set(err, -EPROTO,
					   "the module's file `pages` has an invalid line: %.60s",
					   text);
	}
	for (i = 0; i < NR_OTHERS; i++)
		if (!others[i])
			return ptu_err_set(err, -EPROTO,
					   "the module's file `pages` has no %s",
					   words[i].name);
	for (key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++)
		if (!t.known[key] && !may_be_missing(key))
			return ptu_err_set(err, -EPROTO,
					   "the module's file `pages` has no %s",
					   key_names[key]);
	if (!adds_up(&t))
		return ptu_err_set(err, -EPROTO,
				   "the module's file `pages` does not add up: its counts contradict each other");
	*ret = t;
	return 0;
}

uint64_t ptu_totals_value(const struct ptu_totals *totals, bool is_private,
			  enum ptu_total total, bool *known)
{
	static const unsigned char keys[PTU_NR_TOTALS] = {
		[PTU_TOTAL_PRESENT] = PTAUDIT_P_PRESENT,
		[PTU_TOTAL_ANON] = PTAUDIT_P_ANON,
		[PTU_TOTAL_FILE] = PTAUDIT_P_FILE,
		[PTU_TOTAL_SHMEM] = PTAUDIT_P_SHMEM,
		[PTU_TOTAL_ZERO] = PTAUDIT_P_ZERO,
		[PTU_TOTAL_SPECIAL] = PTAUDIT_P_SPECIAL,
		[PTU_TOTAL_KSM] = PTAUDIT_P_KSM,
		[PTU_TOTAL_PTE_PAGES] = PTAUDIT_P_PTE_PAGES,
		[PTU_TOTAL_PMD_PAGES] = PTAUDIT_P_PMD_PAGES,
		[PTU_TOTAL_PUD_PAGES] = PTAUDIT_P_PUD_PAGES,
		[PTU_TOTAL_MAPPED_ONCE] = PTAUDIT_P_MAPPED_ONCE,
		[PTU_TOTAL_ANON_ONCE] = PTAUDIT_P_ANON_ONCE,
		[PTU_TOTAL_EXCLUSIVE] = PTAUDIT_P_EXCLUSIVE,
		[PTU_TOTAL_SWAP] = PTAUDIT_P_SWAP,
		[PTU_TOTAL_UFFD_WP] = PTAUDIT_P_UFFD_WP,
		[PTU_TOTAL_GUARD] = PTAUDIT_P_GUARD,
		[PTU_TOTAL_POISON] = PTAUDIT_P_POISON,
		[PTU_TOTAL_HUGETLB] = PTAUDIT_P_HUGETLB,
		[PTU_TOTAL_HUGETLB_PMD] = PTAUDIT_P_HUGETLB_PMD,
		[PTU_TOTAL_HUGETLB_PUD] = PTAUDIT_P_HUGETLB_PUD,
		[PTU_TOTAL_HUGETLB_ANON] = PTAUDIT_P_HUGETLB_ANON,
		[PTU_TOTAL_HUGETLB_ONCE] = PTAUDIT_P_HUGETLB_ONCE,
		[PTU_TOTAL_HUGETLB_ANON_ONCE] = PTAUDIT_P_HUGETLB_ANON_ONCE,
		[PTU_TOTAL_HUGETLB_EXCLUSIVE] = PTAUDIT_P_HUGETLB_EXCLUSIVE,
		[PTU_TOTAL_HUGETLB_UFFD_WP] = PTAUDIT_P_HUGETLB_UFFD_WP,
		[PTU_TOTAL_HUGETLB_OTHER] = PTAUDIT_P_HUGETLB_OTHER,
	};
	const uint64_t *nr = totals->nr;
	uint64_t copied = nr[PTAUDIT_P_ANON_ONCE] +
			  nr[PTAUDIT_P_HUGETLB_ANON_ONCE];
	uint64_t anon = nr[PTAUDIT_P_ANON] + nr[PTAUDIT_P_HUGETLB_ANON];

	*known = true;
	switch (total) {
	case PTU_TOTAL_RSS: /* smaps also counts pages under migration and device pages */
		return nr[PTAUDIT_P_ANON] + nr[PTAUDIT_P_FILE] +
		       nr[PTAUDIT_P_SHMEM] + nr[PTAUDIT_P_MIGRATION] +
		       nr[PTAUDIT_P_DEVICE];
	case PTU_TOTAL_MOVING:
		return nr[PTAUDIT_P_MIGRATION] + nr[PTAUDIT_P_DEVICE] +
		       nr[PTAUDIT_P_HWPOISON] + nr[PTAUDIT_P_OTHER];
	case PTU_TOTAL_COW_ORIGINAL:
		return is_private ? nr[PTAUDIT_P_PRESENT] +
					    nr[PTAUDIT_P_HUGETLB] - anon :
				    0;
	case PTU_TOTAL_COW_COPIED:
		return is_private ? copied : 0;
	case PTU_TOTAL_COW_SHARED:
		return is_private ? anon - copied : 0;
	case PTU_TOTAL_COW_SWAPPED:
		return is_private ? nr[PTAUDIT_P_SWAP] : 0;
	default:
		*known = totals->known[keys[total]];
		return nr[keys[total]];
	}
}

bool ptu_totals_same(const struct ptu_totals *a, const struct ptu_totals *b)
{
	return a->mm == b->mm && !memcmp(a->nr, b->nr, sizeof(a->nr)) &&
	       !memcmp(a->known, b->known, sizeof(a->known));
}

void ptu_totals_add(struct ptu_totals *sum, const struct ptu_totals *totals)
{
	unsigned int key;

	for (key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++) {
		sum->nr[key] += totals->nr[key];
		sum->known[key] |= totals->known[key];
	}
}
