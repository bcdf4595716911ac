// SPDX-License-Identifier: GPL-2.0-only
/*
 * Consistent answers that are wrong about the process: a table is missing with all
 * tables below it, moved, invented, emptied, or reported as a leaf.  The parser cannot
 * refuse them, but each must end with a status other than 0.
 */
#include "support/mutate.h"

/*
 * Build the answer again, to be changed.  The mm's counter is unchanged, except with
 * finish_closed().
 */
static void again(struct build *b, const struct subject *s)
{
	struct ptu_tables claims = { 0 };
	struct ptaudit_header header;

	build_init(b, s->image->nr_levels, s->image->pti);
	s->image->put(b, &claims);
	ptu_tables_deinit(&claims);
	memcpy(&header, s->bytes, sizeof(header));
	b->header.pgtables_bytes_before = header.pgtables_bytes_before;
	b->header.pgtables_bytes_after = header.pgtables_bytes_after;
}

static void finish(struct build *b, const struct subject *s, struct hole *holes,
		   const struct mutation *c)
{
	size_t nr_bytes;
	void *bytes = build_image(b, &nr_bytes);

	judge(s, holes, c, check(s, bytes, nr_bytes));
	free(bytes);
	build_deinit(b);
}

/* Change VmPTE together with the tables, so that the sum closes. */
static void finish_closed(struct build *b, const struct subject *s,
			  struct hole *holes, const struct mutation *c)
{
	struct subject other = *s;
	struct ptaudit_header header;
	size_t nr_bytes;
	void *bytes;

	b->header.pgtables_bytes_before = b->header.pgtables_bytes_after = 0;
	bytes = build_image(b, &nr_bytes);
	memcpy(&header, bytes, sizeof(header));
	other.vmpte_bytes = header.pgtables_bytes_after;
	judge(&other, holes, c, check(&other, bytes, nr_bytes));
	free(bytes);
	build_deinit(b);
}

static uint64_t reach_of(const struct build *b, unsigned int level)
{
	return UINT64_C(512) << b->geo.shift[level];
}

/* Remove the tables below a table, then the table itself. */
static void forget_with_all_below(struct build *b, unsigned int level,
				  uint64_t start)
{
	unsigned int below;

	for (below = PTE; below < level; below++)
		for (size_t i = 0; i < b->nr_tables; i++) {
			const struct ptaudit_table *r = &b->tables[i]->record;

			if (r->level != below || r->start < start ||
			    r->start - start >= reach_of(b, level))
				continue;
			build_forget(b, below, r->start);
			i = -1;
		}
	build_forget(b, level, start);
}

static struct build_table *pmd_table_of(const struct build *b, uint64_t addr)
{
	for (size_t i = 0; i < b->nr_tables; i++)
		if (b->tables[i]->record.level == PMD &&
		    b->tables[i]->record.start == (addr & ~(GIB - 1)))
			return b->tables[i];
	abort();
}

/* The next empty entry of the same PMD table. */
static uint64_t free_slot(const struct build *b, uint64_t addr)
{
	const struct build_table *pmds = pmd_table_of(b, addr);
	unsigned int i = addr >> 21 & 511;

	while (pmds->kind[i])
		i = (i + 1) & 511;
	return pmds->record.start + i * 2 * MIB;
}

/* The next empty entry of a PUD table. */
static uint64_t free_gib(const struct build *b, uint64_t start)
{
	for (size_t i = 0; i < b->nr_tables; i++) {
		const struct build_table *puds = b->tables[i];
		unsigned int k = 0;

		if (puds->record.level != PUD || puds->record.start != start)
			continue;
		while (puds->kind[k])
			k++;
		return start + k * GIB;
	}
	abort();
}

/* Move a PTE table together with its entries. */
static void move_table(struct build *b, uint64_t from, uint64_t to)
{
	struct ptaudit_table held = *build_table(b, PTE, from), *moved;

	build_forget(b, PTE, from);
	moved = build_table(b, PTE, to);
	held.start = moved->start;
	held.pfn = moved->pfn;
	*moved = held;
}

