/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data shared by the BPF programs and their loader. Sizes and fields only: no
 * arithmetic.
 */
#ifndef PTU_BPF_SHARED_H
#define PTU_BPF_SHARED_H

#include <linux/types.h>

#define PTU_BPF_CHUNK 256  /* maximum number of tables that a run copies */
#define PTU_BPF_TABLE 4096 /* bytes of a table */
#define PTU_BPF_COMM 16
#define PTU_BPF_LIST_STEPS 8192 /* maximum number of deposits of a run */

/**
 * struct ptu_bpf_task - one task as found by the iterator
 * @found: the task exists
 * @kthread: it is a kernel thread
 * @mm: address of its mm; 0: none
 * @ctx_id: number of the mm, never reused
 * @pgd: address of its PGD
 * @stack: address of its kernel stack
 * @stack_pages: addresses of the struct pages of the stack's first two pages; 0:
 *	unknown
 * @start_boottime_ns: start time of its thread group
 * @start_ns: start time of the task, in the reader's time namespace
 * @pid: PID in the initial PID namespace
 * @tgid: TGID in the initial PID namespace
 * @tid: TID of the thread that @mm was taken from: an exited main thread has no mm
 *	while other threads still run
 * @ns_tgid: @tgid in the reader's PID namespace
 * @ns_tid: @tid in the reader's PID namespace
 */
struct ptu_bpf_task {
	__u32 found;
	__u32 kthread;
	__u64 mm;
	__u64 ctx_id;
	__u64 pgd;
	__u64 stack;
	__u64 stack_pages[2];
	__u64 start_boottime_ns;
	__u64 start_ns;
	__s32 pid;
	__s32 tgid;
	__s32 tid;
	__s32 ns_tgid;
	__s32 ns_tid;
	char comm[PTU_BPF_COMM];
};

/**
 * struct ptu_bpf_state - state of an mm, to detect that tables were added or
 *	freed
 * @error: the mm could not be read
 * @tlb_flush_pending: number of unmappings in progress
 * @mmap_lock_written: mmap_lock is held for writing
 * @ctx_id: as in struct ptu_bpf_task
 * @tlb_gen: increases before an unlinked table is freed
 * @pgtables_bytes: the mm's page-table counter
 */
struct ptu_bpf_state {
	__u32 error;
	__u32 tlb_flush_pending;
	__u64 mmap_lock_written;
	__u64 ctx_id;
	__u64 tlb_gen;
	__u64 pgtables_bytes;
};

/**
 * struct ptu_bpf_vma - a VMA as written by the iterator
 */
struct ptu_bpf_vma {
	__u64 start;
	__u64 end;
	__u64 flags;
};

/**
 * struct ptu_bpf_kernel - properties of the running kernel's types
 */
struct ptu_bpf_kernel {
	__u32 page_bytes;  /* sizeof(struct page) */
	__u32 has_tlb_gen; /* the mm has tlb_gen */
	__u32 has_markers; /* PTE markers and three kinds of migration entries */
	__u32 has_swapin_error; /* a swap type for pages that cannot be read back */
};

#endif
