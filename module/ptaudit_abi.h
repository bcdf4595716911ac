/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What the ptaudit module and its readers agree on: names, units and records.
 * No arithmetic on page tables belongs here; each side has its own.
 *
 * Files below /sys/kernel/debug/ptaudit (0600, of which CAP_SYS_ADMIN in the
 * initial user namespace is asked at open, write and read; `geometry` is 0400 and
 * asks nobody, kpagemap.c has two more that are 0400 and ask):
 *
 *   geometry  text: `abi N`, `page_size N`, then `level NAME shift S entries N`
 *             for each unfolded level, top first
 *   counts    write `PID`, read text, `key value` a line; touches no PTE table
 *   tables    write `PID` or `PID START END` (addresses in hex, with 0x), read
 *             struct ptaudit_header and nr_records of struct ptaudit_table;
 *             goes where VMAs are
 *   orphans   the same, but every entry of the user half is followed, also
 *             where no VMA is; takes the target's mmap_lock for writing
 *   pages     write `PID` or `PID START END`, read text, `key value` a line:
 *             what is mapped in VMAs, enum ptaudit_pages_key, in base pages;
 *             the range counts to the page
 *
 * The request belongs to the open file.  The answer is complete before its
 * first byte can be read; reading on, or again from offset 0, gives the same
 * answer until the next write.  So does an error, but for EFAULT and EINTR.
 * Errors of write and read:
 *
 *   EINVAL  not a request of the form above, in 79 bytes at most, or no thread
 *           of the process has an mm (a kernel thread, a zombie); read: nothing
 *           was requested
 *   EFAULT  the caller's buffer is not there
 *   ESRCH   no such process, or it ended before the answer was complete
 *   ESTALE  the process went on to another mm (execve) meanwhile
 *   EINTR   a fatal signal came for the reader
 *   ENOMEM  no memory for the answer, or the reader's memory cgroup, to which
 *           records are charged, allows no more
 *   EFBIG   the records would take more kernel memory than the module's parameter
 *           max_answer_kib allows, 256 MiB unless it is set: about 4 million
 *           records, as of 8 TiB in 4 KiB pages; a range can be asked for
 *   EOVERFLOW more deposited tables than @deposited of a record can say, on
 *           kernels without split PMD locks; `counts` has their number
 *   EPERM   the opener or the caller is not privileged enough; from open also:
 *           the kernel is locked down.  Then debugfs opens what is 0400 to be
 *           read all the same, in 5.10 from 5.10.94 on (fs/debugfs/file.c,
 *           debugfs_locked_down())
 */
#ifndef PTAUDIT_ABI_H
#define PTAUDIT_ABI_H

#include <linux/types.h>

#define PTAUDIT_ABI		1
#define PTAUDIT_MAGIC		0x3174696475617470ULL	/* "ptaudit1", little endian */
#define PTAUDIT_COMM_LEN	16

/*
 * Levels are kinds of table.  PTAUDIT_PMD is a table whose entries are PMD
 * entries: they map PMD leaves or point to PTE tables.
 */
enum ptaudit_level {
	PTAUDIT_PTE,
	PTAUDIT_PMD,
	PTAUDIT_PUD,
	PTAUDIT_P4D,
	PTAUDIT_PGD,
	PTAUDIT_NR_LEVELS
};

#define PTAUDIT_LEVEL_NAMES                       \
	{                                         \
		"pte", "pmd", "pud", "p4d", "pgd" \
	}

/* ptaudit_header.flags */
#define PTAUDIT_H_PTI		0x1u	/* a PGD is two pages, see record pages */
#define PTAUDIT_H_ORPHANS	0x2u	/* from `orphans`: no entry is unwalked */
#define PTAUDIT_H_BPF		0x4u	/* not from the module: by BPF, without a lock */

