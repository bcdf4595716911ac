/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find out whether userfaultfd is in use on this machine. */
#ifndef PTU_ACQUIRE_UFFD_H
#define PTU_ACQUIRE_UFFD_H

#include <stdbool.h>

/**
 * ptu_uffd_is_unused() - Is no mapping of any process registered with userfaultfd?
 *
 * True only if it is certain: the kernel has no userfaultfd object, open or closed, so
 * nothing can be registered.  The slab cache of these objects has a constructor,
 * therefore it is never merged with another cache. KFENCE objects are not in it, so
 * KFENCE must be off.  Needs root, and SLUB with sysfs.
 *
 * Source: fs/userfaultfd.c, userfaultfd_init(); mm/slub.c, total_objects_show();
 * mm/slab_common.c, slab_unmergeable(); mm/kfence/core.c (5.10, 6.12, 7.2).
 */
bool ptu_uffd_is_unused(void);

#endif
