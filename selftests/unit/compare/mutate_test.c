// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes each record of several answers in each possible way, one at a time and equally
 * in both walks.  Each mutant must end with a status other than 0, or be one of the
 * exceptions listed below with a reason.
 */
#include <stddef.h>

#include "support/mutate.h"

/* A mutant: the records, with room for one more. */
struct mutant {
	struct ptaudit_table *r;
	size_t nr;
	size_t i;
};

static enum end check_mutant(const struct subject *s, const struct mutant *m)
{
	size_t nr_bytes = 128 + 64 * m->nr;
	char *bytes = malloc(nr_bytes);
	struct ptaudit_header header;
	enum end end;

	if (!bytes)
		abort();
	memcpy(&header, s->bytes, 128);
	header.nr_records = m->nr;
	memcpy(bytes, &header, 128);
	memcpy(bytes + 128, m->r, 64 * m->nr);
	end = check(s, bytes, nr_bytes);
	free(bytes);
	return end;
}

static const struct {
	const char *alone;
	const char *with_used; /* name of the change of a kind and the sum */
	size_t offset;
	bool is_wide;
} fields[] = {
#define FIELD(name)                                                      \
	{                                                                \
#name, NULL, offsetof(struct ptaudit_table, name), false \
	}
#define KIND(name)                                                          \
	{                                                                   \
#name, #name "+used", offsetof(struct ptaudit_table, name), \
			false                                               \
	}
	KIND(children),
	KIND(leaves),
	KIND(present),
	KIND(swap),
	KIND(migration),
	KIND(uffd_wp),
	KIND(guard),
	KIND(other),
	KIND(unwalked),
	FIELD(used),
	FIELD(pfnmap),
	FIELD(deposited),
	FIELD(node),
	FIELD(pages),
	{ "sharers", NULL, offsetof(struct ptaudit_table, sharers), true },
};

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

/* indices in fields[]: the kinds of entries, and those that a PTE table can have */
#define NR_KINDS 9
#define FIRST_PTE_KIND 2
#define LAST_PTE_KIND 7

static void add_to(struct ptaudit_table *r, unsigned int field, int delta)
{
	char *at = (char *)r + fields[field].offset;

	if (fields[field].is_wide)
		*(uint32_t *)(void *)at += delta;
	else
		*(uint16_t *)(void *)at += delta;
}

static unsigned int value_of(const struct ptaudit_table *r, unsigned int field)
{
	uint16_t value;

	memcpy(&value, (const char *)r + fields[field].offset, sizeof(value));
	return value;
}

static bool is_table(const struct mutation *c, unsigned int level)
{
	return c->r.level == level && c->r.type == PTAUDIT_TABLE;
}

/* The estimator claims this PTE table but does not count its entries. */
static bool is_uncounted(const struct mutation *c)
{
	return is_table(c, PTAUDIT_PTE) && c->claim == PTU_CERTAIN &&
	       !c->counts;
}

static bool fits(const struct mutation *c, unsigned int value)
{
	return c->variant < 0 ? value > 0 : c->r.used < 512;
}

static bool uncounted_entry(const struct mutation *c)
{
	unsigned int f = 0;

	while (!fields[f].with_used || strcmp(fields[f].with_used, c->name))
		f++;
	return is_uncounted(c) && fits(c, value_of(&c->r, f));
}

static bool ldt_page(const struct mutation *c)
{
	return is_table(c, PTAUDIT_PTE) && c->r.flags & PTAUDIT_T_LDT;
}

static bool has_room(const struct mutation *c)
{
	return c->variant < 0 || c->mapped_bytes >= (c->r.used + 1) * 4 * KIB;
}

static bool unseen_wp(const struct mutation *c)
{
	return is_table(c, PTAUDIT_PTE) && !c->claim && has_room(c) &&
	       c->blind & 1u << PTAUDIT_K_UFFD_WP && fits(c, c->r.uffd_wp);
}

static bool unseen_guard(const struct mutation *c)
{
	return is_table(c, PTAUDIT_PTE) && !c->claim && has_room(c) &&
	       c->blind & 1u << PTAUDIT_K_GUARD && fits(c, c->r.guard);
}

