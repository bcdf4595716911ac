/* SPDX-License-Identifier: GPL-2.0-only */
/* Look up VMAs of an address range; must not read tables. */
#ifndef PTA_VMA_H
#define PTA_VMA_H

#include <linux/mm_types.h>

struct vm_area_struct *pta_first_vma(struct mm_struct *mm, unsigned long start,
				     unsigned long end);
struct address_space *pta_shareable_mapping(struct vm_area_struct *vma);
bool pta_mapping_trylock(struct address_space *mapping);
int pta_mapping_wait(struct file *file);
void pta_mapping_unlock(struct address_space *mapping);
void pta_assert_mapping_held(struct address_space *mapping);
unsigned int pta_mark_pages(struct mm_struct *mm, unsigned long start,
			    unsigned long vm_flags, unsigned long *pages);

#endif
