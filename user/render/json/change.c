// SPDX-License-Identifier: LGPL-2.1-or-later
/* Added and freed tables as JSON.  Must not decide what is not in the report. */
#include "report/change.h"

#include "render/json/growth.h"
#include "render/render.h"

static json_t *mapping_object(struct builder *b,
			      const struct ptu_growth_row *row)
{
	json_t *object = json_object(), *array = json_array(), *one;
	unsigned int level;

	put_text(b, object, "name", row->name);
	put_address(b, object, "start", row->start, false);
	put_address(b, object, "end", row->end, true);
	put(b, object, "growth_bytes", json_integer(row->bytes));
	for (level = PTAUDIT_NR_LEVELS; level-- > 0;) {
		if (!row->came[level] && !row->went[level])
			continue;
		one = json_object();
		put_text(b, one, "level", ptu_level_name(level));
		put_number(b, one, "came", row->came[level]);
		put_number(b, one, "went", row->went[level]);
		add(b, array, one);
	}
	put(b, object, "levels", array);
	return object;
}

static json_t *process_object(struct builder *b, const struct ptu_changed *p)
{
	json_t *object = json_object(), *array = json_array();
	size_t i;

	put_number(b, object, "pid", (uint64_t)p->pid);
	put_text(b, object, "comm", p->comm);
	put(b, object, "in_before", json_boolean(p->in_before));
	put(b, object, "in_after", json_boolean(p->in_after));
	put_number(b, object, "vmpte_before_bytes", p->vmpte_before);
	put_number(b, object, "vmpte_after_bytes", p->vmpte_after);
	put(b, object, "levels",
	    growth_levels(b, &p->growth, "before", "after"));
	for (i = 0; i < p->growth.nr_rows; i++)
		add(b, array, mapping_object(b, &p->growth.rows[i]));
	put(b, object, "mappings", array);
	return object;
}

int ptu_render_change_json(const struct ptu_change_report *report, FILE *out,
			   struct ptu_err *err)
{
	struct builder b = { .failed = false };
	struct head head = HEAD_OF_HOST("diff", report);
	json_t *root = json_object(), *array = json_array();
	size_t i;

	head.estimator = report->estimator;
	put(&b, root, "ptaudit", head_object(&b, &head));
	put_text(&b, root, "before", report->before.time);
	put_text(&b, root, "after", report->after.time);
	for (i = 0; i < report->nr_processes; i++)
		add(&b, array, process_object(&b, &report->processes[i]));
	put(&b, root, "processes", array);
	put(&b, root, "differs", json_boolean(ptu_change_any(report)));
	return print_json(&b, root, out, err);
}
