/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The interface between the module and its readers: names, units and records.
 * No arithmetic on page tables here; each side has its own.
 *
 * Files in /sys/kernel/debug/ptaudit. Their mode is 0600, and CAP_SYS_ADMIN in
 * the initial user namespace is checked at open, write and read. Exceptions:
 * `geometry` is 0400 without a check; the two files of kpagemap.c are 0400 with
 * the check.
 *
 *   geometry  text: `abi N`, `page_size N`, then `level NAME shift S entries N`
 *             for each unfolded level, top first
 *   counts    write `PID`, read text, `key value` a line; touches no PTE table
 *   tables    write `PID` or `PID START END` (addresses in hex, with 0x), read
 *             struct ptaudit_header and nr_records of struct ptaudit_table;
 *             walks the address ranges of VMAs
 *   orphans   the same, but follows every entry of the user half, also outside
 *             VMAs; takes the target's mmap_lock for writing
 *   pages     write `PID` or `PID START END`, read text, `key value` a line:
 *             pages mapped in VMAs, enum ptaudit_pages_key, in base pages;
 *             the range is exact to the page
 *
 * The request belongs to the open file.  The answer is complete before its
 * first byte can be read. Further reads, also from offset 0, return the same
 * answer until the next write.  The same holds for an error, except EFAULT and
 * EINTR. Errors of write and read:
 *
 *   EINVAL  write: the request has another form or more than 79 bytes, or no
 *           thread of the process has an mm (a kernel thread, a zombie); read:
 *           there is no request
 *   EFAULT  the caller's buffer is not mapped
 *   ESRCH   no such process, or it ended before the answer was complete
 *   ESTALE  the process got another mm meanwhile (execve)
 *   EINTR   the reader got a fatal signal
 *   ENOMEM  no memory for the answer, or the limit of the reader's memory
 *           cgroup was reached, to which records are charged
 *   EFBIG   the records need more kernel memory than the module's parameter
 *           max_answer_kib allows. The default of 256 MiB is enough for about
 *           4 million records, or 8 TiB in 4 KiB pages; use a range
 *   EOVERFLOW more deposited tables than fit in @deposited of a record, on
 *           kernels without split PMD locks; `counts` has their number
 *   EPERM   the opener or the caller lacks privileges; for open also: the kernel
 *           is locked down.  debugfs still allows files of mode 0400 to be
 *           opened for reading, in 5.10 from 5.10.94 on (fs/debugfs/file.c,
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
#define PTAUDIT_H_BPF		0x4u	/* made by BPF without locks, not by the module */
#define PTAUDIT_H_PIECES	0x8u	/* by BPF: tables of different moments */

/**
 * struct ptaudit_header - the start of an answer from `tables` or `orphans`
 * @magic: PTAUDIT_MAGIC
 * @abi: PTAUDIT_ABI; a reader refuses any other
 * @header_size: sizeof(struct ptaudit_header), the offset of the records; a
 *	reader also accepts PTAUDIT_HEADER_SIZE_VER0, and refuses any other
 * @record_size: sizeof(struct ptaudit_table)
 * @nr_records: number of records that follow, up to the end of the file
 * @range_start: start of the requested range, rounded down to a PTE table's
 *	reach
 * @range_end: end of the requested range, rounded up to a PTE table's reach
 * @start_boottime_ns: start of the process (@tgid), CLOCK_BOOTTIME of the
 *	initial time namespace
 * @mm: identity of the mm, the same for all tasks that share it; never reused
 *	during a boot; never 0, otherwise opaque
 * @pgtables_bytes_before: the mm's page-table counter at the start of the walk
 * @pgtables_bytes_after: the same counter at the end of the walk
 * @clock_before_ns: CLOCK_MONOTONIC at the start of the walk
 * @clock_after_ns: CLOCK_MONOTONIC at the end of the walk
 * @hold_ns_max: longest time that mmap_lock was held: for at most 81,920
 *	entries, by `orphans` for 32,768 (LOCKING.md, "How long a hold is")
 * @lock_windows: number of times that mmap_lock was taken
 * @flags: PTAUDIT_H_*
 * @pid: the requested PID, in the initial PID namespace
 * @tgid: its thread group
 * @comm: name of the requested task
 * @start_ticks: start time of the requested task, in USER_HZ, in the reader's
 *	time namespace, as in field 22 of /proc/PID/stat
 * @tid: thread that the mm was taken from, in the initial PID namespace: the
 *	requested task, or another thread of its group if that task has exited
 * @ns_pid: @pid in the reader's PID namespace; 0 if it is not visible there
 * @ns_tgid: @tgid in the reader's PID namespace
 * @ns_tid: @tid in the reader's PID namespace
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
	PTAUDIT_RUN		/* adjacent entries of one kind, upper tables only */
};

