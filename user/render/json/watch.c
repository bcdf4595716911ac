// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Growth as JSON, one object per line.  Must not decide anything that is not in the
 * report.
 */
#include "report/watch.h"

#include "render/json/growth.h"
#include "render/render.h"

/* Most mappings that are listed for a process. */
#define MOST_MAPPINGS 3

static void put_signed(struct builder *b, json_t *object, const char *key,
		       int64_t value)
{
	put(b, object, key, json_integer(value));
}

static json_t *mapping_objects(struct builder *b,
			       const struct ptu_growth *growth)
{
	json_t *array = json_array(), *object;
	size_t i;

	for (i = 0; i < growth->nr_rows && i < MOST_MAPPINGS; i++) {
		const struct ptu_growth_row *row = &growth->rows[i];

		if (row->bytes <= 0)
			break;
		object = json_object();
		put_text(b, object, "name", row->name);
		put_address(b, object, "start", row->start, false);
		put_address(b, object, "end", row->end, true);
		put_signed(b, object, "growth_bytes", row->bytes);
		put_number(b, object, "pte_came", row->came[PTAUDIT_PTE]);
		put_number(b, object, "pte_went", row->went[PTAUDIT_PTE]);
		add(b, array, object);
	}
	return array;
}

static json_t *head_of_line(struct builder *b, const struct ptu_host *host)
{
	json_t *root = json_object(), *head = json_object();

	put_text(b, head, "version", PTU_VERSION);
	put_number(b, head, "schema", PTU_JSON_SCHEMA);
	put_text(b, head, "command", "watch");
	put_text(b, head, "kernel", host->release);
	put_text(b, head, "time", host->time);
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

int ptu_render_watch_json(const struct ptu_watch_row *row,
			  const struct ptu_host *host, FILE *out,
			  struct ptu_err *err)
{
	struct builder b = { .failed = false };
	json_t *root = head_of_line(&b, host);

	put_row(&b, root, row);
	put(&b, root, "over", json_boolean(row->is_over));
	return print_json_as(&b, root, JSON_COMPACT, out, err);
}

int ptu_render_watch_total_json(const struct ptu_watch_total *total,
				const struct ptu_host *host, FILE *out,
				struct ptu_err *err)
{
	struct builder b = { .failed = false };
	json_t *root = head_of_line(&b, host), *most = json_null();

	put_number(&b, root, "processes", total->nr_processes);
	put_number(&b, root, "started", total->nr_started);
	put_number(&b, root, "ended", total->nr_ended);
	put(&b, root, "seconds", json_real(total->seconds));
	put_number(&b, root, "vmpte_bytes", total->vmpte_bytes);
	put_signed(&b, root, "growth_bytes", total->growth_bytes);
	if (total->has_most) {
		most = json_object();
		put_row(&b, most, &total->most);
	}
	put(&b, root, "most", most);
	put(&b, root, "over", json_boolean(total->is_over));
	return print_json_as(&b, root, JSON_COMPACT, out, err);
}
