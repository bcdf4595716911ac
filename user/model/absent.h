/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an entry of pagemap that is not present stands for. */
#ifndef PTU_MODEL_ABSENT_H
#define PTU_MODEL_ABSENT_H

#include <stdint.h>

enum ptu_absent {
	PTU_ABSENT_SWAP,
	PTU_ABSENT_MOVING, /* a page on its way, on a device, or broken */
	PTU_ABSENT_UFFD_WP,
	PTU_ABSENT_GUARD,
	PTU_ABSENT_POISON
};

/**
 * ptu_absent_kind() - Read an entry with bit 62, and without bit 63.
 * @word: (in) the entry, as the kernel shows it to root: with type and offset
 */
enum ptu_absent ptu_absent_kind(uint64_t word);

#endif
