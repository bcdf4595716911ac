/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Page tables that could be freed, and the result of reclaim. */
#ifndef PTU_REPORT_WHATIF_H
#define PTU_REPORT_WHATIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "report/report.h"

/* The call by which the program itself can free empty tables. */
enum ptu_whatif_call {
	PTU_BY_MADVISE, /* MADV_DONTNEED over whole slots within one mapping */
	PTU_BY_MADVISE_LOCKED, /* the same with MADV_DONTNEED_LOCKED */
	PTU_BY_MUNMAP,	       /* munmap() of all mappings in the slot */
	PTU_NR_CALLS
};

/* Reasons why a table of shared memory cannot be freed. */
enum ptu_whatif_block {
	PTU_BLOCK_NONE,
	PTU_BLOCK_PRIVATE,    /* a private mapping: may have an anon_vma */
	PTU_BLOCK_UNALIGNED,  /* file offset and address differ modulo the huge page size */
	PTU_BLOCK_PARTIAL,    /* the mapping covers only part of the huge page */
	PTU_BLOCK_NOHUGEPAGE, /* VM_NOHUGEPAGE */
	PTU_BLOCK_UFFD,	      /* userfaultfd */
	PTU_BLOCK_MARKERS,    /* guard regions, markers */
	PTU_BLOCK_THP_DISABLED, /* prctl(PR_SET_THP_DISABLE) */
	PTU_BLOCK_UNKNOWN,	/* its flags, or the file, could not be read */
	PTU_BLOCK_BEYOND, /* the huge page would reach beyond the file's end */
	PTU_BLOCK_HOLE,	  /* the file has no page there */
	PTU_BLOCK_LIMIT,  /* reclaim: more than --max-fill */
	PTU_BLOCK_ROOM,	  /* more than half of the free space of the tmpfs */
	PTU_NR_BLOCKS
};

/**
 * struct ptu_whatif_mm - an examined address space
 * @named: named by the user; else it maps a file of one that was
 * @pte_tables: its PTE tables
 * @anon_tables: of these, tables with pages that map only anonymous memory
 * @anon_counted: of these, tables whose used entries are known
 * @anon_huge_pages: anonymous huge pages; each has one deposited PTE table
 * @anon_entries: sum of the used entries of @anon_counted tables, without markers
 * @marker_tables: its PTE tables that map only anonymous memory, and hold only markers
 * @zero_tables: of the @anon_counted tables, those whose entries all map the zero page
 * @empty_tables: of these, empty tables that a call can free
 * @sealed_tables: of these, empty tables that no call can free: mseal() forbids it
 * @shared_tables: of these, tables that huge pages make unnecessary
 * @changed_tables: tables of all levels that are not examined, because their mappings
 *	changed meanwhile
 * @unseen_tables: tables of all levels that are in VmPTE, but not among those that were read
 */
struct ptu_whatif_mm {
	pid_t pid;
	char comm[64];
	bool named;
	bool thp_disabled;
	uint64_t start_time;
	uint64_t pte_tables;
	uint64_t anon_tables;
	uint64_t anon_counted;
	uint64_t anon_huge_pages;
	uint64_t anon_entries;
	uint64_t marker_tables;
	uint64_t zero_tables;
	uint64_t empty_tables;
	uint64_t sealed_tables;
	uint64_t shared_tables;
	uint64_t changed_tables;
	uint64_t unseen_tables;
	uint64_t vmpte_bytes;
	uint64_t vmpte_after_bytes;
};

/**
 * struct ptu_whatif_empty - adjacent PTE tables without an entry
 * @mm: index of the address space
 * @start: start of the first table's reach
 * @end: end of the last table's reach
 * @path: path of the mapping; free() it
 * @rank: rank of its address space by the number of such tables
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
 * @addr: address in address space @mm
 * @offset: offset in the file
 * @is_empty: it is also among the empty tables
 * @is_alone: the mapping is shared, and the table's reach contains no other mapping
 * @returned: reclaim: the table was freed
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
 * struct ptu_whatif_window - the part of a file that one PTE table can map
 * @missing_pages: pages not in memory, which a huge page would fill
 * @swapped_pages: of these, pages whose data is swapped out
 * @block: why it cannot become a huge page
 * @error: reclaim: the kernel's last answer: -errno
 */
struct ptu_whatif_window {
	size_t file;
	uint64_t offset;
	uint64_t missing_pages;
	uint64_t swapped_pages;
	enum ptu_whatif_block block;
	int error;
};

/* An absent range [start, end) of a file, in a window that could be freed. */
struct ptu_whatif_hole {
	size_t file;
	uint64_t start;
	uint64_t end;
};

