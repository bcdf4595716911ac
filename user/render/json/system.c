// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The parts of PageTables as JSON.  Must not decide anything that is not in the
 * report.
 */
#include "model/geometry.h"
#include "render/json/fields.h"
#include "render/render.h"
#include "render/system_columns.h"
#include "report/system.h"

static json_t *part_rows(struct builder *b,
			 const struct ptu_system_report *report,
			 struct fields *fields,
			 const struct ptu_render_options *options)
{
	struct ptu_system_line lines[PTU_NR_SYSTEM_PARTS];
	const struct ptu_grid table = {
		.columns = ptu_system_columns,
		.rows = lines,
		.nr_rows = PTU_NR_SYSTEM_PARTS,
		.row_bytes = sizeof(lines[0]),
	};
	unsigned int i;

	for (i = 0; i < PTU_NR_SYSTEM_PARTS; i++)
		lines[i] = ptu_system_line(report, i);
	return table_rows(b, fields, &table, options);
}

static json_t *level_rows(struct builder *b,
			  const struct ptu_system_report *report)
{
	json_t *array = json_array();
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		json_t *object;

		if (!ptu_system_is_uncounted(report, level))
			continue;
		object = json_object();
		put_text(b, object, "level", ptu_level_name(level));
		put_number(b, object, "bytes", report->uncounted_bytes[level]);
		add(b, array, object);
	}
	return array;
}

static json_t *process_counts(struct builder *b,
			      const struct ptu_system_report *report)
{
	json_t *object = json_object();

	put_number(b, object, "address_spaces", report->nr_mms);
	put_number(b, object, "sharing", report->nr_sharing);
	put_number(b, object, "not_compared", report->nr_uncompared);
	put_number(b, object, "by_vmpte", report->nr_unwalked);
	put_number(b, object, "gone", report->nr_gone);
	put_number(b, object, "kernel_threads", report->nr_kthreads);
	return object;
}

int ptu_render_system_json(const struct ptu_system_report *report,
			   const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err)
{
	struct builder b = { .failed = false };
	struct head head = HEAD_OF_HOST("system", report);
	struct fields fields;
	json_t *root;
	int error = fields_choose(&fields, ptu_system_columns,
				  "PART,SIZE,SOURCE", options, err);

	if (error)
		return error;
	root = json_object();
	head.output = options->columns;
	put(&b, root, "ptaudit", head_object(&b, &head));
	put_text(&b, root, "source", ptu_system_source_name(report->source));
	put_number(&b, root, "pagetables_bytes", report->pagetables_bytes);
	put_number(&b, root, "accounted_bytes", ptu_system_accounted(report));
	put(&b, root, "remainder_bytes",
	    json_integer((json_int_t)ptu_system_remainder(report)));
	if (report->has_flags)
		put_number(&b, root, "kpageflags_bytes", report->flagged_bytes);
	put(&b, root, "parts", part_rows(&b, report, &fields, options));
	put(&b, root, "uncounted", level_rows(&b, report));
	put_number(&b, root, "shared_bytes", report->shared_bytes);
	put(&b, root, "processes", process_counts(&b, report));
	put(&b, root, "nodes",
	    rows_of(&b, ptu_node_columns,
		    report->has_flags ? "NODE,PAGETABLES,KPAGEFLAGS" :
					"NODE,PAGETABLES",
		    report->nodes, report->nr_nodes, sizeof(*report->nodes)));
	put(&b, root, "cgroups",
	    rows_of(&b, ptu_cgroup_columns, "CGROUP,CHARGED,PROCESSES",
		    report->cgroups, report->nr_cgroups,
		    sizeof(*report->cgroups)));
	put_number(&b, root, "tries", report->nr_tries);
	put(&b, root, "hidden_processes", json_boolean(report->hides));
	put(&b, root, "held_still", json_boolean(report->held_still));
	put(&b, root, "refreshed", json_boolean(report->has_refresh));
	return print_json(&b, root, out, err);
}