/* ptaudit_table.kind: for a run, the kind of its entries */
enum ptaudit_kind {
	PTAUDIT_K_NONE,		/* used for tables */
	PTAUDIT_K_CHILD,	/* point to a table, which has its own record */
	PTAUDIT_K_LEAF,		/* map a huge page (PROT_NONE ones too) */
	PTAUDIT_K_SWAP,
	PTAUDIT_K_MIGRATION,
	PTAUDIT_K_UFFD_WP,	/* userfaultfd-wp marker */
	PTAUDIT_K_GUARD,	/* guard region marker */
	PTAUDIT_K_OTHER,	/* any other entry that is neither none nor present */
	PTAUDIT_K_UNWALKED,	/* not none, but outside all VMAs */
	PTAUDIT_NR_KINDS
};

/* ptaudit_table.flags */
#define PTAUDIT_T_PARTIAL	0x01u	/* only entries inside the range were counted */
#define PTAUDIT_T_MOVED		0x02u	/* replaced, or lost an entry that was followed */
#define PTAUDIT_T_HUGETLB	0x04u	/* reached through a hugetlb VMA */
#define PTAUDIT_T_PFNMAP	0x08u	/* run: its leaves lie in VM_PFNMAP VMAs */
#define PTAUDIT_T_LDT		0x10u	/* holds the LDT's mapping (KPTI) */
#define PTAUDIT_T_OUTSIDE	0x20u	/* `orphans`: no VMA reaches it in the range */

/**
 * struct ptaudit_table - one table, or one run of entries in an upper table
 * @start: first address that the table (the run) maps
 * @pfn: page frame of the table; for a run: of the table that contains it
 * @sharers: number of other places at which this table is mapped (hugetlb PMD
 *	sharing): mostly in other mms, but an mm can map a file twice
 * @level: enum ptaudit_level; for a run: level of the table that contains it
 * @type: enum ptaudit_type
 * @kind: enum ptaudit_kind; PTAUDIT_K_NONE for a table
 * @flags: PTAUDIT_T_*
 * @used: entries that are not none; for a run: its number of entries
 * @children: entries that point to a table below
 * @leaves: huge leaves; 0 in a PTE table
 * @present: present entries of a PTE table, including PROT_NONE
 * @swap: swap entries
 * @migration: migration entries
 * @uffd_wp: userfaultfd-wp markers
 * @guard: guard region markers
 * @other: other entries that are neither none nor present
 * @unwalked: entries outside all VMAs, not followed (`tables`)
 * @pfnmap: part of @present or @leaves in VM_PFNMAP VMAs
 * @deposited: PTE tables deposited with this PMD table; they have no records
 * @node: NUMA node of the table; -1: unknown, as to BPF
 * @pages: pages that the table takes
 * @reserved: 0
 *
 * In every record of a table, used = children + leaves + present + swap +
 * migration + uffd_wp + guard + other + unwalked.  Records are sorted by
 * @start, then by level, the higher one first; a table precedes its runs.
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
 * Keys of `pages`.  Unit: base pages; a huge leaf counts as many as it maps.
 * Pages mapped by hugetlb VMAs are counted only in the keys PTAUDIT_P_HUGETLB*.
 * present = anon + file + shmem + zero + special = pte_pages + pmd_pages +
 * pud_pages.
 */
