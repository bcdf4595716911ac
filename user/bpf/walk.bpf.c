// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find an mm, copy its page tables unchanged, and follow the lists of deposited
 * tables. The loader interprets the entries.
 *
 * Kernel types are declared with the accessed fields only; libbpf relocates the
 * accesses to the running kernel's layout (CO-RE).
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "shared.h"

#define PF_KTHREAD 0x00200000  /* include/linux/sched.h, 5.17 to 7.3 */
#define RWSEM_WRITER_LOCKED 1  /* kernel/locking/rwsem.c, 5.17 to 7.3 */
#define WRITER_BIAS (1u << 30) /* include/linux/rwbase_rt.h, 5.17 to 7.3 */

#pragma clang attribute push(__attribute__((preserve_access_index)), \
			     apply_to = record)

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long counter;
} atomic_long_t;

typedef struct {
	long long counter;
} atomic64_t;

struct list_head {
	struct list_head *next;
};

struct page {
	struct list_head lru;
	struct page *pmd_huge_pte;
	atomic_t pt_share_count;
	atomic_t _refcount;
};

/* 6.6 and later: tables have a type of their own */
struct ptdesc {
	struct list_head pt_list;
	struct page *pmd_huge_pte;
	atomic_t pt_share_count;
};

struct vm_struct {
	struct page **pages;
};

/* with PREEMPT_RT */
struct rwbase_rt {
	atomic_t readers;
};

struct rw_semaphore {
	atomic_long_t count;	 /* without PREEMPT_RT */
	struct rwbase_rt rwbase; /* with it */
};

typedef struct {
	__u64 ctx_id;
	atomic64_t tlb_gen;
} mm_context_t;

struct mm_struct {
	void *pgd;
	atomic_long_t pgtables_bytes;
	struct rw_semaphore mmap_lock;
	mm_context_t context;
	atomic_t tlb_flush_pending;
	struct page *pmd_huge_pte; /* without split PMD locks */
};

struct timespec64 {
	long long tv_sec;
	long tv_nsec;
};

struct timens_offsets {
	struct timespec64 boottime;
};

struct time_namespace {
	struct timens_offsets offsets;
};

struct nsproxy {
	struct time_namespace *time_ns;
};

/* exists up to 6.1 */
struct task_rss_stat {
	int events;
};

struct task_struct {
	unsigned int flags;
	int pid;
	int tgid;
	void *stack;
	struct vm_struct *stack_vm_area;
	struct mm_struct *mm;
	struct task_struct *group_leader;
	__u64 start_boottime;
	char comm[PTU_BPF_COMM];
	struct pid *thread_pid;
	struct nsproxy *nsproxy;
	struct task_rss_stat rss_stat;
};

struct upid {
	int nr;
};

