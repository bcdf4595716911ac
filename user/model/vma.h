/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mappings of a process, as an array of VMAs.  Pure. */
#ifndef PTU_MODEL_VMA_H
#define PTU_MODEL_VMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * From here on addresses are the kernel's: [vsyscall] is in maps, but neither in pagemap
 * nor in what the ioctl tells.
 */
#define PTU_KERNEL_HALF (UINT64_C(1) << 63)

/* ptu_vma.flags, from the line VmFlags of smaps */
#define PTU_VM_HUGETLB 0x01u  /* ht */
#define PTU_VM_PFNMAP 0x02u   /* pf */
#define PTU_VM_MIXEDMAP 0x04u /* mm */
#define PTU_VM_UFFD_WP 0x08u  /* uw */
#define PTU_VM_SHARED 0x10u   /* sh */
#define PTU_VM_MAYSHARE 0x20u /* ms */
#define PTU_VM_GUARD 0x40u    /* gu: may hold guard regions */
#define PTU_VM_NOHUGE 0x80u   /* nh */
#define PTU_VM_HUGE 0x100u    /* hg */
#define PTU_VM_UFFD 0x200u    /* um, ui: userfaultfd, but for uw */
#define PTU_VM_LOCKED 0x400u  /* lo */

/**
 * struct ptu_vma - one mapping
 * @start: first address
 * @end: end, exclusive
 * @offset_bytes: offset in the file
 * @device: of the file: its major number << 32 | its minor number
 * @inode: 0 for anonymous memory
 * @perms: "rwxp" as in maps, NUL-terminated
 * @path: offset of the NUL-terminated name in ptu_vmas.names; escapes
 *	(\012) are kept as the kernel wrote them
 * @has_flags: .flags holds what smaps said
 * @has_smaps: so do all the fields below
 * @flags: PTU_VM_*
 * @kernel_page_bytes: KernelPageSize: 2 MiB or 1 GiB in a hugetlb mapping
 * @rss_bytes: Rss
 * @pss_bytes: Pss
 * @swap_bytes: Swap
 * @huge_bytes: AnonHugePages + ShmemPmdMapped + FilePmdMapped
 * @anon_huge_bytes: AnonHugePages alone: each such leaf has a deposited table
 * @private_hugetlb_bytes: Private_Hugetlb: pages that nothing else maps
 */
struct ptu_vma {
	uint64_t start;
	uint64_t end;
	uint64_t offset_bytes;
	uint64_t device;
	uint64_t inode;
	char perms[5];
	bool has_flags;
	bool has_smaps;
	unsigned int flags;
	size_t path;
	uint64_t kernel_page_bytes;
	uint64_t rss_bytes;
	uint64_t pss_bytes;
	uint64_t swap_bytes;
	uint64_t huge_bytes;
	uint64_t anon_huge_bytes;
	uint64_t private_hugetlb_bytes;
};

/**
 * struct ptu_vmas - the mappings of one process, sorted, disjoint
 * @vmas: [nr_vmas]
 * @names: the distinct paths, one after the other
 */
struct ptu_vmas {
	struct ptu_vma *vmas;
	size_t nr_vmas;
	char *names;
	size_t names_bytes;
};

void ptu_vmas_deinit(struct ptu_vmas *vmas);

/**
 * ptu_vmas_find() - The first VMA that ends above @addr, as the kernel's find_vma().
 *
 * Return: index; nr_vmas where there is none.
 */
size_t ptu_vmas_find(const struct ptu_vmas *vmas, uint64_t addr);

/**
 * ptu_vmas_take_flags() - Take over the flags of mappings that are still the same.
 * @vmas: of maps; those that @smaps does not have stay without flags
 * @smaps: (in) read later
 */
void ptu_vmas_take_flags(struct ptu_vmas *vmas, const struct ptu_vmas *smaps);

/**
 * ptu_vmas_take_smaps() - The same with all that smaps says.
 */
void ptu_vmas_take_smaps(struct ptu_vmas *vmas, const struct ptu_vmas *smaps);

/**
 * ptu_vmas_same() - Are they the same mappings?
 *
 * Compared are the ends, the permissions and the inode. [vsyscall] is left out,
 * as not every reading has it.
 */
bool ptu_vmas_same(const struct ptu_vmas *a, const struct ptu_vmas *b);

/**
 * ptu_vma_path() - Name of a mapping, "" where it has none.
 */
const char *ptu_vma_path(const struct ptu_vmas *vmas,
			 const struct ptu_vma *vma);

#endif