enum ptaudit_pages_key {
	PTAUDIT_P_PRESENT,	/* including PROT_NONE */
	PTAUDIT_P_ANON,		/* anonymous pages, also copies in file mappings */
	PTAUDIT_P_FILE,		/* neither anonymous nor backed by swap */
	PTAUDIT_P_SHMEM,	/* not anonymous, but backed by swap */
	PTAUDIT_P_ZERO,		/* the zero page, the huge zero page */
	PTAUDIT_P_SPECIAL,	/* without a map count: PFN mappings, device memory */
	PTAUDIT_P_PTE_PAGES,	/* mapped by PTEs */
	PTAUDIT_P_PMD_PAGES,	/* mapped by PMD leaves */
	PTAUDIT_P_PUD_PAGES,	/* mapped by PUD leaves */
	PTAUDIT_P_ZERO_PMD,	/* of zero: the huge zero page, by PMD leaves */
	PTAUDIT_P_SPECIAL_PMD,	/* of special: by PMD leaves */
	PTAUDIT_P_PROTNONE_PMD,	/* of anon, file, shmem: by PMD leaves without access
				 * (PROT_NONE, NUMA balancing), on kernels whose smaps
				 * may leave them out */
	PTAUDIT_P_KSM,		/* of anon: merged by KSM */
	PTAUDIT_P_MAPPED_ONCE,	/* of anon, file, shmem: nothing else maps it */
	PTAUDIT_P_ANON_ONCE,	/* of mapped_once: anon */
	PTAUDIT_P_INEXACT,	/* of anon, file, shmem: in large folios for which
				 * this kernel keeps no count for each page; never
				 * counted in mapped_once */
	PTAUDIT_P_EXCLUSIVE,	/* of anon: PageAnonExclusive (from 5.19 on) */
	PTAUDIT_P_EXCLUSIVE_PMD, /* of exclusive: by PMD leaves */
	PTAUDIT_P_EXCLUSIVE_LARGE, /* of exclusive: in large folios, by PTEs */
	PTAUDIT_P_SWAP,		/* from here on: entries that are not present */
	PTAUDIT_P_MIGRATION,
	PTAUDIT_P_DEVICE,	/* device private, device exclusive */
	PTAUDIT_P_HWPOISON,
	PTAUDIT_P_UFFD_WP,	/* userfaultfd-wp markers */
	PTAUDIT_P_GUARD,	/* guard region markers */
	PTAUDIT_P_POISON,	/* markers of pages that cannot be read back */
	PTAUDIT_P_OTHER,
	PTAUDIT_P_ABSENT_PMD,	/* of the keys from swap on: by PMD entries */
	PTAUDIT_P_HUGETLB,	/* present in hugetlb VMAs */
	PTAUDIT_P_HUGETLB_PMD,	/* of hugetlb: by PMD leaves */
	PTAUDIT_P_HUGETLB_PUD,	/* of hugetlb: by PUD leaves */
	PTAUDIT_P_HUGETLB_ANON,	/* of hugetlb: anonymous (private copies) */
	PTAUDIT_P_HUGETLB_ONCE,	/* of hugetlb: nothing else maps the page */
	PTAUDIT_P_HUGETLB_ANON_ONCE, /* of hugetlb_once: hugetlb_anon */
	PTAUDIT_P_HUGETLB_EXCLUSIVE, /* of hugetlb_anon: PageAnonExclusive */
	PTAUDIT_P_HUGETLB_UFFD_WP, /* not present: userfaultfd-wp markers */
	PTAUDIT_P_HUGETLB_OTHER, /* not present, anything else */
	PTAUDIT_NR_PAGES_KEYS
};

/*
 * A key that the kernel does not provide (exclusive before 5.19, protnone_pmd on most
 * kernels) has no line. Further lines are `pid`, `mm`, `start`, `end`, `lock_windows`,
 * `hold_ns_max` and `walk_ns`; then, also in `counts`, `tgid`, `tid`, `ns_pid`,
 * `ns_tgid`, `ns_tid`, `start_boottime_ns` and `start_ticks`, as in struct
 * ptaudit_header.
 */
#define PTAUDIT_PAGES_NAMES                                                    \
	{                                                                      \
		"present", "anon", "file", "shmem", "zero", "special",         \
			"pte_pages", "pmd_pages", "pud_pages", "zero_pmd",     \
			"special_pmd", "protnone_pmd", "ksm", "mapped_once",   \
			"anon_once", "inexact", "exclusive", "exclusive_pmd",  \
			"exclusive_large", "swap", "migration", "device",      \
			"hwpoison", "uffd_wp", "guard", "poison", "other",     \
			"absent_pmd", "hugetlb", "hugetlb_pmd", "hugetlb_pud", \
			"hugetlb_anon", "hugetlb_once", "hugetlb_anon_once",   \
			"hugetlb_exclusive", "hugetlb_uffd_wp",                \
			"hugetlb_other"                                        \
	}

#endif /* PTAUDIT_ABI_H */