/**
 * struct ptaudit_header - the start of an answer from `tables` or `orphans`
 * @magic: PTAUDIT_MAGIC
 * @abi: PTAUDIT_ABI; a reader refuses any other
 * @header_size: sizeof(struct ptaudit_header), where the records begin; a reader
 *	takes PTAUDIT_HEADER_SIZE_VER0, too, and refuses any other
 * @record_size: sizeof(struct ptaudit_table)
 * @nr_records: records that follow, to the end of the file
 * @range_start: first address asked for, rounded down to a PTE table's reach
 * @range_end: end of the addresses asked for, rounded up likewise
 * @start_boottime_ns: start of the process (of @tgid), CLOCK_BOOTTIME of the
 *	initial time namespace
 * @mm: identity of the mm, the same for all tasks that share it; no other mm of
 *	the same boot ever has it; never 0, otherwise opaque
 * @pgtables_bytes_before: the mm's own counter when the walk began
 * @pgtables_bytes_after: the same when it ended
 * @clock_before_ns: CLOCK_MONOTONIC when the walk began
 * @clock_after_ns: the same when it ended
 * @hold_ns_max: longest time that mmap_lock was held: for 81,920 entries at most,
 *	by `orphans` for 32,768 (LOCKING.md, "How long a hold is")
 * @lock_windows: how often mmap_lock was taken
 * @flags: PTAUDIT_H_*
 * @pid: the PID asked for, in the initial PID namespace
 * @tgid: its thread group
 * @comm: name of the task asked for
 * @start_ticks: start of the task asked for, in USER_HZ, in the reader's time
 *	namespace: field 22 of /proc/PID/stat as the same reader sees it
 * @tid: thread through which the mm was found, in the initial PID namespace: the
 *	task asked for, or another thread of its group where that has exited
 * @ns_pid: @pid in the reader's PID namespace; 0 where that does not see it
 * @ns_tgid: @tgid likewise
 * @ns_tid: @tid likewise
 *
 * A header of PTAUDIT_HEADER_SIZE_VER0 ends with @comm.
 */
struct ptaudit_header {
	__u64 magic;
	__u32 abi;
	__u16 header_size;
	__u16 record_size;
	__u64 nr_records;
	__u64 range_start;
	__u64 range_end;
	__u64 start_boottime_ns;
	__u64 mm;
	__u64 pgtables_bytes_before;
	__u64 pgtables_bytes_after;
	__u64 clock_before_ns;
	__u64 clock_after_ns;
	__u64 hold_ns_max;
	__u32 lock_windows;
	__u32 flags;
	__s32 pid;
	__s32 tgid;
	char comm[PTAUDIT_COMM_LEN];
	__u64 start_ticks;
	__s32 tid;
	__s32 ns_pid;
	__s32 ns_tgid;
	__s32 ns_tid;
};

#define PTAUDIT_HEADER_SIZE		152
#define PTAUDIT_HEADER_SIZE_VER0	128

/* ptaudit_table.type */
enum ptaudit_type {
	PTAUDIT_TABLE = 1,	/* one table */
	PTAUDIT_RUN		/* neighbouring entries of one kind in an upper table */
};

/* ptaudit_table.kind, for runs: what the entries of the run are */
enum ptaudit_kind {
	PTAUDIT_K_NONE,		/* tables carry this */
	PTAUDIT_K_CHILD,	/* point to a table, which has a record of its own */
	PTAUDIT_K_LEAF,		/* map a huge page (PROT_NONE ones too) */
	PTAUDIT_K_SWAP,
	PTAUDIT_K_MIGRATION,
	PTAUDIT_K_UFFD_WP,	/* userfaultfd-wp marker */
	PTAUDIT_K_GUARD,	/* guard region marker */
	PTAUDIT_K_OTHER,	/* any other entry that is neither none nor present */
	PTAUDIT_K_UNWALKED,	/* not none, but no VMA covers the entry's reach */
	PTAUDIT_NR_KINDS
};

