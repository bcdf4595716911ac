// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find and compare mappings.  Pure: must not know where they were read. */
#include "model/vma.h"

#include <stdlib.h>
#include <string.h>

void ptu_vmas_deinit(struct ptu_vmas *vmas)
{
	free(vmas->vmas);
	free(vmas->names);
	*vmas = (struct ptu_vmas){ 0 };
}

size_t ptu_vmas_find(const struct ptu_vmas *vmas, uint64_t addr)
{
	size_t low = 0;
	size_t high = vmas->nr_vmas;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (vmas->vmas[middle].end > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool ptu_vma_same(const struct ptu_vma *a, const struct ptu_vma *b)
{
	return a->start == b->start && a->end == b->end &&
	       a->offset_bytes == b->offset_bytes && a->device == b->device &&
	       a->inode == b->inode && !strcmp(a->perms, b->perms);
}

/* Call @take for each mapping of @vmas that is the same in @smaps. */
static void take_over(struct ptu_vmas *vmas, const struct ptu_vmas *smaps,
		      void (*take)(struct ptu_vma *vma,
				   const struct ptu_vma *from))
{
	size_t i, at = 0;

	for (i = 0; i < vmas->nr_vmas; i++) {
		struct ptu_vma *vma = &vmas->vmas[i];

		while (at < smaps->nr_vmas &&
		       smaps->vmas[at].start < vma->start)
			at++;
		if (at == smaps->nr_vmas)
			break;
		if (ptu_vma_same(vma, &smaps->vmas[at]))
			take(vma, &smaps->vmas[at]);
	}
}

static void take_flags(struct ptu_vma *vma, const struct ptu_vma *from)
{
	if (!from->has_flags)
		return;
	vma->has_flags = true;
	vma->flags = from->flags;
}

void ptu_vmas_take_flags(struct ptu_vmas *vmas, const struct ptu_vmas *smaps)
{
	take_over(vmas, smaps, take_flags);
}

/* Copy all fields except the path, which is an offset in the array's names. */
static void take_smaps(struct ptu_vma *vma, const struct ptu_vma *from)
{
	const size_t path = vma->path;

	if (!from->has_smaps)
		return;
	*vma = *from;
	vma->path = path;
}

void ptu_vmas_take_smaps(struct ptu_vmas *vmas, const struct ptu_vmas *smaps)
{
	take_over(vmas, smaps, take_smaps);
}

/* Count the mappings without [vsyscall], which not every source shows. */
static size_t nr_user_vmas(const struct ptu_vmas *vmas)
{
	size_t nr = vmas->nr_vmas;

	while (nr && vmas->vmas[nr - 1].start >= PTU_KERNEL_HALF)
		nr--;
	return nr;
}

bool ptu_vmas_same(const struct ptu_vmas *a, const struct ptu_vmas *b)
{
	const size_t nr = nr_user_vmas(a);
	size_t i;

	if (nr != nr_user_vmas(b))
		return false;
	for (i = 0; i < nr; i++)
		if (!ptu_vma_same(&a->vmas[i], &b->vmas[i]))
			return false;
	return true;
}

const char *ptu_vma_path(const struct ptu_vmas *vmas, const struct ptu_vma *vma)
{
	return vma->path < vmas->names_bytes ? vmas->names + vma->path : "";
}
