// SPDX-License-Identifier: LGPL-2.1-or-later
/* Alternate between measuring and showing; must not do either. */
#include "cmd/live.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/top.h"
#include "render/tui/tui.h"

#define NS_PER_SEC 1000000000LL
#define INTERVAL_NS (3 * NS_PER_SEC)
/* Time limit for examining tables: keys have to wait meanwhile. */
#define LOOK_NS NS_PER_SEC

/**
 * struct place - what is shown
 * @first: kind of the rows that the view begins with, and goes back to
 * @group: name of the group whose processes are shown
 */
struct place {
	enum ptu_top_kind first;
	char group[sizeof(((struct ptu_top_row *)0)->name)];
};

static int measure(const struct ptu_options *options, const struct ptu_tui *tui,
		   struct ptu_top_ask *ask, const struct place *place,
		   struct ptu_top_report *ret, struct ptu_err *err)
{
	const struct ptu_tui_wish wish = ptu_tui_wish(tui, ptu_top_kind(ask));

	ask->column = wish.column;
	ask->reverse = wish.reverse;
	ask->look_first = wish.first;
	ask->nr_looks = wish.nr;
	/* --limit holds for the first rows, not for those of one that was opened */
	ask->limit = ptu_top_kind(ask) == place->first ? options->render.limit :
							 0;
	return ptu_top_measure(options, ask, ret, err);
}

static void open_row(const struct ptu_top_row *row, enum ptu_top_kind kind,
		     struct ptu_top_ask *ask, struct place *place)
{
	if (kind == PTU_TOP_GROUPS) {
		memcpy(place->group, row->name, sizeof(place->group));
		ask->only = place->group;
	} else {
		ask->pid = row->pid;
	}
}

static void go_back(struct ptu_top_ask *ask)
{
	if (ask->pid)
		ask->pid = 0;
	else
		ask->only = NULL;
}

static int until_quit(const struct ptu_options *options, struct ptu_tui *tui,
		      struct ptu_top_ask *ask, struct ptu_err *err)
{
	struct place place = { .first = ptu_top_kind(ask) };
	const bool is_named = place.first == PTU_TOP_MAPPINGS;
	enum ptu_tui_event event = PTU_TUI_AGAIN;
	struct ptu_top_report report;
	struct ptu_top_row row;
	int error;

	while (event != PTU_TUI_QUIT) {
		error = measure(options, tui, ask, &place, &report, err);
		if (error && ask->pid && !is_named) {
			/* the process has ended: show the others again */
			ptu_tui_say(tui, err->text);
			ptu_err_clear(err);
			go_back(ask);
			continue;
		}
		if (error)
			return error;
		event = ptu_tui_show(tui, &report, &row);
		free(report.rows);
		if (event == PTU_TUI_OPEN)
			open_row(&row, report.kind, ask, &place);
		else if (event == PTU_TUI_BACK && is_named)
			event = PTU_TUI_QUIT;
		else if (event == PTU_TUI_BACK)
			go_back(ask);
	}
	return 0;
}

int ptu_top_live(const struct ptu_options *options, struct ptu_top_ask *ask,
		 struct ptu_err *err)
{
	const struct ptu_tui_setup setup = {
		.kind = ptu_top_kind(ask),
		.column = ask->column,
		.interval_ns = options->interval_ns ? options->interval_ns :
						      INTERVAL_NS,
		.from = options->from,
		.options = &options->render,
	};
	struct ptu_tui *tui;
	int ended_by, error = ptu_tui_open(&setup, &tui, err);

	if (error)
		return error;
	ask->stop = ptu_tui_stopped();
	ask->most_ns = LOOK_NS;
	error = until_quit(options, tui, ask, err);
	ended_by = ptu_tui_close(tui);
	/* report the signal to the parent process */
	if (ended_by)
		raise(ended_by);
	return error;
}
