// SPDX-License-Identifier: LGPL-2.1-or-later
/* Add up the results of comparisons; must not compare or read anything. */
#include "compare/page_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compare/table_rows.h"

/* A difference that is the same in this many consecutive brackets is not in flux. */
#define EQUAL_BRACKETS 2

static bool is_clean(const struct ptu_totals_mapping *m)
{
	unsigned int total;

	for (total = 0; total < PTU_NR_TOTALS; total++)
		if (m->why[total] == PTU_TOTALS_UNEXPLAINED)
			return false;
	return true;
}

/* Compare the whole with the sum of its parts, if nothing changed meanwhile. */
static void check_whole(struct ptu_totals_set *set)
{
	struct ptu_totals sum = { 0 };
	size_t i;

	if (!ptu_totals_same(&set->whole_before, &set->whole_after))
		return;
	for (i = 0; i < set->nr; i++) {
		const struct ptu_totals_mapping *m = &set->mappings[i];

		if (!ptu_totals_same(&m->before, &m->after))
			return;
		ptu_totals_add(&sum, &m->after);
	}
	set->whole_sum = sum;
	set->whole = set->whole_after;
	set->whole_checked = true;
}

size_t ptu_totals_settle(struct ptu_totals_set *set)
{
	size_t i, left = 0;
	bool all = true;

	for (i = 0; i < set->nr; i++)
		all &= !set->mappings[i].settled;
	/* later brackets cover only some mappings */
	if (all)
		check_whole(set);
	for (i = 0; i < set->nr; i++) {
		struct ptu_totals_mapping *m = &set->mappings[i];
		bool still = ptu_totals_same(&m->before, &m->after);

		if (m->settled)
			continue;
		ptu_totals_judge(&m->after, &m->seen, &set->vmas.vmas[m->vma],
				 m->why);
		if (!still)
			m->brackets = 0;
		else if (m->brackets && ptu_totals_same(&m->after, &m->last) &&
			 !memcmp(m->seen.nr, m->last_seen,
				 sizeof(m->last_seen)))
			m->brackets++;
		else
			m->brackets = 1;
		m->last = m->after;
		memcpy(m->last_seen, m->seen.nr, sizeof(m->last_seen));
		m->settled = still && is_clean(m);
		left += !m->settled;
	}
	return left;
}

static void add_diff(struct ptu_totals_process *p, const char *name,
		     uint64_t kernel, uint64_t proc,
		     const struct ptu_totals_diff *where)
{
	struct ptu_totals_diff *diff;

	p->unexplained += kernel > proc ? kernel - proc : proc - kernel;
	if (p->nr_diffs == PTU_TOTALS_SAMPLES)
		return;
	diff = &p->diffs[p->nr_diffs++];
	*diff = *where;
	diff->name = name;
	diff->kernel = kernel;
	diff->proc = proc;
}

static void add_total(struct ptu_totals_process *p,
		      const struct ptu_totals_mapping *m,
		      const struct ptu_vma *vma, enum ptu_total total,
		      const struct ptu_totals_diff *where)
{
	struct ptu_totals_row *row = &p->rows[total];
	enum ptu_totals_why why = m->why[total];
	uint64_t proc = m->seen.nr[total], pages;
	bool known;
	uint64_t kernel = ptu_totals_value(&m->after, vma->perms[3] == 'p',
					   total, &known);

	row->known = known;
	row->kernel += kernel;
	row->proc += proc;
	pages = kernel > proc ? kernel - proc : proc - kernel;
	if (why == PTU_TOTALS_UNEXPLAINED && m->brackets < EQUAL_BRACKETS)
		why = PTU_TOTALS_IN_FLUX;
	if (why == PTU_TOTALS_AGREE || why == PTU_TOTALS_UNKNOWN)
		return;
	p->causes[why][total].mappings++;
	p->causes[why][total].pages += pages;
	if (why == PTU_TOTALS_IN_FLUX) {
		row->in_flux += pages;
	} else if (why == PTU_TOTALS_UNEXPLAINED) {
		row->unexplained += pages;
		add_diff(p, ptu_total_name(total), kernel, proc, where);
	} else {
		row->explained += pages;
	}
}

static void add_whole(const struct ptu_totals_set *set,
		      struct ptu_totals_process *p)
{
	const struct ptu_totals_diff where = { .path = "" };
	unsigned int key;

	p->whole_checked = set->whole_checked;
	for (key = 0; set->whole_checked && key < PTAUDIT_NR_PAGES_KEYS; key++)
		if (set->whole.nr[key] != set->whole_sum.nr[key])
			add_diff(p, ptu_totals_key_name(key),
				 set->whole.nr[key], set->whole_sum.nr[key],
				 &where);
}

void ptu_totals_sum_up(struct ptu_totals_set *set,
		       struct ptu_totals_process *ret)
{
	uint64_t in_flux = 0, pages;
	unsigned int total;
	size_t i;

	ret->mappings = set->nr;
	for (i = 0; i < set->nr; i++) {
		const struct ptu_totals_mapping *m = &set->mappings[i];
		const struct ptu_vma *vma = &set->vmas.vmas[m->vma];
		struct ptu_totals_diff where = { .start = vma->start,
						 .end = vma->end };

		snprintf(where.path, sizeof(where.path), "%s",
			 ptu_vma_path(&set->vmas, vma));
		ptu_totals_add(&ret->kernel, &m->after);
		for (total = 0; total < PTU_NR_TOTALS; total++)
			add_total(ret, m, vma, total, &where);
	}
	add_whole(set, ret);
	for (total = 0; total < PTU_NR_TOTALS; total++)
		if (ret->rows[total].in_flux > in_flux)
			in_flux = ret->rows[total].in_flux;
	pages = ret->kernel.nr[PTAUDIT_P_PRESENT] +
		ret->kernel.nr[PTAUDIT_P_HUGETLB];
	if (in_flux <= ptu_tally_flux_limit(pages))
		return;
	ret->status = PTU_STATUS_UNSTABLE;
	snprintf(ret->error, sizeof(ret->error),
		 "process %d changed while it was measured: %" PRIu64
		 " pages kept changing while they were counted",
		 (int)ret->pid, in_flux);
}
