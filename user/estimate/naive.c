// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The rule of thumb: a PTE table for each slot with a populated page.  It takes huge pages
 * for base pages.  Pure.
 */
#include "estimate/estimator.h"

#include <errno.h>

static int estimate(const struct ptu_evidence *evidence, struct ptu_tables *ret,
		    struct ptu_err *err)
{
	const struct ptu_slots *slots = &evidence->slots;
	int error = ptu_tables_add_pgd(ret);
	size_t i;

	for (i = 0; !error && i < slots->nr_slots; i++) {
		const struct ptu_slot *slot = &slots->slots[i];

		if (slot->present || slot->nonpresent)
			error = ptu_tables_add(ret, PTAUDIT_PTE, slot->start,
					       PTU_CERTAIN);
	}
	if (error == -EINVAL)
		ptu_err_set(err, error,
			    "the pagemap is not in order of address");
	return error;
}

const struct ptu_estimator ptu_estimator_naive = {
	.name = "naive",
	.summary = "a table wherever a page is, as if no page were huge",
	.needs = PTU_NEEDS_PAGEMAP,
	.blind = 1u << PTAUDIT_K_NONE | 1u << PTAUDIT_K_LEAF |
		 1u << PTAUDIT_K_UFFD_WP | 1u << PTAUDIT_K_GUARD,
	.estimate = estimate,
};
