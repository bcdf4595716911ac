// SPDX-License-Identifier: LGPL-2.1-or-later
/* Look up address ranges in the mappings; must not draw conclusions about tables. */
#include "model/place.h"

static bool has(const struct ptu_vma *vma, unsigned int flags)
{
	return !flags || (vma->has_flags && (vma->flags & flags) == flags);
}

uint64_t ptu_place_bytes(const struct ptu_vmas *vmas, uint64_t start,
			 uint64_t end, unsigned int flags)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = ptu_vmas_find(vmas, start);
	     i < vmas->nr_vmas && vmas->vmas[i].start < end; i++) {
		const struct ptu_vma *vma = &vmas->vmas[i];
		uint64_t first = vma->start > start ? vma->start : start;
		uint64_t last = vma->end < end ? vma->end : end;

		if (has(vma, flags))
			bytes += last - first;
	}
	return bytes;
}

bool ptu_place_one(const struct ptu_vmas *vmas, uint64_t start, uint64_t end,
		   unsigned int flags)
{
	size_t i = ptu_vmas_find(vmas, start);

	return i < vmas->nr_vmas && vmas->vmas[i].start <= start &&
	       vmas->vmas[i].end >= end && has(&vmas->vmas[i], flags);
}