static unsigned int entries(const struct ptaudit_table *r)
{
	return r->present + r->swap + r->migration + r->uffd_wp + r->guard;
}

static void empty_table(struct build *b, uint64_t addr)
{
	struct ptaudit_table *r = build_table(b, PTE, addr);

	r->present = r->swap = r->migration = r->uffd_wp = r->guard = 0;
	r->pfnmap = 0;
}

/* The conditions of the exceptions.  c->r is the record of a PTE table. */
static bool sees_no_empty_ones(const struct mutation *c)
{
	return c->mapped_bytes && c->blind & 1u << PTAUDIT_K_NONE;
}

/* The table is moved to a place where the estimator cannot see it. */
static bool is_unseen(const struct mutation *c)
{
	return c->r.level == PTE && !c->claim && !entries(&c->r) &&
	       sees_no_empty_ones(c);
}

static bool is_uncounted(const struct mutation *c)
{
	return c->claim == PTU_CERTAIN && !c->counts;
}

static bool is_unseen_or_uncounted(const struct mutation *c)
{
	return is_uncounted(c) || (!c->claim && !(c->r.flags & PTAUDIT_T_LDT));
}

static bool draws_no_leaves(const struct mutation *c)
{
	return (c->claim == PTU_CERTAIN && c->blind & 1u << PTAUDIT_K_LEAF) ||
	       c->claim == PTU_POSSIBLE;
}

static bool is_uncounted_leaf(const struct mutation *c)
{
	return c->claim == PTU_POSSIBLE || c->claim == PTU_CERTAIN;
}

static bool is_pfnmap(const struct mutation *c)
{
	return c->r.flags & PTAUDIT_T_PFNMAP;
}

static bool is_in_a_mapping(const struct mutation *c)
{
	return c->mapped_bytes;
}

#define BLIND "an empty table anywhere in a mapping: `written` would see it"

static struct hole holes[] = {
	HOLE("table moved", is_unseen, BLIND),
	HOLE("empty table invented, VmPTE too", sees_no_empty_ones, BLIND),
	HOLE("hollow table invented, VmPTE too", is_in_a_mapping,
	     "an empty upper table shows in no file of /proc; VmPTE counts it"),
	HOLE("pages called pfnmap", is_uncounted,
	     "this estimator does not say how full a table is"),
	HOLE("table emptied", is_unseen_or_uncounted,
	     "what the estimator does not see may be empty as well; or it does not say how full it is"),
	HOLE("table taken for a leaf", draws_no_leaves,
	     "the estimator cannot tell which of the two it is, or (naive) never does"),
	HOLE("leaf taken for a table", is_uncounted_leaf,
	     "the estimator cannot tell which of the two it is, or (naive) never does"),
	HOLE("leaf forgotten", is_pfnmap,
	     "a leaf of a device is no table, and no estimator sees it"),
	NO_MORE_HOLES,
};

