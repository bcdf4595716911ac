// SPDX-License-Identifier: GPL-2.0-only
/* The verdict of a report, and the pure helper files of rendering. */
#include "report/report.h"

#include <stdlib.h>

#include "base/escape.h"
#include "render/format.h"
#include "report/change.h"
#include "report/map.h"
#include "support/check.h"
#include "support/sample.h"

static void names(void)
{
	unsigned int i, other;

	/* lint compares the names with the documents */
	for (i = 0; i < PTU_NR_WHYS; i++) {
		const char *name = ptu_why_name(i);
		const char *sentence = ptu_why_sentence(i);

		check(name && name[0] && sentence && sentence[0],
		      "cause %u has a name and a sentence", i);
		for (other = 0; name && other < i; other++)
			check(strcmp(ptu_why_name(other), name) != 0 &&
				      strcmp(ptu_why_sentence(other),
					     sentence) != 0,
			      "cause %u has a name and a sentence of its own",
			      i);
	}
	check(!strcmp(ptu_status_name(PTU_STATUS_OK), "ok"),
	      "the status ok has its name");
	check(!strcmp(ptu_status_name(PTU_STATUS_GONE), "gone"),
	      "the status gone has its name");
	check(!strcmp(ptu_status_name(PTU_STATUS_FAILED), "failed"),
	      "the status failed has its name");
	check(!strcmp(ptu_status_name(PTU_STATUS_UNSTABLE), "unstable"),
	      "the status unstable has its name");
	check(!strcmp(ptu_status_name(PTU_STATUS_DENIED), "denied"),
	      "the status denied has its name");
}

static void verdicts(void)
{
	struct sample s;

	sample_init(&s);
	check(ptu_report_status(&s.report) == 0,
	      "a report without unexplained tables is status 0");

	sample_add_unexplained(&s);
	check(ptu_process_unexplained(&s.processes[0]) == 2,
	      "an unexplained table of each side counts as two");
	check(ptu_report_status(&s.report) == 1,
	      "a report with unexplained tables is status 1");
	s.report.is_check = false;
	check(ptu_report_status(&s.report) == 0, "an estimate is status 0");

	sample_init(&s);
	s.processes[0].levels[PTAUDIT_PUD].unexplained = 1;
	check(ptu_report_status(&s.report) == 1,
	      "a count of unexplained tables without a list is status 1");
	sample_init(&s);
	s.processes[0].unexplained = s.unexplained;
	s.processes[0].nr_unexplained = 1;
	check(ptu_report_status(&s.report) == 1,
	      "a list of unexplained tables without a count is status 1");
	sample_init(&s);
	s.causes[1].why = PTU_WHY_UNSET;
	check(ptu_report_status(&s.report) == 1,
	      "a difference without a verdict is status 1");
	sample_init(&s);
	s.processes[0].vmpte_unexplained_bytes = 4096;
	check(ptu_process_unexplained(&s.processes[0]) == 1 &&
		      ptu_report_status(&s.report) == 1,
	      "VmPTE that does not close is unexplained");
	sample_init(&s);
	s.processes[0].orphans.nr_unexplained = 1;
	check(ptu_report_status(&s.report) == 1,
	      "a table that only one of the module's two walks sees is status 1");

	sample_init(&s);
	s.report.nr_processes = 2;
	s.processes[1].status = PTU_STATUS_GONE;
	check(ptu_report_status(&s.report) == 2,
	      "a named process that has ended is status 2");
	s.report.is_all = true;
	check(ptu_report_status(&s.report) == 0,
	      "under --all a process that has ended is no failure");
	s.processes[0].levels[PTAUDIT_PTE].unexplained = 1;
	check(ptu_report_status(&s.report) == 1,
	      "a process that has ended does not hide unexplained tables");
	s.processes[1].status = PTU_STATUS_FAILED;
	check(ptu_report_status(&s.report) == 2,
	      "under --all a failed process is status 2, even with unexplained tables");
	s.processes[1].status = PTU_STATUS_UNSTABLE;
	check(ptu_report_status(&s.report) == 2,
	      "under --all an unstable process is status 2, even with unexplained tables");
	s.processes[1].status = PTU_STATUS_DENIED;
	check(ptu_report_status(&s.report) == 1,
	      "denied_process_does_not_hide_unexplained_tables");
	s.processes[0].levels[PTAUDIT_PTE].unexplained = 0;
	check(ptu_report_status(&s.report) == 0,
	      "denied_process_of_a_group_is_no_failure");
	check(ptu_report_with(&s.report, PTU_STATUS_DENIED) == 1 &&
		      ptu_report_with(&s.report, PTU_STATUS_OK) == 1,
	      "denied_processes_are_counted");
	s.report.require_all = true;
	check(ptu_report_status(&s.report) == 2,
	      "require_all_makes_a_denied_process_a_failure");
	s.report.require_all = false;
	s.processes[0].status = PTU_STATUS_DENIED;
	check(ptu_report_status(&s.report) == 2,
	      "group_with_every_process_denied_is_not_measured");
	s.processes[0].status = PTU_STATUS_GONE;
	s.processes[1].status = PTU_STATUS_GONE;
	check(ptu_report_status(&s.report) == 2,
	      "a report without a measured process is status 2");
	s.report.nr_processes = 0;
	check(ptu_report_status(&s.report) == 2,
	      "a report without processes is status 2");
}

