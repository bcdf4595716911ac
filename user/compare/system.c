// SPDX-License-Identifier: LGPL-2.1-or-later
/* Add up tables by page frame; must not know who found them. */
#include "compare/system.h"

#include <string.h>

#include "model/page_flags.h"

int ptu_system_flagged(struct ptu_system_tally *tally, uint64_t pfn,
		       const uint64_t *words, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		bool follows = words[i] & PTU_KPF_COMPOUND_TAIL &&
			       ptu_frame_set_has(&tally->counted, pfn + i - 1);
		int error;

		if (!follows && !(words[i] & PTU_KPF_PGTABLE))
			continue;
		error = ptu_frame_set_add(&tally->counted, pfn + i);
		if (error < 0)
			return error;
	}
	tally->report->flagged_bytes = tally->counted.nr * tally->page_bytes;
	return 0;
}

int ptu_system_add_table(struct ptu_system_tally *tally, unsigned int part,
			 unsigned int level, uint64_t pfn, unsigned int pages)
{
	unsigned int i;
	int ret = ptu_frame_set_add(&tally->seen, pfn);

	if (ret)
		return ret;
	for (i = 0; i < pages; i++) {
		if (ptu_frame_set_has(&tally->counted, pfn + i))
			tally->report->parts[part] += tally->page_bytes;
		else if (part < PTAUDIT_NR_LEVELS)
			tally->report->uncounted_bytes[level] +=
				tally->page_bytes;
	}
	return 0;
}

int ptu_system_add_process(struct ptu_system_tally *tally,
			   const struct ptu_snapshot *snapshot)
{
	size_t i;

	for (i = 0; i < snapshot->nr_records; i++) {
		const struct ptaudit_table *record = &snapshot->records[i];
		int ret;

		if (record->type != PTAUDIT_TABLE)
			continue;
		ret = ptu_system_add_table(tally, record->level, record->level,
					   record->pfn, record->pages);
		if (ret < 0)
			return ret;
		/* a known PGD means that the address space was already added */
		if (ret && record->level == PTAUDIT_PGD)
			return 1;
		if (ret) {
			tally->report->shared_bytes += record->pages *
						       tally->page_bytes;
			continue;
		}
		/* deposited PTE tables have no address; every kernel counts them */
		tally->report->parts[PTU_SYSTEM_DEPOSITED] +=
			record->deposited * tally->page_bytes;
	}
	return 0;
}

void ptu_system_count_nodes(const struct ptu_system_tally *tally,
			    const struct ptu_node_span *spans, size_t nr_spans)
{
	const uint64_t end = ptu_frame_set_end(&tally->counted);
	size_t i, k;

	for (i = 0; i < tally->report->nr_nodes; i++)
		tally->report->nodes[i].flagged_bytes = 0;
	for (k = 0; k < nr_spans; k++) {
		uint64_t pfn, bytes = 0;

		for (pfn = spans[k].start; pfn < spans[k].end && pfn < end;
		     pfn++) {
			if (ptu_frame_set_has(&tally->counted, pfn))
				bytes += tally->page_bytes;
		}
		for (i = 0; i < tally->report->nr_nodes; i++) {
			if (tally->report->nodes[i].node == spans[k].node)
				tally->report->nodes[i].flagged_bytes += bytes;
		}
	}
}

void ptu_system_tally_reset(struct ptu_system_tally *tally)
{
	struct ptu_system_report *report = tally->report;

	ptu_frame_set_clear(&tally->counted);
	ptu_frame_set_clear(&tally->seen);
	memset(report->parts, 0, sizeof(report->parts));
	memset(report->uncounted_bytes, 0, sizeof(report->uncounted_bytes));
	report->shared_bytes = 0;
	report->flagged_bytes = 0;
	report->nr_mms = report->nr_sharing = 0;
	report->nr_unwalked = report->nr_gone = report->nr_kthreads = 0;
	report->nr_uncompared = 0;
}

void ptu_system_tally_deinit(struct ptu_system_tally *tally)
{
	ptu_frame_set_deinit(&tally->counted);
	ptu_frame_set_deinit(&tally->seen);
}
