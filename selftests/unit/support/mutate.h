/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs mutants of the module's answers through a check, and counts the results by kind
 * of mutation.  The test must list each surviving mutant with a reason, and each listed
 * one must survive.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include "images.h"
#include "pipeline.h"
#include "unit.h"

/**
 * struct mutation - one change of one record
 * @name: name of the operator
 * @variant: variant of the operator
 * @r: the unchanged record (a run of one for a leaf)
 * @claim: the estimator's claim for that table, or 0
 * @blind: kinds of entries that the estimator does not see
 * @counts: the estimator counts the entries of the PTE tables that it claims
 * @mapped_bytes: mapped bytes in the table's reach; for a moved or invented table in its new reach
 */
struct mutation {
	const char *name;
	int variant;
	struct ptaudit_table r;
	unsigned int claim;
	unsigned int blind;
	bool counts;
	uint64_t mapped_bytes;
};

/**
 * struct hole - mutants that a check does not detect
 * @operator: name of the mutation
 * @covers: true for exactly these mutants
 * @reason: why they survive, and what would detect them
 * @nr_hits: number of mutants that survived
 */
struct hole {
	const char *operator;
	bool (*covers)(const struct mutation *c);
	const char *reason;
	unsigned int nr_hits;
};

#define HOLE(operator, covers, reason)      \
	{                                   \
		operator, covers, reason, 0 \
	}
#define NO_MORE_HOLES HOLE(NULL, NULL, NULL)

#define MAX_OPERATORS 80

static struct {
	const char *name;
	unsigned int nr_run;
	unsigned int nr_refused;    /* the parser refused the answer */
	unsigned int nr_open;	    /* a difference was left unexplained */
	unsigned int nr_unbalanced; /* only the sum differs from VmPTE */
	unsigned int nr_listed;	    /* survived, and the test lists it */
} operators[MAX_OPERATORS];

/* A correct answer and the claims about it. */
struct subject {
	const struct image *image;
	struct build b;
	struct ptu_tables claims;
	char *bytes;
	size_t nr;
	uint64_t vmpte_bytes;
};

/* Set the estimator's counts to those of the process before the mutation. */
static inline void count_claims(struct subject *s)
{
	size_t i, k;

	for (i = 0; i < s->claims.nr_tables; i++) {
		struct ptu_table *claim = &s->claims.tables[i];

		for (k = 0; k < s->b.nr_tables; k++) {
			const struct ptaudit_table *r = &s->b.tables[k]->record;

			if (claim->level != PTE || claim->start != r->start ||
			    r->level != PTE)
				continue;
			claim->counted = true;
			claim->entries = r->present + r->swap + r->migration +
					 r->uffd_wp + r->guard + r->other -
					 r->pfnmap;
		}
	}
}

static inline uint64_t mapped_bytes(const struct build *b, unsigned int level,
				    uint64_t start)
{
	uint64_t end = start + (UINT64_C(512) << b->geo.shift[level]);
	uint64_t bytes = 0;

	for (size_t i = 0; i < b->vmas.nr_vmas; i++) {
		const struct ptu_vma *vma = &b->vmas.vmas[i];

		if (vma->start < end && vma->end > start)
			bytes += (vma->end < end ? vma->end : end) -
				 (vma->start > start ? vma->start : start);
	}
	return bytes;
}

static inline void subject_init(struct subject *s, const struct image *image)
{
	struct ptaudit_header header;
	size_t nr_bytes;

	memset(s, 0, sizeof(*s));
	s->image = image;
	build_init(&s->b, image->nr_levels, image->pti);
	image->put(&s->b, &s->claims);
	if (image->counts)
		count_claims(s);
	s->bytes = build_image(&s->b, &nr_bytes);
	s->nr = (nr_bytes - 128) / 64;
	memcpy(&header, s->bytes, sizeof(header));
	s->vmpte_bytes = header.pgtables_bytes_after;
}

static inline void subject_deinit(struct subject *s)
{
	ptu_tables_deinit(&s->claims);
	build_deinit(&s->b);
	free(s->bytes);
}

enum end { SURVIVES, REFUSED, OPEN, UNBALANCED };

