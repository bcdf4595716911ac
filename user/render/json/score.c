// SPDX-License-Identifier: LGPL-2.1-or-later
/* A score as JSON.  Must not decide anything that is not in the report. */
#include "render/render.h"

#include "model/geometry.h"
#include "render/json/fields.h"
#include "render/score_columns.h"

/* The scored levels of one process. */
static json_t *process_levels(struct builder *b,
			      const struct ptu_score_report *score,
			      const struct ptu_score_row *row,
			      const struct ptu_process *process)
{
	json_t *array = json_array();
	unsigned int level = PTAUDIT_NR_LEVELS;

	while (level--) {
		json_t *object;

		if (!row->base.level_unfolded[level] ||
		    !ptu_score_level_counts(score, process, level))
			continue;
		object = json_object();
		put_text(b, object, "level", ptu_level_name(level));
		put_number(b, object, "kernel", process->levels[level].kernel);
		put_number(b, object, "estimate",
			   process->levels[level].estimate);
		add(b, array, object);
	}
	return array;
}

static json_t *process_causes(struct builder *b,
			      const struct ptu_score_report *score,
			      const struct ptu_process *process)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < process->nr_causes; i++) {
		const struct ptu_cause_row *cause = &process->causes[i];
		json_t *object;

		if (!ptu_score_level_counts(score, process, cause->level))
			continue;
		object = json_object();
		put_text(b, object, "cause", ptu_why_name(cause->why));
		put_text(b, object, "level", ptu_level_name(cause->level));
		put_number(b, object, "tables", cause->tables);
		add(b, array, object);
	}
	return array;
}

static json_t *worst_object(struct builder *b,
			    const struct ptu_score_report *score,
			    const struct ptu_score_row *row,
			    const struct ptu_score_worst *worst)
{
	const struct ptu_worst_line line = ptu_worst_line(score, row, worst);
	json_t *object = row_of(b, ptu_worst_columns,
				"PID,COMM,ERRORS,EXPLAINED,WHY", &line);

	put(b, object, "levels", process_levels(b, score, row, worst->process));
	put(b, object, "causes", process_causes(b, score, worst->process));
	return object;
}

static const struct ptu_grid level_table = {
	.columns = ptu_score_columns,
	.defaults =
		"LEVEL,PROCESSES,EXACT,KERNEL,ESTIMATE,MISSED,INVENTED,EXPLAINED,ERRORS,MEAN,WORST,PID,COMM",
	.row_bytes = sizeof(struct ptu_score_line),
};

static json_t *row_object(struct builder *b, struct fields *fields,
			  const struct ptu_render_options *options,
			  const struct ptu_score_report *score,
			  const struct ptu_score_row *row)
{
	json_t *object = json_object();
	json_t *worst = json_array();
	struct ptu_score_line lines[PTAUDIT_NR_LEVELS];
	struct ptu_grid table = level_table;
	size_t i;

	put_text(b, object, "name", row->name);
	put(b, object, "counts", json_boolean(row->is_counts));
	put_number(b, object, "processes", row->processes);
	put_number(b, object, "exact", row->exact);
	put_number(b, object, "explained", row->accounted);
	put_number(b, object, "wrong",
		   row->processes - row->exact - row->accounted);
	put_number(b, object, "not_measured", row->not_measured);
	table.rows = lines;
	table.nr_rows = ptu_score_lines(row, lines);
	put(b, object, "levels", table_rows(b, fields, &table, options));
	for (i = 0; i < row->nr_worst; i++)
		add(b, worst, worst_object(b, score, row, &row->worst[i]));
	put(b, object, "worst", worst);
	return object;
}

int ptu_render_score_json(const struct ptu_score_report *score,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err)
{
	struct builder b = { .failed = false };
	const struct ptu_report *base = &score->rows[0].base;
	struct head head = HEAD_OF_REPORT("score", base);
	json_t *root, *rows;
	struct fields fields;
	size_t i;
	int error = table_choose(&fields, &level_table, options, err);

	if (error)
		return error;
	root = json_object();
	rows = json_array();
	head.output = options->columns;
	put(&b, root, "ptaudit", head_object(&b, &head));
	put_text(&b, root, "truth", base->truth);
	put(&b, root, "exact_only", json_boolean(score->exact_only));
	put_number(&b, root, "denied",
		   ptu_report_with(base, PTU_STATUS_DENIED));
	for (i = 0; i < score->nr_rows; i++)
		add(&b, rows,
		    row_object(&b, &fields, options, score, &score->rows[i]));
	put(&b, root, "estimators", rows);
	return print_json(&b, root, out, err);
}
