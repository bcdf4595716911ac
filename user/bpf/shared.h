/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs and their loader lay into the same memory.  Sizes and
 * fields only: no arithmetic.
 */
#ifndef PTU_BPF_SHARED_H
#define PTU_BPF_SHARED_H

#include <linux/types.h>

#define PTU_BPF_CHUNK 256  /* tables that one program run copies, at most */
#define PTU_BPF_TABLE 4096 /* bytes of a table */
#define PTU_BPF_COMM 16
#define PTU_BPF_LIST_STEPS \
	8192 /* deposits that one program run follows, at most */

/**
 * struct ptu_bpf_task - what the iterator found of one task
 * @found: the task is there
 * @kthread: it is a kernel thread
 * @mm: address of its mm; 0: none
 * @ctx_id: number of the mm that no other mm has had or will have
 * @pgd: address of its PGD
 * @stack: address of its kernel stack
 * @stack_pages: addresses of the struct pages of the stack's first two pages; 0: not
 *	known
 * @start_boottime_ns: when its thread group started
 * @start_ns: when it started itself, in the reader's time namespace
 * @pid: in the initial PID namespace
 * @tgid: likewise
 * @tid: likewise, of the thread that .mm was found through: a main thread that exited
 *	has none, while others go on
 * @ns_tgid: .tgid in the reader's PID namespace
 * @ns_tid: .tid likewise
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
 * struct ptu_bpf_state - an mm at one moment: whether tables came or went
 * @error: the mm could not be read
 * @tlb_flush_pending: unmappings that are under way
 * @mmap_lock_written: mmap_lock is held for writing
 * @ctx_id: as in struct ptu_bpf_task
 * @tlb_gen: rises before a table that was unlinked is freed
 * @pgtables_bytes: the mm's own counter
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
 * struct ptu_bpf_vma - a VMA, as the iterator writes it
 */
struct ptu_bpf_vma {
	__u64 start;
	__u64 end;
	__u64 flags;
};

/**
 * struct ptu_bpf_kernel - what this kernel's types are like
 */
struct ptu_bpf_kernel {
	__u32 page_bytes;  /* sizeof(struct page) */
	__u32 has_tlb_gen; /* the mm says when tables are freed */
	__u32 has_markers; /* PTE markers and three kinds of migration entries */
	__u32 has_swapin_error; /* ... and a swap type for pages that cannot be had back */
};

#endif
