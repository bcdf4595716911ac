// SPDX-License-Identifier: GPL-2.0-only
/* `check --ktap`, from a report made by the test. */
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/printed.h"
#include "support/sample.h"

static void ktap_says(const struct sample *s, const char *name,
		      const char *expected)
{
	char *text = PRINTED(ptu_render_ktap, &s->report);

	check(text && !strcmp(text, expected), "%s", name);
	if (text && strcmp(text, expected) != 0)
		printf("# the text is:\n%s\n", text);
}

static void ktap(void)
{
	struct sample s;

	sample_init(&s);
	ktap_says(&s, "a process that agrees is ok",
		  "KTAP version 1\n1..1\nok 1 4242 postgres\n");
	sample_add_unexplained(&s);
	/* two tables more than those of the tree and the deposited ones */
	s.processes[0].vmpte_bytes += 8192;
	s.processes[0].vmpte_unexplained_bytes = 8192;
	ktap_says(&s, "a process with unexplained tables is not ok",
		  "KTAP version 1\n1..1\n"
		  "# pte: kernel 36, estimate 4, unexplained 1\n"
		  "# pmd: kernel 3, estimate 4, unexplained 1\n"
		  "# pte table at 0x7f0000200000-0x7f0000400000: only the kernel has it, no cause could be proven\n"
		  "# pmd leaf at 0xffffffffffe00000-0x0: only the estimate has it, the estimator found it possible, and the record cannot decide it\n"
		  "# VmPTE is 188416 bytes, 8192 more than the tables of the tree (167936) and the deposited ones (12288)\n"
		  "not ok 1 4242 postgres\n");
	sample_share(&s);
	strcpy(s.processes[1].comm, "a # SKIP\nok");
	s.processes[1].status = PTU_STATUS_FAILED;
	strcpy(s.processes[1].error, "process 4243: no memory");
	ktap_says(&s, "a process that could not be measured is not ok",
		  "KTAP version 1\n1..2\nok 1 4242 postgres\n"
		  "# process 4243: no memory\n"
		  "not ok 2 4243 a _ SKIP\\x0aok\n");
	strcpy(s.processes[1].comm, "a");
	s.processes[1].error[0] = '\0';
	s.processes[1].status = PTU_STATUS_GONE;
	ktap_says(&s, "a named process that has ended is not ok",
		  "KTAP version 1\n1..2\nok 1 4242 postgres\nnot ok 2 4243 a\n");
	s.report.is_all = true;
	ktap_says(&s, "a process of a group that has ended is skipped",
		  "KTAP version 1\n1..2\nok 1 4242 postgres\nok 2 4243 a # SKIP it has ended\n");
	s.processes[1].status = PTU_STATUS_DENIED;
	ktap_says(&s, "a denied process of a group is skipped",
		  "KTAP version 1\n1..2\nok 1 4242 postgres\nok 2 4243 a # SKIP permission denied\n");
	s.report.require_all = true;
	ktap_says(&s, "with --require-all, a denied process is not ok",
		  "KTAP version 1\n1..2\nok 1 4242 postgres\nnot ok 2 4243 a\n");
}

static void ktap_of_walks(void)
{
	struct ptu_orphan_row rows[] = {
		{ .level = PTAUDIT_PTE,
		  .start = 0x200000,
		  .end = 0x400000,
		  .in_orphans = true,
		  .outside = true },
		{ .level = PTAUDIT_PMD,
		  .start = 0,
		  .end = 0x40000000,
		  .in_orphans = true },
		{ .level = PTAUDIT_PTE,
		  .start = 0x400000,
		  .end = 0x600000,
		  .in_tables = true },
		{ .level = PTAUDIT_PTE,
		  .start = 0x600000,
		  .end = 0x800000,
		  .in_tables = true,
		  .in_orphans = true },
	};
	struct sample s;

	sample_init(&s);
	s.processes[0].orphans = (struct ptu_orphans_result){
		.done = true, .unexplained = rows, .nr_unexplained = 4
	};
	s.processes[0].vmpte_bytes -= 4096;
	s.processes[0].vmpte_unexplained_bytes = 4096;
	ktap_says(&s, "each table that only one walk sees is named",
		  "KTAP version 1\n1..1\n"
		  "# pte table at 0x200000-0x400000: it is outside all mappings\n"
		  "# pmd table at 0x0-0x40000000: only the walk of all entries sees it\n"
		  "# pte table at 0x400000-0x600000: only the walk by mappings sees it\n"
		  "# pte table at 0x600000-0x800000: the two walks see it in different page frames\n"
		  "# VmPTE is 176128 bytes, 4096 less than the tables of the tree (167936) and the deposited ones (12288)\n"
		  "not ok 1 4242 postgres\n");
}

/* Only BPF sees the first table.  The contents of the second one differ. */
static void ktap_of_both(void)
{
	struct ptu_unexplained rows[] = {
		{ .start = 0x200000,
		  .end = 0x400000,
		  .side = PTU_SIDE_KERNEL_BPF },
		{ .start = 0x400000,
		  .end = 0x600000,
		  .side = PTU_SIDE_KERNEL_MODULE,
		  .contents = true },
		{ .start = 0x400000,
		  .end = 0x600000,
		  .side = PTU_SIDE_KERNEL_BPF,
		  .contents = true },
	};
	struct sample s;

	sample_init(&s);
	for (size_t i = 0; i < 3; i++)
		rows[i].why = PTU_WHY_UNEXPLAINED;
	s.processes[0].unexplained = rows;
	s.processes[0].nr_unexplained = 3;
	ktap_says(&s, "each difference between module and BPF is named",
		  "KTAP version 1\n1..1\n"
		  "# pte table at 0x200000-0x400000: BPF has it, the module does not have the same, no cause could be proven\n"
		  "# pte table at 0x400000-0x600000: the module has it, BPF does not have the same, no cause could be proven\n"
		  "# pte table at 0x400000-0x600000: BPF has it, the module does not have the same, no cause could be proven\n"
		  "not ok 1 4242 postgres\n");
}

int main(void)
{
	ktap();
	ktap_of_walks();
	ktap_of_both();
	return check_end();
}