/* ptaudit_table.flags */
#define PTAUDIT_T_PARTIAL	0x01u	/* only entries inside the range were counted */
#define PTAUDIT_T_MOVED		0x02u	/* replaced, or lost an entry once followed */
#define PTAUDIT_T_HUGETLB	0x04u	/* reached through a hugetlb VMA */
#define PTAUDIT_T_PFNMAP	0x08u	/* run: its leaves lie in VM_PFNMAP VMAs */
#define PTAUDIT_T_LDT		0x10u	/* holds the LDT's mapping (KPTI) */
#define PTAUDIT_T_OUTSIDE	0x20u	/* `orphans`: no VMA reaches it in the range */

/**
 * struct ptaudit_table - one table, or one run of entries in an upper table
 * @start: first address that the table (the run) maps
 * @pfn: page frame of the table; of a run: of the table that it lies in
 * @sharers: at how many other places this very table is mapped (hugetlb PMD
 *	sharing): mostly in other mms, but an mm can map a file twice
 * @level: enum ptaudit_level; of a run: of the table that it lies in
 * @type: enum ptaudit_type
 * @kind: enum ptaudit_kind; PTAUDIT_K_NONE for a table
 * @flags: PTAUDIT_T_*
 * @used: entries that are not none; of a run: its number of entries
 * @children: entries that point to a table below
 * @leaves: huge leaves; 0 in a PTE table
 * @present: present entries of a PTE table (PROT_NONE ones too)
 * @swap: swap entries
 * @migration: migration entries
 * @uffd_wp: userfaultfd-wp markers
 * @guard: guard region markers
 * @other: other entries that are neither none nor present
 * @unwalked: entries not none that no VMA covers, not followed (`tables`)
 * @pfnmap: of @present or @leaves, those in VM_PFNMAP VMAs
 * @deposited: PTE tables deposited with this PMD table, none of which has a
 *	record
 * @node: NUMA node of the table
 * @pages: pages that the table takes
 * @reserved: 0
 *
 * In every record of a table:
 * used = children + leaves + present + swap + migration + uffd_wp + guard +
 * other + unwalked.  Records come in the order of @start, then the higher
 * level first, then the table before its runs.
 */
struct ptaudit_table {
	__u64 start;
	__u64 pfn;
	__u32 sharers;
	__u8 level;
	__u8 type;
	__u8 kind;
	__u8 flags;
	__u16 used;
	__u16 children;
	__u16 leaves;
	__u16 present;
	__u16 swap;
	__u16 migration;
	__u16 uffd_wp;
	__u16 guard;
	__u16 other;
	__u16 unwalked;
	__u16 pfnmap;
	__u16 deposited;
	__s16 node;
	__u16 pages;
	__u32 reserved[3];
};

#define PTAUDIT_RECORD_SIZE	64

/*
 * Keys of `pages`.  Unit: base pages, of a huge leaf as many as it maps.  What a
 * hugetlb VMA maps is in the keys PTAUDIT_P_HUGETLB* alone.
 * present = anon + file + shmem + zero + special = pte_pages + pmd_pages +
 * pud_pages.
 */
