// SPDX-License-Identifier: GPL-2.0-only
/* `cow` as text, from a report made by the test. */
#include "render/render.h"
#include "report/cow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "support/check.h"
#include "support/printed.h"

static void shows(const struct ptu_cow_report *report,
		  struct ptu_render_options options, const char *expected,
		  bool is_there, const char *name)
{
	char *text = PRINTED(ptu_render_cow_text, report, &options);

	check(text && !strstr(text, expected) == !is_there, "%s", name);
	if (text && !strstr(text, expected) != !is_there)
		printf("# the text is:\n%s\n", text);
}

/*
 * If it is linear, it takes a second.  With a search per row it would take half an hour of
 * CPU time, and SIGPROF ends it.
 */
static void shows_many(void)
{
	const struct itimerval limit = { .it_value.tv_sec = 120 }, none = { 0 };
	const size_t nr_rows = 200000;
	struct ptu_cow_report report = {
		.rows = calloc(nr_rows, sizeof(*report.rows)),
		.nr_rows = nr_rows,
	};

	for (size_t i = 0; report.rows && i < nr_rows; i++)
		report.rows[i] = (struct ptu_cow_row){ .start = i + 1,
						       .end = i + 2 };
	setitimer(ITIMER_PROF, &limit, NULL);
	shows(&report,
	      (struct ptu_render_options){ .columns = "START",
					   .no_headings = true },
	      "0x30d40\n", report.rows,
	      "two_hundred_thousand_mappings_are_shown");
	setitimer(ITIMER_PROF, &none, NULL);
	free(report.rows);
}

#define OPTIONS(...) ((struct ptu_render_options){ __VA_ARGS__ })

int main(void)
{
	char path[] = "/x\x1b[2J\u202e\\x";
	struct ptu_cow_row row = {
		.start = 0x1000, .end = 0x5000, .perms = "rw-p", .path = path
	};
	struct ptu_cow_report report = { .rows = &row, .nr_rows = 1 };

	row.count.pages = row.count.kinds[PTU_COW_COPIED] = 4;
	report.total = row.count;
	report.head.pid = 17;
	report.head.tid = 18;
	report.head.host.page_bytes = 4096;
	shows(&report, OPTIONS(.bytes = false),
	      "/x\\x1b[2J\\xe2\\x80\\xae\\x5cx\n", true,
	      "path_is_escaped_once");
	shows(&report, OPTIONS(.bytes = false), "\x1b", false,
	      "path_has_no_raw_escape_sequence");
	shows(&report, OPTIONS(.bytes = false), "PID 17 (", true,
	      "table_has_a_title");
	shows(&report, OPTIONS(.no_headings = true), "PID 17 (", false,
	      "noheadings_drops_the_title");
	shows(&report, OPTIONS(.bytes = false), "read through thread 18", true,
	      "the_thread_that_was_read_is_named");
	shows(&report, OPTIONS(.no_headings = true), "thread", false,
	      "noheadings_does_not_name_the_thread");
	shows(&report, OPTIONS(.no_headings = true), "kpageflags", false,
	      "noheadings_drops_the_sentences");
	shows(&report, OPTIONS(.no_headings = true, .columns = "COPIED,PATH"),
	      "4 /x", true, "noheadings_keeps_the_rows");
	report.known.flags = true;
	report.nr_samples = report.total.disagree = 2;
	shows(&report, OPTIONS(.bytes = false), "  and more\n", false,
	      "each_page_that_differs_is_shown");
	report.total.disagree++;
	shows(&report, OPTIONS(.bytes = false), "  and more\n", true,
	      "there_are_more_than_those_shown");
	shows_many();
	return check_end();
}
