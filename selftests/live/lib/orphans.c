// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the module's two walks record by record: the walk along VMAs (`tables`), and
 * the walk that follows every entry (`orphans`).  Must not judge which of them is right.
 */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <inttypes.h>
#include <string.h>

static const char *const names[] = PTAUDIT_LEVEL_NAMES;

/* The first table record at or after *i, or NULL. */
static const struct ptaudit_table *next_table(const struct answer *answer,
					      size_t *i)
{
	while (*i < answer->nr_records) {
		const struct ptaudit_table *r = &answer->records[(*i)++];

		if (r->type == PTAUDIT_TABLE)
			return r;
	}
	return NULL;
}

static int order(const struct ptaudit_table *a, const struct ptaudit_table *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (int)b->level - (int)a->level;
}

/*
 * Compare one table as both walks report it.  All fields must be equal, except that
 * `orphans` has a kind for each entry that @t counts as unwalked.
 */
static int compare_table(const struct ptaudit_table *t,
			 const struct ptaudit_table *o)
{
	const struct {
		const char *name;
		uint64_t in_tables, in_orphans;
		bool may_grow;
	} fields[] = {
		{ "pfn", t->pfn, o->pfn, false },
		{ "used", t->used, o->used, false },
		{ "children", t->children, o->children, true },
		{ "leaves", t->leaves, o->leaves, true },
		{ "present", t->present, o->present, false },
		{ "swap", t->swap, o->swap, true },
		{ "migration", t->migration, o->migration, true },
		{ "uffd_wp", t->uffd_wp, o->uffd_wp, true },
		{ "guard", t->guard, o->guard, true },
		{ "other", t->other, o->other, true },
		{ "unwalked", 0, o->unwalked, false },
		{ "pfnmap", t->pfnmap, o->pfnmap, false },
		{ "deposited", t->deposited, o->deposited, false },
		{ "sharers", t->sharers, o->sharers, false },
		{ "flags", t->flags, o->flags, false },
		{ "node", (uint64_t)t->node, (uint64_t)o->node, false },
		{ "pages", t->pages, o->pages, false },
	};
	uint64_t grown = 0;
	int failures = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t a = fields[i].in_tables, b = fields[i].in_orphans;

		if (fields[i].may_grow && b >= a) {
			grown += b - a;
			continue;
		}
		if (a == b)
			continue;
		live_note("%s table at 0x%" PRIx64 ": %s is %" PRIu64
			  " in the file tables, but %" PRIu64 " in orphans",
			  names[t->level], (uint64_t)t->start, fields[i].name,
			  a, b);
		failures++;
	}
	if (grown != t->unwalked) {
		live_note("%s table at 0x%" PRIx64
			  ": tables counts %u unwalked entries, but orphans "
			  "has %" PRIu64 " more walked ones",
			  names[t->level], (uint64_t)t->start, t->unwalked,
			  grown);
		failures++;
	}
	return failures;
}

int live_compare_walks(const struct answer *tables,
		       const struct answer *orphans, uint64_t *ret_outside)
{
	const struct ptaudit_table *t, *o;
	uint64_t unwalked = 0;
	size_t i = 0, j = 0;
	int failures = 0;

	*ret_outside = 0;
	t = next_table(tables, &i);
	o = next_table(orphans, &j);
	while (t || o) {
		int side = !t ? 1 : !o ? -1 : order(t, o);

		if (side < 0) {
			live_note("%s table at 0x%" PRIx64
				  " is in the file tables, but not in orphans",
				  names[t->level], (uint64_t)t->start);
			failures++;
		} else if (side > 0 && o->flags & PTAUDIT_T_OUTSIDE) {
			++*ret_outside;
		} else if (side > 0) {
			live_note("%s table at 0x%" PRIx64
				  " is in orphans, but not in the file tables",
				  names[o->level], (uint64_t)o->start);
			failures++;
		} else {
			failures += compare_table(t, o);
			unwalked += t->unwalked;
		}
		if (side <= 0)
			t = next_table(tables, &i);
		if (side >= 0)
			o = next_table(orphans, &j);
	}
	/* Without unwalked entries the runs must be equal as well. */
	if (!unwalked && !failures &&
	    (tables->nr_records != orphans->nr_records ||
	     memcmp(tables->records, orphans->records,
		    tables->nr_records * sizeof(tables->records[0])))) {
		live_note(
			"tables and orphans have the same tables, but different runs");
		failures++;
	}
	if (tables->header.mm != orphans->header.mm ||
	    tables->header.pgtables_bytes_after !=
		    orphans->header.pgtables_bytes_after ||
	    tables->header.range_start != orphans->header.range_start ||
	    tables->header.range_end != orphans->header.range_end ||
	    (tables->header.flags | PTAUDIT_H_ORPHANS) !=
		    orphans->header.flags) {
		live_note("the headers of tables and orphans differ");
		failures++;
	}
	return failures;
}

int live_check_orphans(pid_t pid, const struct answer *tables)
{
	struct answer orphans;
	uint64_t outside;
	int failures;
	int err = live_orphans(pid, &orphans);

	if (err) {
		live_note("cannot read orphans: %s", strerror(-err));
		return 1;
	}
	failures = live_compare_walks(tables, &orphans, &outside);
	failures += live_check_records(&orphans);
	failures += live_check_vmpte(pid, &orphans);
	if (outside) {
		live_note("no VMA covers %" PRIu64 " of the tables", outside);
		failures++;
	}
	live_answer_deinit(&orphans);
	return failures;
}
