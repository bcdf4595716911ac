// SPDX-License-Identifier: GPL-2.0-only
/* `system` as JSON and text, from a report made by the test. */
#include "render/render.h"
#include "report/system.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "support/at.h"
#include "support/check.h"

/* All figures are different; more is accounted for than PageTables has. */
static struct ptu_system_report sample(void)
{
	static struct ptu_system_node nodes[] = { { 0, 50 << 12, 51 << 12 },
						  { 3, 52 << 12, 53 << 12 } };
	static char root[] = "/", slice[] = "/a.slice",
		    unit[] = "/a.slice/b\xff";
	static struct ptu_system_cgroup cgroups[] = {
		{ root, 0, 60 << 12, 61 << 12 },
		{ slice, 1, 62 << 12, 63 << 12 },
		{ unit, 2, 64 << 12, 65 << 12 }
	};
	struct ptu_system_report report = {
		.source = PTU_SYSTEM_BY_BPF,
		.pagetables_bytes = 50 << 12,
		.flagged_bytes = 49 << 12,
		.shared_bytes = 5 << 12,
		.nr_mms = 21,
		.nr_sharing = 22,
		.nr_unwalked = 23,
		.nr_gone = 24,
		.nr_kthreads = 25,
		.nr_tries = 26,
		.has_refresh = true,
		.has_flags = true,
		.has_kernel = true,
		.nodes = nodes,
		.nr_nodes = 2,
		.cgroups = cgroups,
		.nr_cgroups = 3,
	};

	strcpy(report.host.release, "6.1.0-test");
	report.host.page_bytes = 4096;
	/* 1 + ... + 10 pages; none of them in PUD tables */
	for (unsigned int i = 0; i < PTU_NR_SYSTEM_PARTS; i++)
		report.parts[i] = (uint64_t)(i + 1) << 12;
	report.parts[PTAUDIT_PUD] = 0;
	report.uncounted_bytes[PTAUDIT_PUD] = 7 << 12;
	report.uncounted_bytes[PTAUDIT_PTE] = 8 << 12;
	return report;
}

static void as_json(void)
{
	struct ptu_system_report report = sample();
	const struct ptu_render_options options = { .raw = false };
	json_t *root = json_from(
		PRINTED(ptu_render_system_json, &report, &options));

	text_at(root, "ptaudit.command", "system");
	text_at(root, "source", "bpf");
	number_at(root, "pagetables_bytes", 50 << 12);
	number_at(root, "accounted_bytes", 52 << 12);
	number_at(root, "remainder_bytes", -(2 << 12));
	number_at(root, "kpageflags_bytes", 49 << 12);
	text_at(root, "parts.0.name", "pte");
	number_at(root, "parts.0.bytes", 1 << 12);
	text_at(root, "parts.4.name", "pgd");
	text_at(root, "parts.4.source", "bpf");
	text_at(root, "parts.5.name", "deposited");
	text_at(root, "parts.6.name", "vmpte");
	text_at(root, "parts.6.source", "vmpte");
	text_at(root, "parts.7.name", "no-process");
	text_at(root, "parts.7.source", "none");
	text_at(root, "parts.8.name", "text-poke");
	text_at(root, "parts.8.source", "kcore");
	text_at(root, "parts.9.name", "kernel");
	number_at(root, "parts.9.bytes", 10 << 12);
	none_at(root, "parts.10");
	text_at(root, "uncounted.0.level", "pud");
	number_at(root, "uncounted.0.bytes", 7 << 12);
	none_at(root, "uncounted.1");
	number_at(root, "shared_bytes", 5 << 12);
	number_at(root, "processes.address_spaces", 21);
	number_at(root, "processes.sharing", 22);
	number_at(root, "processes.not_compared", 0);
	number_at(root, "processes.by_vmpte", 23);
	number_at(root, "processes.gone", 24);
	number_at(root, "processes.kernel_threads", 25);
	number_at(root, "nodes.1.node", 3);
	number_at(root, "nodes.1.pagetables_bytes", 52 << 12);
	number_at(root, "nodes.1.kpageflags_bytes", 53 << 12);
	text_at(root, "cgroups.2.path", "/a.slice/b\\xff");
	number_at(root, "cgroups.2.pagetables_bytes", 64 << 12);
	number_at(root, "cgroups.2.processes_bytes", 65 << 12);
	number_at(root, "tries", 26);
	check(json_is_false(at(root, "held_still")),
	      "json: held_still is false after a change");
	check(json_is_true(at(root, "refreshed")),
	      "json: refreshed is true after a refresh");
	json_decref(root);
}

