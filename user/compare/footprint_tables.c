// SPDX-License-Identifier: LGPL-2.1-or-later
/* Identify shared hugetlb tables; must not know how they were found. */
#include "compare/footprint_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare/footprint.h"
#include "compare/set.h"

/**
 * struct ptu_footprint_shared - a table that is mapped at several places
 * @places: number of places in the set
 * @sharers: the largest number of other places in any of its records
 * @is_done: the pages that it maps have been added
 */
struct ptu_footprint_shared {
	uint64_t pfn;
	uint64_t bytes;
	uint32_t places;
	uint32_t sharers;
	bool is_done;
};

static int by_pfn(const void *a, const void *b)
{
	const struct ptu_footprint_shared *x = a, *y = b;

	return x->pfn < y->pfn ? -1 : x->pfn > y->pfn;
}

static bool counts(const struct ptu_footprint_report *report, size_t i)
{
	return report->base.processes[i].status == PTU_STATUS_OK &&
	       !report->rows[i].same_as;
}

static bool has_outside(const struct ptu_footprint_shared *table)
{
	return table->sharers >= table->places;
}

/* List all places, then merge them to one entry per table. */
static int list(const struct ptu_footprint_report *report,
		struct ptu_footprint_tables *ret)
{
	size_t nr_places = 0, nr = 0, i, k;
	struct ptu_footprint_shared *list;

	for (i = 0; i < report->base.nr_processes; i++)
		nr_places += report->base.processes[i].nr_shared;
	list = calloc(nr_places + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (i = 0; i < report->base.nr_processes; i++) {
		const struct ptu_process *process = &report->base.processes[i];

		for (k = 0; counts(report, i) && k < process->nr_shared; k++)
			list[nr++] = (struct ptu_footprint_shared){
				.pfn = process->shared[k].pfn,
				.bytes = process->shared[k].pages *
					 report->base.page_bytes,
				.places = 1,
				.sharers = process->shared[k].sharers,
			};
	}
	qsort(list, nr, sizeof(*list), by_pfn);
	for (i = 0, k = 0; i < nr; i++) {
		if (!k || list[k - 1].pfn != list[i].pfn) {
			list[k++] = list[i];
			continue;
		}
		list[k - 1].places++;
		if (list[k - 1].sharers < list[i].sharers)
			list[k - 1].sharers = list[i].sharers;
	}
	ret->shared = list;
	ret->nr_shared = k;
	return 0;
}

static struct ptu_footprint_shared *
find(const struct ptu_footprint_tables *tables, uint64_t pfn)
{
	const struct ptu_footprint_shared wanted = { .pfn = pfn };

	return bsearch(&wanted, tables->shared, tables->nr_shared,
		       sizeof(wanted), by_pfn);
}

static void add_process(const struct ptu_footprint_tables *tables,
			const struct ptu_report *base,
			const struct ptu_process *process,
			struct ptu_footprint_tables_sum *sum)
{
	size_t i;

	sum->bytes = ptu_process_table_bytes(base, process);
	for (i = 0; i < process->nr_shared; i++) {
		const struct ptu_footprint_shared *table =
			find(tables, process->shared[i].pfn);

		if (table && has_outside(table))
			sum->outside_bytes += table->bytes;
		else if (table)
			sum->inside_bytes += table->bytes;
	}
}

static void add_set(const struct ptu_footprint_tables *tables,
		    const struct ptu_report *base,
		    struct ptu_footprint_tables_sum *sum)
{
	size_t i;

	sum->bytes = ptu_set_table_bytes(base);
	for (i = 0; i < tables->nr_shared; i++) {
		if (has_outside(&tables->shared[i]))
			sum->outside_bytes += tables->shared[i].bytes;
		else
			sum->inside_bytes += tables->shared[i].bytes;
	}
}

void ptu_footprint_tables_above(const struct ptu_geometry *geo,
				const struct ptu_vmas *vmas,
				struct ptu_process *ret)
{
	struct ptu_level_row *p4d = &ret->levels[PTAUDIT_P4D];
	uint64_t end = 0;
	size_t i;

	ret->levels[PTAUDIT_PGD].bytes = ptu_geometry_table_bytes(geo,
								  PTAUDIT_PGD);
	for (i = 0; geo->unfolded[PTAUDIT_P4D] && i < vmas->nr_vmas; i++) {
		const struct ptu_vma *vma = &vmas->vmas[i];
		uint64_t reach = ptu_geometry_reach(geo, PTAUDIT_P4D);
		uint64_t start = vma->start > end ? vma->start : end;

		if (vma->end <= start ||
		    vma->start >= ptu_geometry_user_end(geo))
			continue;
		start = ptu_geometry_base(geo, PTAUDIT_P4D, start);
		end = ptu_geometry_base(geo, PTAUDIT_P4D, vma->end - 1) + reach;
		p4d->bytes += (end - start) / reach * geo->page_bytes;
	}
}

int ptu_footprint_tables_add_up(struct ptu_footprint_report *report,
				struct ptu_footprint_tables *ret)
{
	struct ptu_report *base = &report->base;
	struct ptu_footprint_tables tables = { .known = report->by_module };
	int error = 0;
	size_t i;

