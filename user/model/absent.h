/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The meaning of a pagemap entry that is not present. */
#ifndef PTU_MODEL_ABSENT_H
#define PTU_MODEL_ABSENT_H

#include <stdint.h>

enum ptu_absent {
	PTU_ABSENT_SWAP,
	PTU_ABSENT_MOVING, /* migration, device memory or hardware poison */
	PTU_ABSENT_UFFD_WP,
	PTU_ABSENT_GUARD,
	PTU_ABSENT_POISON
};

/**
 * ptu_absent_kind() - Classify an entry with bit 62 set and bit 63 clear.
 * @word: (in) the entry as shown to root: with type and offset
 */
enum ptu_absent ptu_absent_kind(uint64_t word);

#endif