/**
 * struct ptu_whatif_file - a shared memory file
 * @shown: element i holds the index of the i-th file in the order of the output
 * @is_internal: memfd, System V or shared anonymous memory, on the kernel's
 *	internal mount; else a file in a tmpfs
 * @nr_mms: address spaces that map it with a PTE table
 * @mm: index of the last of them
 * @tables: tables that huge pages make unnecessary, in all address spaces
 * @empty_tables: of these, empty ones
 * @blocked: [PTU_NR_BLOCKS] other tables, by reason
 * @fill_bytes: memory needed to fill the holes
 * @swapped_bytes: part of @fill_bytes whose data is swapped out
 * @used_bytes: memory and swap of the file before reclaim
 * @room_bytes: bytes that filling may take from its tmpfs; in the first file of each
 *	device, the bytes that are left
 * @hugetlb_tables: tables that would not exist if the memory were hugetlb,
 *	regardless of the reasons against huge pages
 */
struct ptu_whatif_file {
	uint64_t device;
	uint64_t inode;
	char *path;
	size_t shown;
	bool is_internal;
	uint64_t size_bytes;
	uint64_t nr_mms;
	size_t mm;
	uint64_t tables;
	uint64_t empty_tables;
	uint64_t windows;
	uint64_t blocked[PTU_NR_BLOCKS];
	uint64_t fill_bytes;
	uint64_t swapped_bytes;
	uint64_t used_bytes;
	uint64_t used_after_bytes;
	uint64_t room_bytes;
	uint64_t hugetlb_tables;
};

/**
 * struct ptu_whatif_unmap - tables freed by munmap() of all mappings of a file
 * @mm: index of the address space; the last one for a sum
 * @nr_mms: number of address spaces
 * @tables: PTE tables
 * @madvise_tables: of these, tables that MADV_DONTNEED frees, without loss of data
 * @upper_tables: tables of other levels
 * @is_open: there may be more
 * @is_code: a process executes the file
 * @path: free() it
 */
struct ptu_whatif_unmap {
	uint64_t device;
	uint64_t inode;
	size_t mm;
	uint64_t nr_mms;
	uint64_t tables;
	uint64_t madvise_tables;
	uint64_t upper_tables;
	bool is_open;
	bool is_code;
	char *path;
};

/**
 * struct ptu_whatif_doubled - a mapping of memory that is also mapped elsewhere
 * @kept_start: where the same process maps the memory at @start a second time
 * @tables: PTE tables freed by munmap() of this mapping
 * @upper_tables: tables of other levels
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

/* Default of --max-fill. */
#define PTU_MAX_FILL (64ull << 20)

/**
 * struct ptu_reclaim_result - result of reclaim --do
 * @done: it was executed; else it was a dry run
 * @returned_tables: predicted tables that were freed
 * @more_tables: other tables of the same files that were freed
 * @windows: huge pages that the kernel made or found
 * @failed_windows: huge pages that the kernel did not make
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
 * struct ptu_whatif_report - the whole report
 * @base: the machine, and the processes named by the user
 * @is_reclaim: only shared memory is examined
 * @is_acting: reclaim --do: the prediction is about to be executed
 * @empties_known: empty PTE tables can be recognized here
 * @madvise_frees: in a test, MADV_DONTNEED freed a table of ptaudit itself
 * @shared_known: shared memory was examined; false for a recording, which lacks it
 * @source: source of the tables: an estimator, "module" or "bpf"
 * @shmem_enabled: the active setting of shmem_enabled, or ""
 * @refusal: why reclaim --do would do nothing here, or ""
 * @empties: grouped by address space, in descending order of tables
 * @unread: [@nr_unread] PIDs of other processes whose mappings could not be read
 * @nr_unopened: shared mappings whose file could not be opened
 */
struct ptu_whatif_report {
	struct ptu_report base;
	bool is_reclaim;
	bool is_acting;
	bool empties_known;
	bool madvise_frees;
	bool shared_known;
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
	pid_t *unread;
	size_t nr_unread;
	uint64_t nr_unopened;
	struct ptu_reclaim_result reclaim;
};

/**
 * ptu_whatif_call_name() - "madvise", "madvise-locked", "munmap".
 */
const char *ptu_whatif_call_name(enum ptu_whatif_call call);

/**
 * ptu_whatif_block_name() - "nohugepage", ...; "" for PTU_BLOCK_NONE.
 */
const char *ptu_whatif_block_name(enum ptu_whatif_block block);

/**
 * ptu_whatif_block_sentence() - Description as text: a clause without full stop.
 */
const char *ptu_whatif_block_sentence(enum ptu_whatif_block block);

/**
 * ptu_whatif_room() - Make room for one more element of an array.
 * @array: (in, out) [@nr] elements of @one bytes; the new element is zeroed
 *
 * Return: the element; NULL if out of memory.
 */
void *ptu_whatif_room(void *array, size_t nr, size_t one);

/**
 * ptu_whatif_empty_tables() - Number of tables that a call frees.
 */