static bool escapes(const char *name, bool controls, const char *expected)
{
	char got[PTU_ESCAPE_BYTES(64)];

	return !strcmp(ptu_escape(name, controls, got, sizeof(got)), expected);
}

/* VmPTE has tables up to the PUD; one possible table of each level. */
static void unseen(void)
{
	struct ptu_process p = { .residual_bytes = 10 * 4096 };
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		p.levels[level] = (struct ptu_level_row){ .low = 1, .high = 2 };
	check(ptu_process_unseen_bytes(&p, 4096) == 7 * 4096,
	      "possible tables up to the PUD are not unseen");
	p.residual_bytes = 2 * 4096;
	check(ptu_process_unseen_bytes(&p, 4096) == 0,
	      "less than nothing is not unseen");
}

static void changes(void)
{
	struct ptu_changed p = { .vmpte_before = 4096, .vmpte_after = 4096 };
	struct ptu_change_report report = { .processes = &p,
					    .nr_processes = 1 };

	check(!ptu_change_any(&report), "equal recordings do not differ");
	p.vmpte_after = 8192;
	check(ptu_change_any(&report), "another VmPTE is a difference");
	p.vmpte_after = 4096;
	p.in_before = true;
	check(ptu_change_any(&report), "a process that ended is a difference");
}

/* Nothing is unused in these rows. */
static void map_rows(void)
{
	struct ptu_top_row rows[] = { { .start = 1, .total_bytes = 2 },
				      { .start = 3, .total_bytes = 2 },
				      { .start = 2, .total_bytes = 5 } };
	struct ptu_map_report map = { .rows = rows, .nr_rows = 3 };

	check(!ptu_geometry_init(4096, "x86_64", "", &map.geo, NULL),
	      "x86-64 has its tables");
	ptu_map_order(&map);
	check(rows[0].start == 2 && rows[1].start == 1 && rows[2].start == 3,
	      "rows of a map are in the order of their tables, then addresses");
}

