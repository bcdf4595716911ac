// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Growth as JSON, one object per line.  Must not decide anything that is not in the
 * report.
 */
#include "report/watch.h"

#include "render/json/fields.h"
#include "render/json/growth.h"
#include "render/render.h"
#include "render/watch_columns.h"

static void put_signed(struct builder *b, json_t *object, const char *key,
		       int64_t value)
{
	put(b, object, key, json_integer(value));
}

static json_t *mapping_object(struct builder *b,
			      const struct ptu_growth_row *row)
{
	json_t *object = json_object();

	put_text(b, object, "name", row->name);
	put_address(b, object, "start", row->start, false);
	put_address(b, object, "end", row->end, true);
	return object;
}

static json_t *mapping_objects(struct builder *b,
			       const struct ptu_growth *growth)
{
	json_t *array = json_array(), *object;
	size_t i;

	for (i = 0; i < growth->nr_rows && i < PTU_WATCH_MAPPINGS; i++) {
		const struct ptu_growth_row *row = &growth->rows[i];

		if (row->bytes <= 0)
			break;
		object = mapping_object(b, row);
		put_signed(b, object, "growth_bytes", row->bytes);
		put_number(b, object, "pte_came", row->came[PTAUDIT_PTE]);
		put_number(b, object, "pte_went", row->went[PTAUDIT_PTE]);
		add(b, array, object);
	}
	return array;
}

static json_t *head_of_line(struct builder *b, const struct ptu_host *host,
			    const char *columns)
{
	json_t *root = json_object(), *head = json_object();

	put_text(b, head, "version", PTU_VERSION);
	put_number(b, head, "schema", PTU_JSON_SCHEMA);
	put_text(b, head, "command", "watch");
	put_text(b, head, "kernel", host->release);
	put_text(b, head, "time", host->time);
	if (columns)
		put_text(b, head, "output", columns);
	put(b, root, "ptaudit", head);
	return root;
}

static void put_row(struct builder *b, json_t *object,
		    const struct ptu_watch_row *row)
{
	put_number(b, object, "pid", (uint64_t)row->pid);
	put_text(b, object, "comm", row->comm);
	put_text(b, object, "status", row->ended ? "ended" : "ok");
	if (row->ended)
		return;
	put(b, object, "seconds", json_real(row->seconds));
	put_text(b, object, "source", ptu_top_source_name(row->source));
	put_number(b, object, "vmpte_bytes", row->vmpte_bytes);
	put_signed(b, object, "growth_bytes", row->growth_bytes);
	if (row->why[0])
		put_text(b, object, "why", row->why);
	if (!row->has_tables)
		return;
	put(b, object, "levels",
	    growth_levels(b, &row->growth, NULL, "tables"));
	put_number(b, object, "deposited_tables", row->deposited);
	put_signed(b, object, "deposited_growth",
		   (int64_t)(row->deposited - row->deposited_before));
	put(b, object, "mappings", mapping_objects(b, &row->growth));
}

static void put_total(struct builder *b, json_t *object,
		      const struct ptu_watch_total *total)
{
	json_t *most = json_null();

	put_number(b, object, "processes", total->nr_processes);
	put_number(b, object, "started", total->nr_started);
	put_number(b, object, "ended", total->nr_ended);
	put(b, object, "seconds", json_real(total->seconds));
	put_number(b, object, "vmpte_bytes", total->vmpte_bytes);
	put_signed(b, object, "growth_bytes", total->growth_bytes);
	if (total->has_most) {
		most = json_object();
		put_row(b, most, &total->most);
	}
	put(b, object, "most", most);
}

int ptu_render_watch_json(const struct ptu_watch_line *line,
			  const struct ptu_host *host,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err)
{
	const struct ptu_grid table = ptu_watch_table(line,
						      line->total != NULL);
	struct builder b = { .failed = false };
	struct fields fields;
	json_t *root;
	int error = table_choose(&fields, &table, options, err);

	if (error)
		return error;
	root = head_of_line(&b, host, options->columns);
	if (fields.is_chosen)
		put_fields(&b, root, &fields, line);
	else if (line->total)
		put_total(&b, root, line->total);
	else
		put_row(&b, root, line->row);
	put(&b, root, "over",
	    json_boolean(line->total ? line->total->is_over :
				       line->row->is_over));
	return print_json_as(&b, root, JSON_COMPACT, out, err);
}

int ptu_render_watch_group_peak_json(const struct ptu_watch_group_peak *peak,
				     const struct ptu_host *host, FILE *out,
				     struct ptu_err *err)
{
	struct builder b = { .failed = false };
	json_t *root = head_of_line(&b, host, NULL), *object = json_object();
	json_t *array = json_array(), *process;
	size_t i;

	put_number(&b, object, "vmpte_bytes", peak->vmpte_bytes);
	put(&b, object, "seconds", json_real(peak->seconds));
	put_number(&b, object, "processes", peak->nr_processes);
	for (i = 0; i < peak->nr_most; i++) {
		process = json_object();
		put_number(&b, process, "pid", (uint64_t)peak->most[i].pid);
		put_text(&b, process, "comm", peak->most[i].comm);
		put_number(&b, process, "vmpte_bytes",
			   peak->most[i].vmpte_bytes);
		add(&b, array, process);
	}
	put(&b, object, "most", array);
	put(&b, root, "peak", object);
	return print_json_as(&b, root, JSON_COMPACT, out, err);
}

int ptu_render_watch_peak_json(const struct ptu_watch_peak *peak,
			       const struct ptu_host *host, FILE *out,
			       struct ptu_err *err)
{
	struct builder b = { .failed = false };
	json_t *root = head_of_line(&b, host, NULL), *object = json_object();
	json_t *array = json_array(), *mapping;
	size_t i;

	put_number(&b, root, "pid", (uint64_t)peak->pid);
	put_text(&b, root, "comm", peak->comm);
	put_number(&b, object, "vmpte_bytes", peak->vmpte_bytes);
	put(&b, object, "seconds", json_real(peak->seconds));
	put_text(&b, object, "source", ptu_top_source_name(peak->source));
	if (peak->source != PTU_TOP_VMPTE)
		put(&b, object, "tables_seconds",
		    json_real(peak->tables_seconds));
	for (i = 0; i < peak->tables.nr_rows && i < PTU_WATCH_MAPPINGS; i++) {
		const struct ptu_growth_row *row = &peak->tables.rows[i];

		mapping = mapping_object(&b, row);
		put_number(&b, mapping, "bytes", (uint64_t)row->bytes);
		put_number(&b, mapping, "pte_tables", row->came[PTAUDIT_PTE]);
		add(&b, array, mapping);
	}
	put(&b, object, "mappings", array);
	put(&b, root, "peak", object);
	return print_json_as(&b, root, JSON_COMPACT, out, err);
}
