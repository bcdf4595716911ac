/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which page tables could be given back, and what reclaim made of it. */
#ifndef PTU_REPORT_WHATIF_H
#define PTU_REPORT_WHATIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "report/report.h"

/* The call of the program's own that returns empty tables. */
enum ptu_whatif_call {
	PTU_BY_MADVISE, /* MADV_DONTNEED over whole slots in one mapping */
	PTU_BY_MUNMAP,	/* munmap() of all that lies in the slot */
	PTU_NR_CALLS
};

/* Why a table of shared memory stays. */
enum ptu_whatif_block {
	PTU_BLOCK_NONE,
	PTU_BLOCK_PRIVATE,    /* a private mapping: may have an anon_vma */
	PTU_BLOCK_UNALIGNED,  /* file and addresses differ within a huge page */
	PTU_BLOCK_PARTIAL,    /* the mapping has a part of the huge page only */
	PTU_BLOCK_NOHUGEPAGE, /* VM_NOHUGEPAGE */
	PTU_BLOCK_UFFD,	      /* userfaultfd */
	PTU_BLOCK_MARKERS,    /* guard regions, markers */
	PTU_BLOCK_THP_DISABLED, /* prctl(PR_SET_THP_DISABLE) */
	PTU_BLOCK_UNKNOWN,	/* its flags, or the file, could not be read */
	PTU_BLOCK_BEYOND, /* the huge page would reach beyond the file's end */
	PTU_BLOCK_HOLE,	  /* the file has no page there at all */
	PTU_BLOCK_LIMIT,  /* reclaim: more than --max-fill */
	PTU_NR_BLOCKS
};

/**
 * struct ptu_whatif_mm - an address space that was looked at
 * @named: the user asked about it; else it maps a file of one that was
 * @pte_tables: its PTE tables
 * @anon_tables: of these, with pages and in anonymous memory alone
 * @empty_tables: of these, empty, and a call returns them
 * @shared_tables: of these, that huge pages make unnecessary
 */
struct ptu_whatif_mm {
	pid_t pid;
	char comm[64];
	bool named;
	bool thp_disabled;
	uint64_t start_time;
	uint64_t pte_tables;
	uint64_t anon_tables;
	uint64_t empty_tables;
	uint64_t shared_tables;
	uint64_t vmpte_bytes;
	uint64_t vmpte_after_bytes;
};

/**
 * struct ptu_whatif_empty - neighbouring PTE tables without an entry
 * @mm: index of the address space
 * @start: of the first table's reach
 * @end: of the last one's
 * @path: of the mapping; free() it
 * @rank: of its address space by the number of these tables
 */
struct ptu_whatif_empty {
	size_t mm;
	size_t rank;
	uint64_t start;
	uint64_t end;
	uint64_t tables;
	enum ptu_whatif_call call;
	char perms[5];
	char *path;
};

/**
 * struct ptu_whatif_place - a PTE table that maps a slot of a shared file
 * @addr: where, in address space @mm
 * @offset: of that in the file
 * @is_empty: it is among the empty ones, too
 * @is_alone: the mapping is shared, and no other mapping lies in the table's reach
 * @returned: reclaim: it is gone
 */
struct ptu_whatif_place {
	size_t file;
	uint64_t offset;
	size_t mm;
	uint64_t addr;
	uint64_t vma_start;
	uint64_t vma_end;
	enum ptu_whatif_block block;
	bool is_empty;
	bool is_alone;
	bool returned;
};

/**
 * struct ptu_whatif_window - a reach of a PTE table in a file
 * @missing_pages: not in memory: a huge page fills them
 * @swapped_pages: of these, have data, which is swapped out
 * @block: why it cannot be one huge page
 * @error: reclaim: what the kernel said last: -errno
 */
struct ptu_whatif_window {
	size_t file;
	uint64_t offset;
	uint64_t missing_pages;
	uint64_t swapped_pages;
	enum ptu_whatif_block block;
	int error;
};

/* [start, end) of a file that is not in memory, in a window that could go. */
struct ptu_whatif_hole {
	size_t file;
	uint64_t start;
	uint64_t end;
};

/**
 * struct ptu_whatif_file - shared memory
 * @shown: of the file that is shown at this place: the one with most tables first
 * @is_internal: memfd, System V and shared anonymous memory, of the kernel's own
 *	mount; else a file in a tmpfs
 * @nr_mms: address spaces that map it with a PTE table
 * @tables: that a huge page makes unnecessary, over all of them
 * @empty_tables: of these, empty
 * @blocked: [PTU_NR_BLOCKS] others, by what keeps them
 * @fill_bytes: memory that it takes to have them
 * @swapped_bytes: of it, data that is swapped out
 * @used_bytes: memory and swap of the file, before
 * @hugetlb_tables: that would not be there if the same memory were of hugetlb,
 *	whatever else keeps huge pages from it
 */
struct ptu_whatif_file {
	uint64_t device;
	uint64_t inode;
	char *path;
	size_t shown;
	bool is_internal;
	uint64_t size_bytes;
	uint64_t nr_mms;
	uint64_t tables;
	uint64_t empty_tables;
	uint64_t windows;
	uint64_t blocked[PTU_NR_BLOCKS];
	uint64_t fill_bytes;
	uint64_t swapped_bytes;
	uint64_t used_bytes;
	uint64_t used_after_bytes;
	uint64_t hugetlb_tables;
};

