/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the pagemap of all mappings in pieces; a second thread helps if it takes
 * long. For procfs*.c only.
 */
#ifndef PTU_ACQUIRE_PAGEMAP_H
#define PTU_ACQUIRE_PAGEMAP_H

#include <stddef.h>
#include <stdint.h>

#include "acquire/words.h"
#include "base/err.h"
#include "model/geometry.h"
#include "model/pagemap.h"
#include "model/vma.h"

/**
 * struct ptu_words_end - where pagemap ended too early
 * @addr: address of the first requested entry
 * @nr_wanted: requested entries
 * @nr_got: entries read
 */
struct ptu_words_end {
	uint64_t addr;
	size_t nr_wanted;
	size_t nr_got;
};

/**
 * ptu_words_split() - Digest the pagemap of every mapping in a range.
 * @file: (in) pagemap
 * @vmas: (in) the mappings
 * @start: (in) first address, a multiple of a slot
 * @end: (in) end of the range, a multiple of a slot or UINT64_MAX
 * @ret: (out) the populated slots, ascending, independent of the number of threads;
 *	free with ptu_slots_deinit(); untouched on failure
 * @ret_end: (out) set with -ENODATA
 *
 * A second thread helps if there is a second CPU and so much to read that starting
 * a thread is cheap in comparison. While both threads find slots, each slot is in
 * memory at most twice, at 64 bytes.
 *
 * Return: 0; -ENOMEM; -ENODATA the file ended before the mappings did; -errno of
 * reading.  If there are several errors, the one at the lowest address is returned.
 */
ptu_must_check int ptu_words_split(const struct ptu_words *file,
				   const struct ptu_geometry *geo,
				   const struct ptu_vmas *vmas, uint64_t start,
				   uint64_t end, struct ptu_slots *ret,
				   struct ptu_words_end *ret_end);

#endif
