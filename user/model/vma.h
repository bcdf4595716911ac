/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mappings of a process, as an array of VMAs.  Pure. */
#ifndef PTU_MODEL_VMA_H
#define PTU_MODEL_VMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * First address of the kernel half. maps shows [vsyscall] there; pagemap and the ioctl
 * do not.
 */
#define PTU_KERNEL_HALF (UINT64_C(1) << 63)

/* ptu_vma.flags, each with its letters in the line VmFlags of smaps */
#define PTU_VM_HUGETLB 0x01u  /* ht */
#define PTU_VM_PFNMAP 0x02u   /* pf */
#define PTU_VM_MIXEDMAP 0x04u /* mm */
#define PTU_VM_UFFD_WP 0x08u  /* uw */
#define PTU_VM_SHARED 0x10u   /* sh */
#define PTU_VM_MAYSHARE 0x20u /* ms */
#define PTU_VM_GUARD 0x40u    /* gu: may hold guard regions */
#define PTU_VM_NOHUGE 0x80u   /* nh */
#define PTU_VM_HUGE 0x100u    /* hg */
#define PTU_VM_UFFD 0x200u    /* um, ui, ur: userfaultfd modes except uw */
#define PTU_VM_LOCKED 0x400u  /* lo */
#define PTU_VM_SEALED 0x800u  /* sl: munmap() and mremap() fail (6.10) */

/**
 * struct ptu_vma - one mapping
 * @start: first address
 * @end: end, exclusive
 * @offset_bytes: offset in the file
 * @device: device of the file: major number << 32 | minor number
 * @inode: 0 for anonymous memory; see ptu_vma_has_file()
 * @perms: "rwxp" as in maps, NUL-terminated
 * @path: offset of the NUL-terminated name in ptu_vmas.names; the kernel's escapes
 *	(\012) are kept
 * @has_flags: @flags was read from smaps
 * @has_smaps: @flags and all following fields were read from smaps
 * @flags: PTU_VM_*
 * @kernel_page_bytes: KernelPageSize: 2 MiB or 1 GiB in a hugetlb mapping
 * @rss_bytes: Rss
 * @pss_bytes: Pss
 * @swap_bytes: Swap
 * @huge_bytes: AnonHugePages + ShmemPmdMapped + FilePmdMapped
 * @anon_huge_bytes: AnonHugePages: each such leaf has a deposited table
 * @private_hugetlb_bytes: Private_Hugetlb: pages mapped only here
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
 * @names: the distinct paths, stored one after the other
 */
struct ptu_vmas {
	struct ptu_vma *vmas;
	size_t nr_vmas;
	char *names;
	size_t names_bytes;
};

void ptu_vmas_deinit(struct ptu_vmas *vmas);

/**
 * ptu_vma_has_file() - Does the VMA map a file?
 *
 * The inode alone does not show it: for System V shared memory, maps shows the ID as the
 * inode, and the first ID is 0.  The device number of a file is never 0.
 * Source: ipc/shm.c, newseg(); fs/super.c, get_anon_bdev() (6.1).
 */
static inline bool ptu_vma_has_file(const struct ptu_vma *vma)
{
	return vma->device || vma->inode;
}

/**
 * ptu_vmas_find() - Find the first VMA that ends above @addr, like find_vma().
 *
 * Return: index; nr_vmas if there is none.
 */
size_t ptu_vmas_find(const struct ptu_vmas *vmas, uint64_t addr);

/**
 * ptu_vmas_take_flags() - Copy the flags of mappings that are unchanged.
 * @vmas: read from maps; mappings that @smaps does not have keep no flags
 * @smaps: (in) read later
 */
void ptu_vmas_take_flags(struct ptu_vmas *vmas, const struct ptu_vmas *smaps);

/**
 * ptu_vmas_take_smaps() - The same for all fields of smaps.
 */
void ptu_vmas_take_smaps(struct ptu_vmas *vmas, const struct ptu_vmas *smaps);

/**
 * ptu_vma_same() - Are two VMAs equal?
 *
 * Compares the ends, the permissions, the file and the offset in it, without the name.
 */
bool ptu_vma_same(const struct ptu_vma *a, const struct ptu_vma *b);

/**
 * ptu_vmas_same() - Are all VMAs of two readings equal?
 *
 * [vsyscall] is not compared, because not every source shows it.
 */
bool ptu_vmas_same(const struct ptu_vmas *a, const struct ptu_vmas *b);

/**
 * ptu_vma_path() - Name of a mapping, "" if it has none.
 */
const char *ptu_vma_path(const struct ptu_vmas *vmas,
			 const struct ptu_vma *vma);

#endif