/* The sum is unchanged; a PTE table must be able to have both kinds. */
static bool of_same_sum(const struct mutation *c)
{
	unsigned int to = c->variant % NR_KINDS;

	return is_table(c, PTAUDIT_PTE) &&
	       (c->claim == PTU_CERTAIN || c->claim == PTU_POSSIBLE) &&
	       to >= FIRST_PTE_KIND && to <= LAST_PTE_KIND;
}

static bool unseen_kind(const struct mutation *c)
{
	const char *to = fields[c->variant % NR_KINDS].alone;

	return is_table(c, PTAUDIT_PTE) && !c->claim &&
	       ((c->blind & 1u << PTAUDIT_K_GUARD && !strcmp(to, "guard")) ||
		(c->blind & 1u << PTAUDIT_K_UFFD_WP && !strcmp(to, "uffd_wp")));
}

static bool uncounted_pfnmap(const struct mutation *c)
{
	return is_uncounted(c) && c->variant > 0 && c->r.pfnmap < c->r.present;
}

static bool without_runs(const struct mutation *c)
{
	return c->r.type == PTAUDIT_TABLE &&
	       (c->r.level == PTAUDIT_PTE || !c->r.used);
}

static bool matched(const struct mutation *c)
{
	if (c->variant == PTAUDIT_T_MOVED)
		return c->r.type == PTAUDIT_TABLE && c->claim == PTU_CERTAIN;
	return c->variant == PTAUDIT_T_HUGETLB && is_table(c, PTAUDIT_PMD) &&
	       !c->r.sharers && c->claim == PTU_CERTAIN;
}

static bool is_hugetlb(const struct mutation *c)
{
	return is_table(c, PTAUDIT_PMD) && c->r.flags & PTAUDIT_T_HUGETLB;
}

#define UNCOUNTED \
	"this estimator does not say how full a table is that both sides have"

static struct hole holes[] = {
	HOLE("present+used", uncounted_entry, UNCOUNTED),
	HOLE("swap+used", uncounted_entry, UNCOUNTED),
	HOLE("migration+used", uncounted_entry, UNCOUNTED),
	HOLE("uffd_wp+used", uncounted_entry, UNCOUNTED),
	HOLE("guard+used", uncounted_entry, UNCOUNTED),
	HOLE("other+used", uncounted_entry, UNCOUNTED),
	HOLE("pfnmap", uncounted_pfnmap, UNCOUNTED),
	HOLE("present+used", ldt_page,
	     "a page more or less of the LDT: no file of /proc has its size"),
	HOLE("one entry of another kind", of_same_sum,
	     "the entries of a table that both sides have are compared as one sum"),
	HOLE("uffd_wp+used", unseen_wp,
	     "the estimator is blind to markers; pagemap shows them"),
	HOLE("guard+used", unseen_guard,
	     "the estimator is blind to guard markers; pagemap shows them from 6.15 on"),
	HOLE("one entry of another kind", unseen_kind,
	     "the estimator is blind to the new kind of marker"),
	HOLE("node", without_runs,
	     "not a claim about tables; no file of /proc has it"),
	HOLE("pfn of no record", without_runs,
	     "KPF_PGTABLE in /proc/kpageflags would tell; live tests check it"),
	HOLE("flags", matched,
	     "moved or hugetlb, but both sides have the table: they agree"),
	HOLE("sharers", is_hugetlb,
	     "not a claim about tables; other processes' maps would have to be read"),
	NO_MORE_HOLES,
};

/* A copy of the answer, to be changed at record @i. */
static struct mutant mutant_of(const struct subject *s, size_t i)
{
	struct mutant m = { malloc(64 * (s->nr + 1)), s->nr, i };

	if (!m.r)
		abort();
	memcpy(m.r, s->bytes + 128, 64 * s->nr);
	return m;
}

static struct mutation mutation_of(const struct subject *s, size_t i,
				   const char *name, int variant)
{
	struct mutation c = { .name = name, .variant = variant };

	memcpy(&c.r, s->bytes + 128 + 64 * i, 64);
	c.claim = claim_of(s, c.r.level, c.r.start, c.r.type == PTAUDIT_RUN);
	c.blind = s->image->blind;
	c.counts = s->image->counts;
	c.mapped_bytes = mapped_bytes(&s->b, c.r.level, c.r.start);
	return c;
}