	memset(&report->tables, 0, sizeof(report->tables));
	if (tables.known) {
		error = list(report, &tables);
		if (!error)
			error = ptu_set_add_up(base);
		if (!error)
			add_set(&tables, base, &report->tables);
	}
	for (i = 0; !error && i < base->nr_processes; i++) {
		struct ptu_footprint_tables_sum *sum = &report->rows[i].tables;

		memset(sum, 0, sizeof(*sum));
		if (!counts(report, i))
			continue;
		if (tables.known) {
			add_process(&tables, base, &base->processes[i], sum);
			continue;
		}
		/* VmPTE has the PTE to PUD tables; .levels has those above */
		sum->bytes = base->processes[i].vmpte_bytes +
			     ptu_process_table_bytes(base, &base->processes[i]);
		report->tables.bytes += sum->bytes;
	}
	if (error) {
		ptu_footprint_tables_deinit(&tables);
		return error;
	}
	tables.reach_bytes = ret->reach_bytes;
	*ret = tables;
	return 0;
}

/* Was the table visited at an earlier place, of this or another process? */
static bool is_again(const struct ptu_footprint_shared *table,
		     const struct ptu_process *process, size_t place)
{
	size_t i;

	for (i = 0; !table->is_done && i < place; i++) {
		if (process->shared[i].pfn == table->pfn)
			return true;
	}
	return table->is_done;
}

static unsigned int how_shared(const struct ptu_footprint_tables *tables,
			       const struct ptu_process *process, size_t place)
{
	const struct ptu_footprint_shared *table =
		find(tables, process->shared[place].pfn);
	unsigned int how = PTU_FOOTPRINT_SHARED;

	if (!table)
		return how | PTU_FOOTPRINT_UNKNOWN;
	if (has_outside(table))
		how |= PTU_FOOTPRINT_OUTSIDE;
	if (is_again(table, process, place))
		how |= PTU_FOOTPRINT_AGAIN;
	return how;
}

/*
 * A table can only be shared in a hugetlb mapping whose pages others can map, and
 * that covers the table's whole reach.  A page as large as that reach needs no PMD table.
 * Source: mm/hugetlb.c, page_table_shareable(), vma_shareable(), huge_pte_alloc() (5.10
 * to 7.3)
 */
static unsigned int how_unknown(const struct ptu_footprint_tables *tables,
				const struct ptu_vma *vma, uint64_t addr,
				uint64_t *ret_end)
{
	uint64_t reach = tables->reach_bytes;
	uint64_t start;

	*ret_end = vma->end;
	if (!(vma->flags & PTU_VM_HUGETLB) || !(vma->flags & PTU_VM_MAYSHARE))
		return 0;
	if (!reach)
		return PTU_FOOTPRINT_UNKNOWN;
	if (vma->kernel_page_bytes >= reach)
		return 0;
	start = addr - addr % reach;
	if (start + reach < vma->end)
		*ret_end = start + reach;
	return start >= vma->start && start + reach <= vma->end ?
		       PTU_FOOTPRINT_UNKNOWN :
		       0;
}

unsigned int ptu_footprint_tables_how(const struct ptu_footprint_tables *tables,
				      const struct ptu_process *process,
				      const struct ptu_vma *vma, uint64_t addr,
				      uint64_t *ret_end)
{
	size_t i;

	if (!tables->known)
		return how_unknown(tables, vma, addr, ret_end);
	*ret_end = vma->end;
	for (i = 0; i < process->nr_shared; i++) {
		const struct ptu_shared *place = &process->shared[i];

		if (place->end <= addr)
			continue;
		if (place->start > addr) {
			if (place->start < *ret_end)
				*ret_end = place->start;
			return 0;
		}
		if (place->end < *ret_end)
			*ret_end = place->end;
		return how_shared(tables, process, i);
	}
	return 0;
}

void ptu_footprint_tables_done(struct ptu_footprint_tables *tables,
			       const struct ptu_process *process)
{
	size_t i;

	for (i = 0; i < process->nr_shared; i++) {
		struct ptu_footprint_shared *table =
			find(tables, process->shared[i].pfn);

		if (table)
			table->is_done = true;
	}
}

void ptu_footprint_tables_deinit(struct ptu_footprint_tables *tables)
{
	free(tables->shared);
	tables->shared = NULL;
	tables->nr_shared = 0;
}