static void escaping(void)
{
	char small[6], text[64];

	check(escapes("a b", true, "a b"), "plain text is not escaped");
	check(escapes("\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x98", true,
		      "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x98"),
	      "UTF-8 is not escaped");
	check(escapes("a\xff"
		      "b",
		      false, "a\\xffb"),
	      "a byte that is not UTF-8 is escaped");
	check(escapes("\xc3", false, "\\xc3"),
	      "an incomplete UTF-8 sequence is escaped");
	check(escapes("\xc0\x80", false, "\\xc0\\x80"),
	      "an overlong NUL is escaped");
	check(escapes("\xe0\x80\xaf", false, "\\xe0\\x80\\xaf"),
	      "an overlong slash is escaped");
	check(escapes("\xed\xa0\x80", false, "\\xed\\xa0\\x80") &&
		      escapes("\xed\xbf\xbf", false, "\\xed\\xbf\\xbf"),
	      "the first and the last surrogate are escaped");
	check(escapes("\xf4\x90\x80\x80", false, "\\xf4\\x90\\x80\\x80"),
	      "a code point above Unicode is escaped");
	check(escapes("a\x1b[31m", true, "a\\x1b[31m"),
	      "terminal escape sequences are escaped");
	check(escapes("\xc2\x9b", true, "\\xc2\\x9b"),
	      "C1 controls are escaped");
	check(escapes("a\nb", false, "a\nb"),
	      "controls stay if JSON will escape them");
	check(escapes("\\x1b", true, "\\x5cx1b"),
	      "a backslash in a name is escaped");
	check(escapes("a\xe2\x80\xae"
		      "b\xe2\x81\xa9\xd8\x9c\xef\xbb\xbf",
		      true,
		      "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa9\\xd8\\x9c\\xef\\xbb\\xbf"),
	      "U+202E, U+2069, U+061C, U+FEFF, which reorder or hide text, are escaped");
	check(escapes("\xe2\x80\xa8\xf3\xa0\x80\xa1\xef\xbf\xbb", true,
		      "\\xe2\\x80\\xa8\\xf3\\xa0\\x80\\xa1\\xef\\xbf\\xbb"),
	      "a line separator, a tag character and U+FFFB are escaped");
	check(escapes("\xe2\x80\x94\xe2\x80\xaf\xd7\x90", true,
		      "\xe2\x80\x94\xe2\x80\xaf\xd7\x90"),
	      "U+2014, U+202F, U+05D0 stay");
	ptu_escape_sentence("a\n\x1b[31m\\x1b", text, sizeof(text));
	check(!strcmp(text, "a\n\\x1b[31m\\x1b"),
	      "in a message, newlines and escaped names stay");
	ptu_escape("ab\xc3\xa9\xff", false, small, sizeof(small));
	check(!strcmp(small, "ab\xc3\xa9"),
	      "a long name is cut between characters");
}

static bool sized(uint64_t bytes, const char *expected)
{
	char got[PTU_FORMAT_LEN];

	return !strcmp(ptu_format_size(bytes, false, got), expected);
}

static void numbers(void)
{
	char got[PTU_FORMAT_LEN];

	check(sized(0, "0"), "0 bytes are 0");
	check(sized(1023, "1023B"), "1023 bytes are 1023B");
	check(sized(172032, "168K"), "172032 bytes are 168K");
	check(sized(1536, "1.5K"), "1536 bytes are 1.5K");
	check(sized(1048575, "1M"), "1048575 bytes are rounded up to 1M");
	check(sized((1024 << 10) - 512, "1M"), "1023.5K are rounded up to 1M");
	check(sized((1023 << 10) + 511, "1023K"), "less than 1023.5K is 1023K");
	check(sized((100 << 10) + 461, "100K"), "100.45K is rounded only once");
	check(sized((100 << 10) - 52, "99.9K"), "99.949K is 99.9K");
	check(sized((100 << 10) - 51, "100K"), "99.951K are 100K");
	check(sized(UINT64_C(5) << 40, "5T"), "5 TiB are 5T");
	check(sized(UINT64_MAX, "16E"), "the largest size is 16E");
	check(!strcmp(ptu_format_size(172032, true, got), "172032"),
	      "with --bytes a size is a number of bytes");
	check(!strcmp(ptu_format_exact(1049600, false, got), "1025 KiB"),
	      "an exact size is not rounded to MiB");
	check(!strcmp(ptu_format_exact(1025, false, got), "1025 bytes"),
	      "an exact size is in bytes if it is not whole KiB");
	check(!strcmp(ptu_format_diff(36, 4, got), "+32"),
	      "a positive difference has a plus sign");
	check(!strcmp(ptu_format_diff(3, 4, got), "-1"),
	      "a negative difference has a minus sign");
	check(!strcmp(ptu_format_diff(4, 4, got), "0"), "no difference is 0");
	check(!strcmp(ptu_format_diff(0, UINT64_MAX, got),
		      "-18446744073709551615"),
	      "the largest difference fits");
}

int main(void)
{
	names();
	verdicts();
	unseen();
	changes();
	map_rows();
	escaping();
	numbers();
	return check_end();
}