/* The result of a check that gets these bytes from both walks. */
static inline enum end check(const struct subject *s, const void *bytes,
			     size_t nr_bytes)
{
	const struct ptu_geometry *geo = &s->b.geo;
	enum end end = SURVIVES;
	struct pipeline p = { 0 };
	const struct ptu_proof proof = { .geo = geo,
					 .before = &p.before,
					 .after = &p.after,
					 .vmas = &s->b.vmas,
					 .blind = s->image->blind };

	if (ptu_snapshot_parse(bytes, nr_bytes, geo, &p.before, &p.err))
		return REFUSED;
	if (ptu_snapshot_parse(bytes, nr_bytes, geo, &p.after, &p.err) ||
	    ptu_compare(&p.before, &p.after, &s->claims, geo, 0, UINT64_MAX,
			&p.diffs, &p.err))
		abort();
	ptu_explain(&p.diffs, &proof);
	pipeline_tally(&p, geo, s->vmpte_bytes);
	if (pipeline_status(&p))
		end = p.process.nr_unexplained ? OPEN : UNBALANCED;
	pipeline_deinit(&p);
	return end;
}

static inline void note(const char *name, enum end end, bool is_listed)
{
	unsigned int i = 0;

	while (operators[i].name && strcmp(operators[i].name, name))
		if (++i == MAX_OPERATORS)
			abort();
	operators[i].name = name;
	operators[i].nr_run++;
	operators[i].nr_refused += end == REFUSED;
	operators[i].nr_open += end == OPEN;
	operators[i].nr_unbalanced += end == UNBALANCED;
	operators[i].nr_listed += end == SURVIVES && is_listed;
}

/* Is this mutant listed?  If it survives, count it. */
static inline bool hole_listed(struct hole *holes, const struct mutation *c,
			       bool survives)
{
	bool is_listed = false;

	for (; holes->operator; holes++) {
		if (strcmp(holes->operator, c->name) || !holes->covers(c))
			continue;
		if (!is_listed && survives)
			holes->nr_hits++;
		is_listed = true;
	}
	return is_listed;
}

/* Record the mutant's result.  The list of holes must be exact. */
static inline void judge(const struct subject *s, struct hole *holes,
			 const struct mutation *c, enum end end)
{
	bool is_listed = hole_listed(holes, c, end == SURVIVES);

	note(c->name, end, is_listed);
	if ((end == SURVIVES) == is_listed)
		return;
	printf("# %s: %s %d: level %u type %u start %#llx used %u: %s\n",
	       s->image->name, c->name, c->variant, c->r.level, c->r.type,
	       (unsigned long long)c->r.start, c->r.used,
	       is_listed ? "is found, but the test lists it as not found" :
			   "survives");
	UNIT_FAIL("mutation %s of image %s: the line above has the details",
		  c->name, s->image->name);
}

/* The estimator's claim for a table or a leaf; 0: none. */
static inline unsigned int claim_of(const struct subject *s, unsigned int level,
				    uint64_t start, bool leaf)
{
	for (size_t i = 0; i < s->claims.nr_tables; i++)
		if (s->claims.tables[i].start == start &&
		    s->claims.tables[i].level == level &&
		    (s->claims.tables[i].claim == PTU_LEAF) == leaf)
			return s->claims.tables[i].claim;
	return 0;
}

static inline void mutants_report(const struct hole *holes)
{
	unsigned int nr_run = 0, nr_listed = 0, i;

	for (i = 0; i < MAX_OPERATORS && operators[i].name; i++) {
		printf("# %-26s %5u mutants: %5u refused, %4u unexplained, %3u by VmPTE, %3u not found, as listed\n",
		       operators[i].name, operators[i].nr_run,
		       operators[i].nr_refused, operators[i].nr_open,
		       operators[i].nr_unbalanced, operators[i].nr_listed);
		nr_run += operators[i].nr_run;
		nr_listed += operators[i].nr_listed;
	}
	for (; holes->operator; holes++) {
		printf("# not found, as listed: %u mutants: %s: %s\n",
		       holes->nr_hits, holes->operator, holes->reason);
		if (!holes->nr_hits)
			UNIT_FAIL("listed as not found, but found: %s: %s",
				  holes->operator, holes->reason);
	}
	printf("# %u mutants, %u not found, as listed\n", nr_run, nr_listed);
}

#endif