static void mutate_table(const struct subject *s, size_t i)
{
	const struct ptaudit_table *r = &s->b.tables[i]->record;
	struct mutation c = { .r = *r,
			      .blind = s->image->blind,
			      .counts = s->image->counts,
			      .claim = claim_of(s, r->level, r->start, false) };
	struct build b;
	uint64_t to;

	if (r->level == PTAUDIT_PGD)
		return;
	c.name = "table forgotten";
	again(&b, s);
	forget_with_all_below(&b, r->level, r->start);
	finish(&b, s, holes, &c);

	if (r->level == PMD) {
		to = free_slot(&s->b, r->start);
		c.mapped_bytes = mapped_bytes(&s->b, PTE, to);
		c.name = "table invented";
		again(&b, s);
		build_pte(&b, to, 0);
		finish(&b, s, holes, &c);

		c.name = "empty table invented, VmPTE too";
		again(&b, s);
		build_pte(&b, to, 0);
		finish_closed(&b, s, holes, &c);

		c.name = "table with a page invented, VmPTE too";
		again(&b, s);
		build_pte(&b, to, 1);
		finish_closed(&b, s, holes, &c);
	}
	if (r->level == PUD && !(r->flags & PTAUDIT_T_LDT)) {
		to = free_gib(&s->b, r->start);
		c.mapped_bytes = mapped_bytes(&s->b, PMD, to);
		c.name = "hollow table invented, VmPTE too";
		again(&b, s);
		build_table(&b, PMD, to);
		finish_closed(&b, s, holes, &c);
	}
	if (r->level != PTE)
		return;

	if (r->present > r->pfnmap) {
		c.name = "pages called pfnmap";
		again(&b, s);
		build_table(&b, PTE, r->start)->pfnmap = r->present;
		finish(&b, s, holes, &c);
	}
	c.mapped_bytes = mapped_bytes(&s->b, PTE, free_slot(&s->b, r->start));

	c.name = "table moved";
	again(&b, s);
	move_table(&b, r->start, free_slot(&b, r->start));
	finish(&b, s, holes, &c);

	if (entries(r)) {
		c.name = "table emptied";
		again(&b, s);
		empty_table(&b, r->start);
		finish(&b, s, holes, &c);
	}

	c.name = "table taken for a leaf";
	again(&b, s);
	build_forget(&b, PTE, r->start);
	build_entries(&b, PMD, r->start, 1, PTAUDIT_K_LEAF, 0)->deposited++;
	finish(&b, s, holes, &c);
}

static void mutate_leaf(const struct subject *s,
			const struct build_table *table, unsigned int index)
{
	const uint64_t addr = table->record.start +
			      ((uint64_t)index
			       << s->b.geo.shift[table->record.level]);
	struct mutation c = { .r = table->record,
			      .blind = s->image->blind,
			      .counts = s->image->counts,
			      .claim = claim_of(s, table->record.level, addr,
						true) };
	struct build_table *pmds;
	struct build b;

	c.r.flags = table->flags[index];
	if (table->record.level != PMD)
		return;

	c.name = "leaf forgotten";
	again(&b, s);
	pmds = pmd_table_of(&b, addr);
	pmds->kind[index] = pmds->flags[index] = 0;
	finish(&b, s, holes, &c);

	c.name = "leaf moved";
	again(&b, s);
	build_entries(&b, PMD, free_slot(&b, addr), 1, PTAUDIT_K_LEAF,
		      table->flags[index]);
	pmds = pmd_table_of(&b, addr);
	pmds->kind[index] = pmds->flags[index] = 0;
	finish(&b, s, holes, &c);

	c.name = "leaf taken for a table";
	c.claim = claim_of(s, PTE, addr, false);
	again(&b, s);
	pmds = pmd_table_of(&b, addr);
	pmds->kind[index] = pmds->flags[index] = 0;
	if (pmds->record.deposited)
		pmds->record.deposited--;
	build_pte(&b, addr, 512);
	finish(&b, s, holes, &c);
}

UNIT_TEST(wrong_trees_end_with_status_0_only_if_listed)
{
	size_t i, m;

	for (m = 0; m < NR_IMAGES; m++) {
		struct subject s;

		subject_init(&s, &images[m]);
		for (i = 0; i < s.b.nr_tables; i++) {
			mutate_table(&s, i);
			for (unsigned int k = 0; k < BUILD_ENTRIES; k++)
				if (s.b.tables[i]->kind[k] == PTAUDIT_K_LEAF)
					mutate_leaf(&s, s.b.tables[i], k);
		}
		subject_deinit(&s);
	}
}

UNIT_TEST(each_listed_hole_has_survivors)
{
	mutants_report(holes);
}

UNIT_MAIN