uint64_t ptu_whatif_empty_tables(const struct ptu_whatif_report *report,
				 enum ptu_whatif_call call);

/**
 * ptu_whatif_all_empty_tables() - Number of tables that all calls free.
 */
uint64_t ptu_whatif_all_empty_tables(const struct ptu_whatif_report *report);

/**
 * ptu_whatif_sealed_tables() - Number of empty tables that stay because of mseal().
 */
uint64_t ptu_whatif_sealed_tables(const struct ptu_whatif_report *report);

/**
 * ptu_whatif_shared_tables() - Number of tables that huge pages make unnecessary.
 */
uint64_t ptu_whatif_shared_tables(const struct ptu_whatif_report *report);

/**
 * ptu_whatif_all_tables() - All tables that could be freed. An empty table of
 *	shared memory can be freed in both ways, but counts once.
 */
uint64_t ptu_whatif_all_tables(const struct ptu_whatif_report *report);

/**
 * struct ptu_whatif_anon - anonymous memory of several processes
 * @tables: PTE tables with pages that map only anonymous memory
 * @counted: of these, tables whose used entries are known
 * @entries: used entries of these, without markers
 * @marker_tables: sum of their @marker_tables
 * @zero_tables: sum of their @zero_tables
 * @huge_pages: sum of their @anon_huge_pages
 * @dense_tables: tables that would suffice for @entries if they lay side by side in each
 *	process
 */
struct ptu_whatif_anon {
	uint64_t tables;
	uint64_t counted;
	uint64_t huge_pages;
	uint64_t entries;
	uint64_t marker_tables;
	uint64_t zero_tables;
	uint64_t dense_tables;
};

/**
 * ptu_whatif_anonymous() - Add up the tables of anonymous memory.
 * @only_scattered: of the scattered processes, else of all named ones
 */
struct ptu_whatif_anon
ptu_whatif_anonymous(const struct ptu_whatif_report *report,
		     bool only_scattered);

/**
 * ptu_whatif_dense_tables() - Tables that would suffice for the process's anonymous pages.
 */
uint64_t ptu_whatif_dense_tables(const struct ptu_whatif_report *report,
				 const struct ptu_whatif_mm *mm);

/**
 * ptu_whatif_is_scattered() - Would half of these tables of a named process suffice?
 */
bool ptu_whatif_is_scattered(const struct ptu_whatif_report *report,
			     const struct ptu_whatif_mm *mm);

/* Why no way frees a table of a shared memory file. */
enum ptu_whatif_kept {
	PTU_NOT_KEPT,	   /* some tables can be freed */
	PTU_KEPT_SMALL,	   /* smaller than a huge page */
	PTU_KEPT_INTERNAL, /* blocked tables of a file on the internal mount */
	PTU_KEPT_IN_TMPFS, /* the same in a tmpfs */
	PTU_NR_KEPT
};

/**
 * ptu_whatif_kept() - To which of these groups does the file belong?
 */
enum ptu_whatif_kept ptu_whatif_kept(const struct ptu_whatif_report *report,
				     const struct ptu_whatif_file *file);

/**
 * ptu_whatif_kept_sum() - Add up the mapped files of a group.
 * @ret: (out) @blocked has the sums; @tables and @path are 0, @shown is the index of one of
 *	the files
 *
 * Return: their number.
 */
size_t ptu_whatif_kept_sum(const struct ptu_whatif_report *report,
			   enum ptu_whatif_kept kept,
			   struct ptu_whatif_file *ret);

/**
 * ptu_whatif_blocked_tables() - Number of the file's tables that cannot be freed.
 */
uint64_t ptu_whatif_blocked_tables(const struct ptu_whatif_file *file);

/**
 * ptu_whatif_hugetlb_tables() - Tables that would not exist if the file were hugetlb memory.
 *
 * Return: 0 if the file has a path or is smaller than a huge page.
 */
uint64_t ptu_whatif_hugetlb_tables(const struct ptu_whatif_report *report,
				   const struct ptu_whatif_file *file);

/**
 * ptu_whatif_all_hugetlb_tables() - The sum of ptu_whatif_hugetlb_tables() over all files.
 */
uint64_t ptu_whatif_all_hugetlb_tables(const struct ptu_whatif_report *report);

/**
 * ptu_whatif_hugetlb_pages() - Number of hugetlb pages needed for the whole file.
 */
uint64_t ptu_whatif_hugetlb_pages(const struct ptu_whatif_report *report,
				  const struct ptu_whatif_file *file);

/**
 * ptu_whatif_fill_bytes() - Memory needed to fill the holes.
 */
uint64_t ptu_whatif_fill_bytes(const struct ptu_whatif_report *report);

void ptu_whatif_report_deinit(struct ptu_whatif_report *report);

#endif