enum ptaudit_pages_key {
	PTAUDIT_P_PRESENT,	/* PROT_NONE ones too */
	PTAUDIT_P_ANON,		/* anonymous pages, copies in file mappings too */
	PTAUDIT_P_FILE,		/* neither anonymous nor backed by swap */
	PTAUDIT_P_SHMEM,	/* not anonymous, but backed by swap */
	PTAUDIT_P_ZERO,		/* the zero page, the huge zero page */
	PTAUDIT_P_SPECIAL,	/* no page that is counted: PFN maps, device memory */
	PTAUDIT_P_PTE_PAGES,	/* mapped by PTEs */
	PTAUDIT_P_PMD_PAGES,	/* mapped by PMD leaves */
	PTAUDIT_P_PUD_PAGES,	/* mapped by PUD leaves */
	PTAUDIT_P_ZERO_PMD,	/* of zero: the huge zero page, by PMD leaves */
	PTAUDIT_P_SPECIAL_PMD,	/* of special: by PMD leaves */
	PTAUDIT_P_KSM,		/* of anon: merged by KSM */
	PTAUDIT_P_MAPPED_ONCE,	/* of anon, file, shmem: nothing else maps it */
	PTAUDIT_P_ANON_ONCE,	/* of mapped_once: anon */
	PTAUDIT_P_INEXACT,	/* of anon, file, shmem: in large folios of which
				 * this kernel keeps no count for each page; never
				 * mapped_once */
	PTAUDIT_P_EXCLUSIVE,	/* of anon: PageAnonExclusive (from 5.19 on) */
	PTAUDIT_P_EXCLUSIVE_PMD, /* of exclusive: by PMD leaves */
	PTAUDIT_P_EXCLUSIVE_LARGE, /* of exclusive: in large folios, by PTEs */
	PTAUDIT_P_SWAP,		/* entries that are not present, from here on */
	PTAUDIT_P_MIGRATION,
	PTAUDIT_P_DEVICE,	/* device private, device exclusive */
	PTAUDIT_P_HWPOISON,
	PTAUDIT_P_UFFD_WP,	/* userfaultfd-wp markers */
	PTAUDIT_P_GUARD,	/* guard region markers */
	PTAUDIT_P_POISON,	/* markers of pages that cannot be had back */
	PTAUDIT_P_OTHER,
	PTAUDIT_P_ABSENT_PMD,	/* of these, from swap on: by PMD entries */
	PTAUDIT_P_HUGETLB,	/* present in hugetlb VMAs */
	PTAUDIT_P_HUGETLB_PMD,	/* of it: by PMD leaves */
	PTAUDIT_P_HUGETLB_PUD,	/* of it: by PUD leaves */
	PTAUDIT_P_HUGETLB_ANON,	/* of it: private to who maps it */
	PTAUDIT_P_HUGETLB_ONCE,	/* of it: nothing else maps it */
	PTAUDIT_P_HUGETLB_ANON_ONCE, /* of hugetlb_once: hugetlb_anon */
	PTAUDIT_P_HUGETLB_EXCLUSIVE, /* of hugetlb_anon: as exclusive */
	PTAUDIT_P_HUGETLB_UFFD_WP, /* not present: userfaultfd-wp markers */
	PTAUDIT_P_HUGETLB_OTHER, /* not present, anything else */
	PTAUDIT_NR_PAGES_KEYS
};

/*
 * A key that the kernel cannot tell (exclusive before 5.19) has no line.
 * Beside them stand `pid`, `mm`, `start`, `end`, `lock_windows`, `hold_ns_max` and
 * `walk_ns`; then, in `counts`, too, `tgid`, `tid`, `ns_pid`, `ns_tgid`, `ns_tid`,
 * `start_boottime_ns` and `start_ticks`, as in struct ptaudit_header.
 */
#define PTAUDIT_PAGES_NAMES                                                    \
	{                                                                      \
		"present", "anon", "file", "shmem", "zero", "special",         \
			"pte_pages", "pmd_pages", "pud_pages", "zero_pmd",     \
			"special_pmd", "ksm", "mapped_once", "anon_once",      \
			"inexact", "exclusive", "exclusive_pmd",               \
			"exclusive_large", "swap", "migration", "device",      \
			"hwpoison", "uffd_wp", "guard", "poison", "other",     \
			"absent_pmd", "hugetlb", "hugetlb_pmd", "hugetlb_pud", \
			"hugetlb_anon", "hugetlb_once", "hugetlb_anon_once",   \
			"hugetlb_exclusive", "hugetlb_uffd_wp",                \
			"hugetlb_other"                                        \
	}

#endif /* PTAUDIT_ABI_H */
