// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sort and add up rows; must not measure. */
#define _GNU_SOURCE
#include "report/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

const char *ptu_top_source_name(enum ptu_top_source source)
{
	switch (source) {
	case PTU_TOP_VMPTE:
		return "vmpte";
	case PTU_TOP_ESTIMATE:
		return "estimate";
	case PTU_TOP_BPF:
		return "bpf";
	case PTU_TOP_MODULE:
		return "module";
	case PTU_TOP_MIXED:
		break;
	}
	return "mixed";
}

void ptu_top_merge(struct ptu_top_row *group, const struct ptu_top_row *row)
{
	if (!group->nr_processes) {
		group->source = row->source;
		group->pid = row->pid;
		memcpy(group->why, row->why, sizeof(group->why));
	} else if (group->source != row->source) {
		group->source = PTU_TOP_MIXED;
	}
	/* if only some processes have a figure, the sum of the group is incomplete */
	group->is_part |= row->is_part ||
			  (group->nr_processes &&
			   (group->has_empty != row->has_empty ||
			    group->has_deposited != row->has_deposited));
	group->nr_processes++;
	group->total_bytes += row->total_bytes;
	group->vmpte_bytes += row->vmpte_bytes;
	group->rss_bytes += row->rss_bytes;
	group->has_empty |= row->has_empty;
	group->empty_tables += row->empty_tables;
	group->has_deposited |= row->has_deposited;
	group->deposited_tables += row->deposited_tables;
	ptu_fill_merge(&group->fill, &row->fill);
}

static int down(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int by_total(const struct ptu_top_row *a, const struct ptu_top_row *b)
{
	return down(a->total_bytes, b->total_bytes);
}

/* Unknown values come last, here and below. */
static int by_empty(const struct ptu_top_row *a, const struct ptu_top_row *b)
{
	if (!a->has_empty || !b->has_empty)
		return !a->has_empty - !b->has_empty;
	return down(a->empty_tables, b->empty_tables);
}

static int by_deposited(const struct ptu_top_row *a,
			const struct ptu_top_row *b)
{
	if (!a->has_deposited || !b->has_deposited)
		return !a->has_deposited - !b->has_deposited;
	return down(a->deposited_tables, b->deposited_tables);
}

static int by_fill(const struct ptu_top_row *a, const struct ptu_top_row *b)
{
	if (!a->fill.counted || !b->fill.counted)
		return !a->fill.counted - !b->fill.counted;
	return (int)ptu_fill_permille(&a->fill) -
	       (int)ptu_fill_permille(&b->fill);
}

static int by_vmpte(const struct ptu_top_row *a, const struct ptu_top_row *b)
{
	return down(a->vmpte_bytes, b->vmpte_bytes);
}

static int by_rss(const struct ptu_top_row *a, const struct ptu_top_row *b)
{
	return down(a->rss_bytes, b->rss_bytes);
}

static int by_pid(const struct ptu_top_row *a, const struct ptu_top_row *b)
{
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int by_comm(const struct ptu_top_row *a, const struct ptu_top_row *b)
{
	return strcmp(a->comm, b->comm);
}

static int by_name(const struct ptu_top_row *a, const struct ptu_top_row *b)
{
	return strcmp(a->name, b->name);
}

static int by_start(const struct ptu_top_row *a, const struct ptu_top_row *b)
{
	return (a->start > b->start) - (a->start < b->start);
}

#define PROCESSES (1u << PTU_TOP_PROCESSES)
#define GROUPS (1u << PTU_TOP_GROUPS)
#define MAPPINGS (1u << PTU_TOP_MAPPINGS)
#define COUNTED (1u << 8) /* known only after the tables were counted */

struct order {
	const char *column;
	unsigned int kinds; /* kinds of rows that have the column; COUNTED */
	int (*compare)(const struct ptu_top_row *a,
		       const struct ptu_top_row *b);
};

static const struct order orders[] = {
	{ "TOTAL", PROCESSES | GROUPS | MAPPINGS, by_total },
	{ "EMPTY", PROCESSES | GROUPS | MAPPINGS | COUNTED, by_empty },
	{ "DEPOSITED", PROCESSES | GROUPS | MAPPINGS | COUNTED, by_deposited },
	{ "FILL", PROCESSES | GROUPS | MAPPINGS | COUNTED, by_fill },
	{ "VMPTE", PROCESSES | GROUPS, by_vmpte },
	{ "RSS", PROCESSES | GROUPS, by_rss },
	{ "PID", PROCESSES | GROUPS, by_pid },
	{ "COMM", PROCESSES | GROUPS, by_comm },
	{ "NAME", GROUPS | MAPPINGS, by_name },
	{ "START", MAPPINGS, by_start },
};

#define NR_ORDERS (sizeof(orders) / sizeof(orders[0]))

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	int ret = order->compare(a, b);

	if (!ret)
		ret = by_total(a, b);
	if (!ret)
		ret = by_pid(a, b);
	return ret ? ret : by_start(a, b);
}

const char *ptu_top_order_name(enum ptu_top_kind kind, size_t i)
{
	size_t k;

	for (k = 0; k < NR_ORDERS; k++) {
		if (orders[k].kinds & 1u << kind && !i--)
			return orders[k].column;
	}
	return NULL;
}

bool ptu_top_order_counts(const char *column)
{
	size_t i;

	for (i = 0; i < NR_ORDERS; i++) {
		if (ptu_is_name(column, strlen(column), orders[i].column))
			return orders[i].kinds & COUNTED;
	}
	return false;
}

bool ptu_top_order(enum ptu_top_kind kind, struct ptu_top_row *rows,
		   size_t nr_rows, const char *column)
{
	size_t i;

	for (i = 0; i < NR_ORDERS; i++) {
		struct order order = orders[i];

		if (!(order.kinds & 1u << kind) ||
		    !ptu_is_name(column, strlen(column), order.column))
			continue;
		if (nr_rows)
			qsort_r(rows, nr_rows, sizeof(*rows), compare_rows,
				&order);
		return true;
	}
	return false;
}