/**
 * struct ptu_whatif_unmap - what munmap() of all mappings of a file returns
 * @mm: in which address space; the last one in a sum
 * @nr_mms: in how many
 * @tables: PTE tables
 * @upper_tables: of other levels
 * @is_open: there may be more
 * @path: free() it
 */
struct ptu_whatif_unmap {
	uint64_t device;
	uint64_t inode;
	size_t mm;
	uint64_t nr_mms;
	uint64_t tables;
	uint64_t upper_tables;
	bool is_open;
	char *path;
};

/**
 * struct ptu_whatif_doubled - a mapping whose memory is mapped once more
 * @kept_start: where the same process has what begins at @start
 * @tables: PTE tables that munmap() of this one returns
 * @upper_tables: of other levels
 * @path: free() it
 */
struct ptu_whatif_doubled {
	size_t mm;
	uint64_t start;
	uint64_t end;
	uint64_t kept_start;
	uint64_t tables;
	uint64_t upper_tables;
	char *path;
};

/**
 * struct ptu_reclaim_result - what reclaim --do did
 * @done: it acted; else a dry run
 * @returned_tables: predicted ones that are gone
 * @more_tables: others of the same files that went as well
 * @huge_windows: huge pages that the kernel made or found
 * @failed_windows: that it did not make
 */
struct ptu_reclaim_result {
	bool done;
	bool has_limit;
	uint64_t max_fill_bytes;
	uint64_t returned_tables;
	uint64_t more_tables;
	uint64_t windows;
	uint64_t failed_windows;
	uint64_t filled_bytes;
	uint64_t took_ns;
};

/**
 * struct ptu_whatif_report - all of it
 * @base: the machine, and the processes that the user asked about
 * @is_reclaim: only shared memory is of interest
 * @is_acting: reclaim --do: what is predicted is about to be done
 * @empties_known: empty PTE tables can be told here
 * @madvise_frees: MADV_DONTNEED was seen to return tables of our own
 * @source: who drew the tables: an estimator, "module" or "bpf"
 * @shmem_enabled: the chosen word of shmem_enabled, or ""
 * @refusal: why reclaim --do would do nothing here, or ""
 * @empties: those of the address space with most of them first
 * @nr_unread: other processes that could not be asked what they map
 * @nr_unopened: shared mappings whose file could not be looked at
 */
struct ptu_whatif_report {
	struct ptu_report base;
	bool is_reclaim;
	bool is_acting;
	bool empties_known;
	bool madvise_frees;
	const char *source;
	char shmem_enabled[32];
	char refusal[PTU_ERR_LEN];
	uint64_t slot_bytes;
	struct ptu_whatif_mm *mms;
	size_t nr_mms;
	struct ptu_whatif_empty *empties;
	size_t nr_empties;
	struct ptu_whatif_file *files;
	size_t nr_files;
	struct ptu_whatif_place *places;
	size_t nr_places;
	struct ptu_whatif_window *windows;
	size_t nr_windows;
	struct ptu_whatif_hole *holes;
	size_t nr_holes;
	struct ptu_whatif_unmap *unmaps;
	size_t nr_unmaps;
	struct ptu_whatif_doubled *doubled;
	size_t nr_doubled;
	uint64_t nr_unread;
	uint64_t nr_unopened;
	struct ptu_reclaim_result reclaim;
};

/**
 * ptu_whatif_call_name() - "madvise", "munmap".
 */
const char *ptu_whatif_call_name(enum ptu_whatif_call call);

/**
 * ptu_whatif_block_name() - "nohugepage", ...; "" for PTU_BLOCK_NONE.
 */
const char *ptu_whatif_block_name(enum ptu_whatif_block block);

/**
 * ptu_whatif_block_sentence() - What it means: a clause without full stop.
 */
const char *ptu_whatif_block_sentence(enum ptu_whatif_block block);

/**
 * ptu_whatif_room() - Room for one more element of an array.
 * @array: (in, out) [@nr] of @one bytes; the new element is zeroed
 *
 * Return: the element; NULL without memory.
 */
void *ptu_whatif_room(void *array, size_t nr, size_t one);

/**
 * ptu_whatif_empty_tables() - Tables that a call returns.
 */
uint64_t ptu_whatif_empty_tables(const struct ptu_whatif_report *report,
				 enum ptu_whatif_call call);

/**
 * ptu_whatif_shared_tables() - Tables that huge pages make unnecessary.
 */
uint64_t ptu_whatif_shared_tables(const struct ptu_whatif_report *report);

/**
 * ptu_whatif_all_tables() - All that could go: an empty table of shared memory
 * goes by either way, and counts once.
 */
uint64_t ptu_whatif_all_tables(const struct ptu_whatif_report *report);

/**
 * ptu_whatif_hugetlb_pages() - Huge pages that hugetlb needs for the whole file.
 */
uint64_t ptu_whatif_hugetlb_pages(const struct ptu_whatif_report *report,
				  const struct ptu_whatif_file *file);

/**
 * ptu_whatif_fill_bytes() - Memory that filling their holes takes.
 */
uint64_t ptu_whatif_fill_bytes(const struct ptu_whatif_report *report);

void ptu_whatif_report_deinit(struct ptu_whatif_report *report);

#endif