/* Run one mutant: @change modifies the record *r of the mutant m. */
#define MUTANT(name, variant, change)                                  \
	do {                                                           \
		struct mutation c_ = mutation_of(s, i, name, variant); \
		struct mutant m = mutant_of(s, i);                     \
		struct ptaudit_table *r = &m.r[i];                     \
                                                                       \
		change;                                                \
		(void)r;                                               \
		judge(s, holes, &c_, check_mutant(s, &m));             \
		free(m.r);                                             \
	} while (0)

static void mutate_shape(const struct subject *s, size_t i)
{
	const struct ptaudit_table orig = mutation_of(s, i, "", 0).r;
	const uint64_t entry = UINT64_C(1) << s->b.geo.shift[orig.level];

	MUTANT("drop", 0, memmove(r, r + 1, 64 * (--m.nr - i)));
	MUTANT("double", 0, memmove(r + 1, r, 64 * (m.nr++ - i)));
	if (i + 1 < s->nr)
		MUTANT("swap with next", 0, m.r[s->nr] = r[0]; r[0] = r[1];
		       r[1] = m.r[s->nr]);
	for (int v = -1; v <= 1; v += 2) {
		MUTANT("level", v, r->level += v);
		MUTANT("start by a table", v,
		       r->start += v * 512 * (int64_t)entry);
		MUTANT("start by an entry", v, r->start += v * (int64_t)entry);
	}
	for (int v = 0; v <= PTAUDIT_NR_KINDS; v++)
		if (v != orig.kind)
			MUTANT("kind", v, r->kind = v);
	for (int v = 0; v <= 3; v++)
		if (v != orig.type)
			MUTANT("type", v, r->type = v);
	for (size_t k = 0; k < s->nr; k++)
		if (mutation_of(s, k, "", 0).r.pfn != orig.pfn)
			MUTANT("pfn of another record", (int)k,
			       r->pfn = m.r[k].pfn);
	MUTANT("pfn of no record", 0, r->pfn++);
	for (int v = 0; v < 8; v++)
		MUTANT("flags", 1 << v, r->flags ^= 1 << v);
	for (int v = 0; v < 3; v++)
		MUTANT("reserved", v, r->reserved[v]++);
}

static void mutate_counts(const struct subject *s, size_t i)
{
	const struct ptaudit_table orig = mutation_of(s, i, "", 0).r;
	unsigned int f, to;

	for (f = 0; f < NR_FIELDS; f++)
		for (int v = -1; v <= 1; v += 2) {
			MUTANT(fields[f].alone, v, add_to(r, f, v));
			if (fields[f].with_used)
				MUTANT(fields[f].with_used, v, add_to(r, f, v);
				       r->used += v);
		}
	for (f = 0; f < NR_KINDS; f++)
		for (to = 0; to < NR_KINDS; to++)
			if (f != to && value_of(&orig, f))
				MUTANT("one entry of another kind",
				       (int)(f * NR_KINDS + to),
				       add_to(r, f, -1);
				       add_to(r, to, 1));
}

UNIT_TEST(correct_answer_ends_with_status_0)
{
	for (size_t i = 0; i < NR_IMAGES; i++) {
		struct subject s;
		enum end end;

		subject_init(&s, &images[i]);
		end = check(&s, s.bytes, 128 + 64 * s.nr);
		if (end != SURVIVES)
			UNIT_FAIL("image %s without a mutation ends with %d",
				  images[i].name, end);
		subject_deinit(&s);
	}
}

UNIT_TEST(mutants_of_records_end_with_status_0_only_if_listed)
{
	size_t k, i;

	for (k = 0; k < NR_IMAGES; k++) {
		struct subject s;

		subject_init(&s, &images[k]);
		for (i = 0; i < s.nr; i++) {
			mutate_shape(&s, i);
			mutate_counts(&s, i);
		}
		subject_deinit(&s);
	}
}

UNIT_TEST(each_listed_hole_has_survivors)
{
	mutants_report(holes);
}

UNIT_MAIN
