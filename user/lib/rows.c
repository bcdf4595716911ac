// SPDX-License-Identifier: LGPL-2.1-or-later
/* Fill in rows of the size that the caller knows; must not measure. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/handle.h"

_Static_assert(PTAUDIT_TABLE_HUGE_PAGE == PTU_MAP_LEAF &&
		       PTAUDIT_TABLE_SHARED == PTU_MAP_SHARED &&
		       PTAUDIT_TABLE_POSSIBLE == PTU_MAP_POSSIBLE &&
		       PTAUDIT_TABLE_COUNTED == PTU_MAP_COUNTED &&
		       PTU_MAP_NOWHERE == UINT32_MAX,
	       "tables of a map");
_Static_assert(PTU_NR_FILLS == 5, "classes of PTE tables");

void ptaudit_report_free(struct ptaudit_report *report)
{
	if (!report)
		return;
	ptu_map_report_deinit(&report->map);
	free(report);
}

/* Copy all members except .size, which the caller has set. */
static int give(const void *known, size_t known_bytes, void *row)
{
	size_t bytes;

	memcpy(&bytes, row, sizeof(bytes));
	if (bytes < 2 * sizeof(bytes))
		return -EINVAL;
	if (bytes > known_bytes)
		memset((char *)row + known_bytes, 0, bytes - known_bytes);
	else
		known_bytes = bytes;
	memcpy((char *)row + sizeof(bytes), (const char *)known + sizeof(bytes),
	       known_bytes - sizeof(bytes));
	return 0;
}

static struct ptaudit_fill fill_of(const struct ptu_fill *fill)
{
	struct ptaudit_fill ret = {
		.tables = fill->tables,
		.counted = fill->counted,
		.entries = fill->entries,
		.room = fill->room,
		.unasked = fill->unasked,
	};

	memcpy(ret.in_class, fill->in_class, sizeof(ret.in_class));
	return ret;
}

static uint64_t table_bytes(const struct ptaudit_report *report)
{
	const struct ptu_report head = {
		.page_bytes = report->map.geo.page_bytes,
	};

	return report->kind == PTU_LIB_MAP ?
		       ptu_map_total_bytes(&report->map) :
		       ptu_process_table_bytes(&head, &report->map.process);
}

int ptaudit_get_process(const struct ptaudit_report *report,
			struct ptaudit_process_row *row)
{
	const struct ptu_process *p = &report->map.process;
	struct ptaudit_process_row known = {
		.pid = p->pid,
		.tid = p->tid,
		.uid = p->uid,
		.sees_empty = p->sees_empty,
		.start_time = p->start_time,
		.page_bytes = report->map.geo.page_bytes,
		.table_bytes = table_bytes(report),
		.vmpte_bytes = p->vmpte_bytes,
		.rss_bytes = p->rss_bytes,
		.deposited_tables = p->deposited_tables,
		.empty_tables = p->sees_empty ? ptu_process_empty(p) : 0,
		.unexplained = report->kind == PTU_LIB_CHECK ?
				       ptu_process_unexplained(p) :
				       0,
		.residual_bytes = p->residual_bytes,
		.fill = fill_of(&p->fill),
	};

	memcpy(known.comm, p->comm, sizeof(known.comm));
	return give(&known, sizeof(known), row);
}

int ptaudit_get_level(const struct ptaudit_report *report, unsigned int level,
		      struct ptaudit_level_row *row)
{
	const struct ptu_map_report *map = &report->map;
	const struct ptu_level_row *l;
	struct ptaudit_level_row known;

	if (level >= PTAUDIT_NR_LEVELS || !map->geo.unfolded[level])
		return -ENOENT;
	l = &map->process.levels[level];
	known = (struct ptaudit_level_row){
		.tables = report->kind == PTU_LIB_CHECK ? l->kernel : l->low,
		.bytes = l->bytes,
		.estimate = l->low,
		.possible = l->high - l->low,
		.empty = map->process.empty[level],
		.huge_pages = map->process.leaves[level],
		.kernel_only = l->kernel_only,
		.estimate_only = l->estimate_only,
		.explained = l->explained,
		.in_flux = l->in_flux,
		.unexplained = l->unexplained,
	};
	if (report->kind == PTU_LIB_MAP) {
		known.tables = map->fills[level].tables;
		known.bytes = known.tables *
			      ptu_geometry_table_bytes(&map->geo, level);
		known.huge_pages = map->leaves[level];
	}
	return give(&known, sizeof(known), row);
}

int ptaudit_get_mapping(const struct ptaudit_report *report, size_t index,
			struct ptaudit_mapping_row *row)
{
	const struct ptu_process *p = &report->map.process;
	const struct ptu_mapping_row *m;
	struct ptaudit_mapping_row known;
	unsigned int level;

	if (index >= p->nr_mappings)
		return -ENOENT;
	m = &p->mappings[index];
	known = (struct ptaudit_mapping_row){
		.start = m->start,
		.end = m->end,
		.path = m->path,
		.huge_pages = m->leaves,
		.fill = fill_of(&m->fill),
	};
	memcpy(known.perms, m->perms, sizeof(m->perms));
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		known.tables[level] = m->low[level];
		known.possible[level] = m->high[level] - m->low[level];
	}
	return give(&known, sizeof(known), row);
}

int ptaudit_get_cause(const struct ptaudit_report *report, size_t index,
		      struct ptaudit_cause_row *row)
{
	const struct ptu_process *p = &report->map.process;
	const struct ptu_cause_row *c;
	struct ptaudit_cause_row known;

	if (index >= p->nr_causes)
		return -ENOENT;
	c = &p->causes[index];
	known = (struct ptaudit_cause_row){
		.level = c->level,
		.cause = ptu_why_name(c->why),
		.meaning = ptu_why_sentence(c->why),
		.tables = c->tables,
		.bytes = c->bytes,
		.start = c->start,
		.end = c->end,
	};
	return give(&known, sizeof(known), row);
}

int ptaudit_get_difference(const struct ptaudit_report *report, size_t index,
			   struct ptaudit_difference_row *row)
{
	const struct ptu_process *p = &report->map.process;
	const struct ptu_unexplained *u;
	struct ptaudit_difference_row known;

	if (index >= p->nr_unexplained)
		return -ENOENT;
	u = &p->unexplained[index];
	known = (struct ptaudit_difference_row){
		.level = u->level,
		.is_huge_page = u->leaf,
		.cause = ptu_why_name(u->why),
		.seen_by = ptu_seen_by(u->side),
		.start = u->start,
		.end = u->end,
		.entries = u->entries,
	};
	return give(&known, sizeof(known), row);
}

int ptaudit_get_table(const struct ptaudit_report *report, size_t index,
		      struct ptaudit_table_row *row)
{
	const struct ptu_map_report *map = &report->map;
	const struct ptu_map_table *t;
	struct ptaudit_table_row known;
	uint64_t bytes;

	if (index >= map->nr_tables)
		return -ENOENT;
	t = &map->tables[index];
	bytes = t->flags & PTU_MAP_LEAF ?
			UINT64_C(1) << map->geo.shift[t->level] :
			ptu_geometry_reach(&map->geo, t->level);
	known = (struct ptaudit_table_row){
		.start = t->start,
		.end = t->start + bytes,
		.level = t->level,
		.flags = t->flags,
		.entries = t->entries,
		.mapping = t->mapping,
	};
	return give(&known, sizeof(known), row);
}
