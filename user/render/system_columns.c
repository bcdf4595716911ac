// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of what PageTables consists of.  Must not add up anything. */
#include "render/system_columns.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define PART(member) offsetof(struct ptu_system_line, member)

const struct ptu_grid_column ptu_system_columns[] = {
	{ "PART", "part of PageTables", 0, ptu_fill_string, "name",
	  PART(part) },
	{ "SIZE", "memory of its tables", PTU_RIGHT, ptu_fill_signed_size,
	  "bytes", PART(bytes) },
	{ "SOURCE", "source of the figure", 0, ptu_fill_string, "source",
	  PART(source) },
	{ "ABOUT", "meaning of the part", 0, ptu_fill_string, "about",
	  PART(about) },
	{ 0 },
};

#define NODE(member) offsetof(struct ptu_system_node, member)

const struct ptu_grid_column ptu_node_columns[] = {
	{ "NODE", "", PTU_RIGHT, ptu_fill_id, "node", NODE(node) },
	{ "PAGETABLES", "", PTU_RIGHT, ptu_fill_size, "pagetables_bytes",
	  NODE(pagetables_bytes) },
	{ "KPAGEFLAGS", "", PTU_RIGHT, ptu_fill_size, "kpageflags_bytes",
	  NODE(flagged_bytes) },
	{ 0 },
};

/* JSON shows the complete path, text only its last name, indented. */
static void fill_cgroup(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_system_cgroup *cgroup = row;
	const char *name = strrchr(cgroup->path, '/');
	int indent = (int)(cgroup->depth < 32 ? 2 * cgroup->depth : 64);
	char shown[PTU_ESCAPE_BYTES(256)];

	if (cell->json) {
		ptu_grid_words(cell, cgroup->path);
		return;
	}
	/* a name has no more than 255 bytes */
	name = name && cgroup->depth ? name + 1 : cgroup->path;
	snprintf(cell->text, sizeof(cell->text), "%*s%s", indent, "",
		 ptu_escape(name, true, shown, sizeof(shown)));
}

#define CGROUP(member) offsetof(struct ptu_system_cgroup, member)

const struct ptu_grid_column ptu_cgroup_columns[] = {
	{ "CHARGED", "", PTU_RIGHT, ptu_fill_size, "pagetables_bytes",
	  CGROUP(pagetables_bytes) },
	{ "PROCESSES", "", PTU_RIGHT, ptu_fill_size, "processes_bytes",
	  CGROUP(processes_bytes) },
	{ "CGROUP", "", 0, fill_cgroup, "path", 0 },
	{ 0 },
};

struct ptu_system_line ptu_system_line(const struct ptu_system_report *report,
				       enum ptu_system_part part)
{
	return (struct ptu_system_line){
		.part = ptu_system_part_name(part),
		.source = ptu_system_part_source(report, part),
		.about = ptu_system_part_about(part),
		.bytes = (int64_t)report->parts[part],
	};
}
