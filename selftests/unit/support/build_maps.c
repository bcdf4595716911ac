// SPDX-License-Identifier: GPL-2.0-only
/* Builds the mappings of a process for tests; see build.h. */
#include <stdlib.h>
#include <string.h>

#include "build.h"

static void insert(struct ptu_vmas *vmas, size_t at, const struct ptu_vma *vma)
{
	vmas->vmas = realloc(vmas->vmas,
			     (vmas->nr_vmas + 1) * sizeof(*vmas->vmas));
	if (!vmas->vmas)
		abort();
	memmove(&vmas->vmas[at + 1], &vmas->vmas[at],
		(vmas->nr_vmas - at) * sizeof(*vmas->vmas));
	vmas->vmas[at] = *vma;
	vmas->nr_vmas++;
}

void build_unmap(struct build *b, uint64_t start, uint64_t end)
{
	struct ptu_vmas *vmas = &b->vmas;
	size_t i = 0;

	while (i < vmas->nr_vmas) {
		struct ptu_vma *vma = &vmas->vmas[i], rest = *vma;

		if (vma->end <= start || vma->start >= end) {
			i++;
		} else if (vma->start < start) {
			vma->end = start;
			rest.start = end;
			i++;
			if (rest.end > end)
				insert(vmas, i, &rest);
		} else if (vma->end > end) {
			vma->start = end;
		} else {
			vmas->nr_vmas--;
			memmove(vma, vma + 1,
				(vmas->nr_vmas - i) * sizeof(*vma));
		}
	}
}

void build_map(struct build *b, uint64_t start, uint64_t end,
	       unsigned int flags)
{
	const struct ptu_vma vma = { .start = start,
				     .end = end,
				     .perms = "rw-p",
				     .has_flags = true,
				     .flags = flags };
	size_t i = 0;

	build_unmap(b, start, end);
	while (i < b->vmas.nr_vmas && b->vmas.vmas[i].start < start)
		i++;
	insert(&b->vmas, i, &vma);
}

void build_forget_flags(struct build *b)
{
	for (size_t i = 0; i < b->vmas.nr_vmas; i++) {
		b->vmas.vmas[i].has_flags = false;
		b->vmas.vmas[i].flags = 0;
	}
}