static void has(const char *text, const char *wanted)
{
	check(strstr(text, wanted), "text has \"%s\"", check_line(wanted));
}

/* Sentences about the running machine would be wrong of a recording. */
static void of_recording(void)
{
	const struct ptu_render_options none = { .raw = false };
	struct ptu_system_report report = sample();
	char *text;

	report.is_recording = true;
	report.has_refresh = report.has_flags = report.has_kernel = false;
	text = PRINTED(ptu_render_system_text, &report, &none);
	has(text, "\n23 processes in the recording.\n");
	has(text, "Processes are counted by VmPTE");
	has(text, "processes that were not recorded");
	has(text, "PageTables changed while it was recorded.");
	check(!strstr(text, "only root"),
	      "text of a recording does not name root");
	check(!strstr(text, "measured"),
	      "text of a recording does not say measured");
	report.held_still = true;
	text = PRINTED(ptu_render_system_text, &report, &none);
	check(!strstr(text, "changed"),
	      "text of a recording that held still names no change");
}

static void as_text(void)
{
	const struct ptu_render_options bytes = { .bytes = true };
	struct ptu_system_report report = sample();
	char *text = PRINTED(ptu_render_system_text, &report, &bytes);

	has(text, "PART");
	has(text, "pte         4096 bpf");
	has(text, "deposited  24576 bpf");
	has(text, "remainder  -8192");
	has(text,
	    "PageTables is 204800 bytes, 212992 bytes of it accounted for; remainder: -8192 bytes.");
	has(text,
	    "does not count in PageTables: 28672 bytes in tables of level pud.");
	has(text, "\n   3     212992     217088\n");
	has(text, "\n 253952    258048   a.slice\n");
	has(text, "PageTables changed while it was measured.");
	has(text,
	    "\n21 address spaces; 22 more processes share one, 24 ended meanwhile.\n");
	check(!strstr(text, "compare"), "all processes were compared");
	report.nr_uncompared = 25;
	text = PRINTED(ptu_render_system_text, &report, &bytes);
	has(text,
	    "\n25 processes could not be compared with others: a shared address space counts for each of them.\n");
	report.nr_mms = report.nr_sharing = report.nr_uncompared = 1;
	report.has_flags = report.has_kernel = report.held_still = false;
	strcpy(report.flags_note, "because of the test");
	text = PRINTED(ptu_render_system_text, &report, &bytes);
	has(text, "in the remainder: because of the test.");
	has(text, "\n1 address space; 1 more process shares one, 24 ended");
	has(text,
	    "\n1 process could not be compared with others: a shared address space counts for each of them.\n");
	check(!strstr(text, "KPAGEFLAGS"), "no column without flags");
}

/* With four levels there is no P4D table; with five, 6.1 has some and counts none. */
static void levels_as_text(void)
{
	const struct ptu_render_options raw = { .raw = true };
	struct ptu_system_report report = sample();
	char *text;

	report.parts[PTAUDIT_P4D] = 0;
	text = PRINTED(ptu_render_system_text, &report, &raw);
	check(!strstr(text, "p4d"), "a folded level has no row");
	has(text, "\npud 0 bpf ");
	report.uncounted_bytes[PTAUDIT_P4D] = 4096;
	text = PRINTED(ptu_render_system_text, &report, &raw);
	has(text, "\np4d 0 bpf ");
}

int main(void)
{
	as_json();
	as_text();
	of_recording();
	levels_as_text();
	return check_end();
}