struct pid {
	unsigned int level;
	struct upid numbers[];
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_iter__task_vma {
	struct bpf_iter_meta *meta;
	struct vm_area_struct *vma;
};

enum pageflags { PG_anon_exclusive = 1 };

/* exists if CONFIG_TRANSPARENT_HUGEPAGE is set */
enum vm_event_item { THP_FAULT_ALLOC = 1 };

#pragma clang attribute pop

char LICENSE[] SEC("license") = "GPL";

/* Set by the loader before a run. */
int wanted_pid;
__u64 listed_to; /* 0; then the end of the last VMA that was written */
__u64 wanted_mm;
__u32 nr_wanted;
__u64 addresses[PTU_BPF_CHUNK]; /* tables, or their struct pages */
__u32 limits[PTU_BPF_CHUNK];	/* maximum numbers of deposits to follow */

/* Results. */
struct ptu_bpf_kernel kernel;
struct ptu_bpf_task task;
struct ptu_bpf_state before;
struct ptu_bpf_state after;
__u32 nr_faults;
__u8 faulted[PTU_BPF_CHUNK];
__u32 deposits[PTU_BPF_CHUNK];
__u32 sharers[PTU_BPF_CHUNK];
__u8 tables[PTU_BPF_CHUNK][PTU_BPF_TABLE];

/* The task's PID in the loader's PID namespace. */
static int pid_of(struct task_struct *t)
{
	struct task_struct *self = (void *)bpf_get_current_task();
	unsigned int level = BPF_CORE_READ(self, thread_pid, level);
	struct pid *pid = BPF_CORE_READ(t, thread_pid);
	int nr = 0;

	if (level > BPF_CORE_READ(pid, level))
		return 0;
	bpf_core_read(&nr, sizeof(nr),
		      (char *)pid + bpf_core_field_offset(pid->numbers) +
			      level * bpf_core_type_size(struct upid) +
			      bpf_core_field_offset(struct upid, nr));
	return nr;
}

static void note_task(struct task_struct *t)
{
	struct task_struct *self = (void *)bpf_get_current_task();
	struct task_struct *leader = BPF_CORE_READ(t, group_leader);
	struct time_namespace *time = BPF_CORE_READ(self, nsproxy, time_ns);
	struct vm_struct *area;
	struct page **pages;

	task.found = 1;
	task.kthread = !!(BPF_CORE_READ(t, flags) & PF_KTHREAD);
	task.pid = BPF_CORE_READ(t, pid);
	task.tgid = BPF_CORE_READ(t, tgid);
	task.ns_tgid = pid_of(leader);
	task.start_boottime_ns = BPF_CORE_READ(leader, start_boottime);
	task.start_ns = BPF_CORE_READ(t, start_boottime) +
			BPF_CORE_READ(time, offsets.boottime.tv_sec) *
				1000000000 +
			BPF_CORE_READ(time, offsets.boottime.tv_nsec);
	BPF_CORE_READ_STR_INTO(&task.comm, t, comm);
	task.stack = (__u64)BPF_CORE_READ(t, stack);
	task.stack_pages[0] = task.stack_pages[1] = 0;
	if (bpf_core_field_exists(t->stack_vm_area)) {
		area = BPF_CORE_READ(t, stack_vm_area);
		pages = BPF_CORE_READ(area, pages);
		bpf_probe_read_kernel(task.stack_pages,
				      sizeof(task.stack_pages), pages);
	}
}

static void note_mm(struct task_struct *t, int nr)
{
	struct mm_struct *mm = BPF_CORE_READ(t, mm);

	if (!mm)
		return;
	task.mm = (__u64)mm;
	task.ctx_id = BPF_CORE_READ(mm, context.ctx_id);
	task.pgd = (__u64)BPF_CORE_READ(mm, pgd);
	task.tid = BPF_CORE_READ(t, pid);
	task.ns_tid = nr;
}

/*
 * Note the task; if it has exited, take the mm of another thread in its group.
 */
SEC("iter/task")
int find_task(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	int nr;

	if (!t)
		return 0;
	nr = pid_of(t);
	if (nr == wanted_pid) {
		note_task(t);
		note_mm(t, nr);
	} else if (!task.mm &&
		   pid_of(BPF_CORE_READ(t, group_leader)) == wanted_pid) {
		note_mm(t, nr);
	}
	return 0;
}

/*
 * List the VMAs of the wanted mm, whichever of its tasks is shown. An iterator for all
 * tasks was seen to show no VMAs of a thread that has the files of its leader (6.18).
 *
 * If one read cannot take all VMAs, 6.18 shows the last VMA again at every further
 * read. Skip repeated VMAs: then reading ends, and each VMA is listed once even if
 * several processes have the mm.
 */
SEC("iter/task_vma")
int list_vmas(struct bpf_iter__task_vma *ctx)
{
	struct vm_area_struct *vma = ctx->vma;
	struct ptu_bpf_vma record;

	if (!vma || (__u64)vma->vm_mm != wanted_mm || vma->vm_start < listed_to)
		return 0;
	record.start = vma->vm_start;
	record.end = vma->vm_end;
	record.flags = vma->vm_flags;
	/* a VMA that did not fit is shown again at the next read */
	if (!bpf_seq_write(ctx->meta->seq, &record, sizeof(record)))
		listed_to = record.end;
	return 0;
}

static void read_state(struct ptu_bpf_state *state)
{
	struct mm_struct *mm = (void *)wanted_mm;
	unsigned int readers = 0;
	long error = 0;

	error |= BPF_CORE_READ_INTO(&state->ctx_id, mm, context.ctx_id);
	error |= BPF_CORE_READ_INTO(&state->tlb_gen, mm,
				    context.tlb_gen.counter);
	error |= BPF_CORE_READ_INTO(&state->pgtables_bytes, mm,
				    pgtables_bytes.counter);
	error |= BPF_CORE_READ_INTO(&state->tlb_flush_pending, mm,
				    tlb_flush_pending.counter);
	state->mmap_lock_written = 0;
	if (bpf_core_field_exists(mm->mmap_lock.count)) {
		error |= BPF_CORE_READ_INTO(&state->mmap_lock_written, mm,
					    mmap_lock.count.counter);
		state->mmap_lock_written &= RWSEM_WRITER_LOCKED;
	} else {
		error |= BPF_CORE_READ_INTO(&readers, mm,
					    mmap_lock.rwbase.readers.counter);
		state->mmap_lock_written = readers & WRITER_BIAS;
	}
	state->error = error != 0;
}

static long copy_table(__u32 index, void *unused)
{
	__u32 i = index & (PTU_BPF_CHUNK - 1);

	(void)unused;
	if (bpf_probe_read_kernel(tables[i], PTU_BPF_TABLE,
				  (void *)addresses[i])) {
		faulted[i] = 1;
		nr_faults++;
	} else {
		faulted[i] = 0;
	}
	return 0;
}

/* Not sleepable: BPF_PROG_TEST_RUN holds the RCU read lock during the run. */
SEC("raw_tp")
int copy_tables(void *ctx)
{
	(void)ctx;
	nr_faults = 0;
	read_state(&before);
	bpf_loop(nr_wanted, copy_table, NULL, 0);
	read_state(&after);
	return 0;
}

/* A list of deposited tables, and how far it was followed. */
struct deposit_list {
	__u64 head; /* address of the first table's link */
	__u64 at;
	__u32 nr;
};

static long follow_deposit(__u32 index, void *context)
{
	struct deposit_list *list = context;
	struct list_head *next;

	(void)index;
	if (bpf_probe_read_kernel(&next, sizeof(next), (void *)list->at))
		return 1;
	list->at = (__u64)next;
	if (list->at == list->head)
		return 1;
	list->nr++;
	return 0;
}

static __u64 link_offset(void)
{
	struct page *page = NULL;
	struct ptdesc *pt = NULL;

	return bpf_core_field_exists(page->lru) ?
		       bpf_core_field_offset(page->lru) :
		       bpf_core_field_offset(pt->pt_list);
}

static long count_deposits(__u32 index, void *unused)
{
	__u32 i = index & (PTU_BPF_CHUNK - 1);
	struct mm_struct *mm = (void *)wanted_mm;
	struct page *page = (void *)addresses[i], *first = NULL;
	struct ptdesc *pt = (void *)page;
	struct deposit_list list = {};
	__u32 limit = limits[i];
	long error;

	(void)unused;
	/*
	 * A kernel without huge pages does not initialize the field. Source: include/linux/mm.h,
	 * pmd_ptlock_init() (5.17 to 7.3).
	 */
	if (!bpf_core_enum_value_exists(enum vm_event_item, THP_FAULT_ALLOC))
		error = 0;
	/* without split PMD locks the mm has one list of deposited tables */
	else if (bpf_core_field_exists(mm->pmd_huge_pte))
		error = i ? 0 : BPF_CORE_READ_INTO(&first, mm, pmd_huge_pte);
	else if (bpf_core_field_exists(pt->pmd_huge_pte))
		error = BPF_CORE_READ_INTO(&first, pt, pmd_huge_pte);
	else
		error = BPF_CORE_READ_INTO(&first, page, pmd_huge_pte);
	if (!error && first) {
		list.head = (__u64)first + link_offset();
		list.at = list.head;
		list.nr = 1;
		bpf_loop(limit <= PTU_BPF_LIST_STEPS ? limit :
						       PTU_BPF_LIST_STEPS,
			 follow_deposit, &list, 0);
	}
	deposits[i] = list.nr;
	if (bpf_core_field_exists(pt->pt_share_count))
		error |= BPF_CORE_READ_INTO(&sharers[i], pt,
					    pt_share_count.counter);
	else if (bpf_core_field_exists(page->pt_share_count))
		error |= BPF_CORE_READ_INTO(&sharers[i], page,
					    pt_share_count.counter);
	else if (BPF_CORE_READ_INTO(&sharers[i], page, _refcount.counter))
		error = 1;
	else if (sharers[i])
		sharers[i]--; /* the page-table entry that leads here holds one reference */
	if (error)
		nr_faults++;
	return 0;
}

SEC("raw_tp")
int follow_deposits(void *ctx)
{
	(void)ctx;
	nr_faults = 0;
	read_state(&before);
	bpf_loop(nr_wanted, count_deposits, NULL, 0);
	read_state(&after);
	return 0;
}

SEC("raw_tp")
int describe_kernel(void *ctx)
{
	struct task_struct *t = NULL;
	struct mm_struct *mm = NULL;

	(void)ctx;
	kernel.page_bytes = bpf_core_type_size(struct page);
	kernel.has_tlb_gen = bpf_core_field_exists(mm->context.tlb_gen);
	kernel.has_markers = bpf_core_enum_value_exists(enum pageflags,
							PG_anon_exclusive);
	/*
	 * SWP_SWAPIN_ERROR and rss_stat were both removed in 6.2. Source:
	 * include/linux/swap.h, sched.h (6.1)
	 */
	kernel.has_swapin_error = kernel.has_markers &&
				  bpf_core_field_exists(t->rss_stat);
	return 0;
}
