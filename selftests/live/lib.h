/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the live tests share.  Expected tables come from addresses alone
 * (lib_expect.c) and never from anything that ptaudit says; of ptaudit's own
 * code only the ABI header is used.
 *
 * The checks print each difference as a `# ` line and return how many there
 * are, so that a test can assert 0 and a test of the checks can assert more.
 */
#ifndef LIVE_LIB_H
#define LIVE_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../module/ptaudit_abi.h"

#define KIB 1024UL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

/* x86-64's geometry, written down here once more on purpose. */
#define PAGE (4 * KIB)
#define HUGE (2 * MIB)

/* Settings of transparent huge pages. */
#define THP "/sys/kernel/mm/transparent_hugepage/"

/* Where layouts are built: far from all else, and the start of a PUD table. */
#define FAR (16 * TIB)

/* First address behind user space.  Source: TASK_SIZE_MAX, arch/x86. */
#define TOP_4_LEVELS ((1UL << 47) - PAGE)
#define TOP_5_LEVELS ((1UL << 56) - PAGE)

/* Source: include/uapi/asm-generic/mman-common.h (6.1) */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* The harness's 30 s are few where several emulated machines share a CPU. */
#ifdef TEST_TIMEOUT_DEFAULT
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 120
#endif

/* lib_system.c: the machine, as others than ptaudit describe it */

struct system {
	char release[65];
	unsigned int version; /* major * 1000 + minor */
	unsigned int levels;
	bool pti;
};

const struct system *live_system(void);

/* Is this the kernel, with the levels and the KPTI state, that was booted? */
int live_check_environment(void);

/* The start of a file; "" where it cannot be read. */
const char *live_file(const char *path, char *text, size_t text_bytes);
int live_set(const char *path, const char *text);
/* Sum of a field of smaps over the VMAs inside; kB. */
uint64_t live_smaps_kib(pid_t pid, const char *field, uint64_t start,
			uint64_t end);
uint64_t live_vmpte_bytes(pid_t pid);
/* Flags of a page frame; 0 where they cannot be read. */
uint64_t live_page_flags(uint64_t pfn);
/* How many times slower than a stock kernel this one may be. */
unsigned int live_time_factor(void);
/* Or does it count the ticks of a timer? */
bool live_clock_counts_ns(void);
/* CLOCK_MONOTONIC, and so many seconds from now; more of them on slow kernels. */
uint64_t live_now_ns(void);
uint64_t live_deadline_ns(unsigned int seconds);
void live_quiet(bool quiet);
void live_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* lib_module.c: what the module says */

struct answer {
	struct ptaudit_header header;
	struct ptaudit_table *records;
	size_t nr_records;
};

struct counts {
	uint64_t pid, mm;
	uint64_t tables[PTAUDIT_NR_LEVELS];
	uint64_t leaves[PTAUDIT_NR_LEVELS];
	uint64_t deposited, pgtables_bytes, lock_windows, hold_ns_max, walk_ns;
	uint64_t tgid, tid, ns_pid, ns_tgid, ns_tid;
	uint64_t start_boottime_ns, start_ticks;
};

#define LIVE_DEBUGFS "/sys/kernel/debug/ptaudit/"

/* Each returns 0 or -errno of the call that failed. */
int live_request(int fd, const char *request);
int live_request_pid(int fd, pid_t pid);
/* The text of a request; @end 0: of the whole process. */
#define LIVE_REQUEST 64
void live_make_request(char text[LIVE_REQUEST], pid_t pid, uint64_t start,
		       uint64_t end);
int live_answer(int fd, struct answer *ret);
int live_tables(pid_t pid, struct answer *ret);
/* The same from `orphans`, which follows what no VMA covers, too. */
int live_orphans(pid_t pid, struct answer *ret);
int live_counts_fd(int fd, struct counts *ret);
int live_counts(pid_t pid, struct counts *ret);
/* How often mmap_lock was taken for an answer, by what any file says of it. */
int live_lock_windows(const char *file, const char *request, uint64_t *ret);
/* For how long at most, in all answers that were so read since the last call. */
uint64_t live_longest_hold_ns(void);
/* The same from a descriptor that others move: all in one pread(). */
int live_answer_at_once(int fd, char *data, size_t room, struct answer *ret);
void live_answer_deinit(struct answer *answer);
/* Tables of a level that start in [start, end). */
size_t live_nr_tables(const struct answer *answer, unsigned int level,
		      uint64_t start, uint64_t end);
/* Whole answers that this program has read so far, its children included. */
uint64_t live_nr_answers(void);

/* Numbers of tables outside [start, end) that hold nothing at all. */
void live_count_empty_outside(const struct answer *answer, uint64_t start,
			      uint64_t end, uint64_t nr[PTAUDIT_NR_LEVELS]);

/* lib_expect.c: what has to be there */

struct expect {
	uint64_t start, end; /* tables that lie inside are expected */
	void *tables;
	size_t nr[PTAUDIT_NR_LEVELS];
	uint64_t leaf_bytes;
	uint64_t deposited;
	/* Tables that hold no page, which pagemap cannot show. */
	uint64_t empty[PTAUDIT_NR_LEVELS];
	/* Tables whose entries are all such that pagemap leaves them out. */
	uint64_t marker_only[PTAUDIT_NR_LEVELS];
	uint8_t flags; /* of the tables that are made next */
	/* Allocated by a fault that waits: in no tree, nor in VmPTE. */
	uint64_t at_hand;
	/* Where leaves are that lie in VM_PFNMAP mappings. */
	struct {
		uint64_t start, end;
	} pfn_leaves[4];
	size_t nr_pfn_leaves;
	/* With such leaves: tables in which nothing but PFN maps is. */
	uint64_t pfnmap_only[PTAUDIT_NR_LEVELS];
};

void expect_init(struct expect *expect, uint64_t start, uint64_t end);
void expect_deinit(struct expect *expect);
uint64_t expect_reach(unsigned int level);
/* A table, and those above it; no entry of its own. */
struct ptaudit_table *expect_table(struct expect *expect, unsigned int level,
				   uint64_t addr);
/* Present pages; each page is named once. */
void expect_pages(struct expect *expect, uint64_t start, uint64_t end);
/* PTE tables with nothing in them. */
void expect_empty(struct expect *expect, uint64_t start, uint64_t end);
/* Entries of PTE tables that are not present; which member counts them. */
void expect_entries(struct expect *expect, uint64_t start, uint64_t end,
		    size_t member);
/* Present pages that only their frame numbers describe (VM_PFNMAP). */
void expect_pfnmap(struct expect *expect, uint64_t start, uint64_t end);
/* No table of the layout holds anything: the upper ones are hollow. */
void expect_all_hollow(struct expect *expect);
/* PMD leaves, each with a deposited PTE table or without. */
void expect_leaves(struct expect *expect, uint64_t start, uint64_t end,
		   bool deposited);
/* Leaves of a PMD or PUD table that only page frame numbers describe. */
void expect_pfn_leaves(struct expect *expect, unsigned int level,
		       uint64_t start, uint64_t end);
int expect_compare(const struct expect *expect, const struct answer *answer);

/* lib_witness.c: what else has to agree */

int live_check_records(const struct answer *answer);
int live_check_page_flags(const struct answer *answer);
/* Does the kernel flag tables of this level as such? */
bool live_has_page_type(unsigned int level);
int live_check_vmpte(pid_t pid, const struct answer *answer);
int live_check_counts(pid_t pid, const struct answer *answer);

/* lib_orphans.c: the walk by VMAs against the one that follows every entry */

/*
 * Both answers have the same tables with the same in them, but for entries that
 * are unwalked in @tables; those are followed in @orphans, and marked.  Returns
 * also how many tables are so marked.
 */
int live_compare_walks(const struct answer *tables,
		       const struct answer *orphans, uint64_t *ret_outside);
/* At rest: no table is outside, and VmPTE is met by both walks. */
int live_check_orphans(pid_t pid, const struct answer *tables);

/* lib_memcg.c: the memory cgroup that tables are charged to */

struct memcg {
	uint64_t number; /* in its name; 0: there is none */
	uint64_t inode;
	uint64_t at_hand; /* tables that faults hold, which are in no tree */
};

bool memcg_is_there(void);
/* As fork(), or -errno: the child is all that is in a new cgroup. */
pid_t memcg_fork(struct memcg *memcg);
void memcg_remove(struct memcg *memcg);
/* Charged to it: up to 64 pages more than are in use for each CPU (MEMCG_CHARGE_BATCH). */
uint64_t memcg_bytes(const struct memcg *memcg);
int live_check_memcg(const struct memcg *memcg, pid_t pid,
		     const struct answer *answer);

/* lib_tool.c: what the tool says */

struct tool_run {
	int status; /* exit status; -1 if it did not exit */
	char *out, *err;
};

int live_run(char *const argv[], struct tool_run *ret);
void live_run_deinit(struct tool_run *run);
const char *live_tool(void);
/*
 * `ptaudit check --json PID`: exit status, totals, counts.  Causes are those of
 * the estimator pagemap; where another is the default, one more run is by it.
 */
int live_check_tool(pid_t pid, const struct expect *expect, bool pagemap_too);

/* lib_target.c: the process that is looked at */

struct shape;

struct target {
	pid_t child;	    /* ours */
	pid_t pid;	    /* the one to look at: child, or one of its own */
	struct memcg memcg; /* where they live */
};

/* Returns the PID to look at (0: the caller's own), or -errno. */
typedef pid_t (*live_build)(const struct shape *shape);

/* 0, or -errno of what could not be built. */
int target_start(struct target *target, live_build build,
		 const struct shape *shape);
void target_stop(struct target *target);

/*
 * For builders; each ends the process with its errno where the kernel does
 * not do as asked.
 */
char *live_map(uint64_t start, uint64_t bytes, int flags);
char *live_map_fd(uint64_t start, uint64_t bytes, int prot, int flags, int fd);
/*
 * Private and anonymous, of small pages: else the machine's setting would
 * decide about the layout.
 */
void live_map_small(uint64_t start, uint64_t bytes);
/* A child that touches the pages, and then holds still. */
pid_t live_fork(uint64_t start, uint64_t end);
void live_touch(uint64_t start, uint64_t end);
/* Writes to a page; false where the kernel answers with SIGBUS. */
bool live_try_touch(uint64_t addr);
/*
 * The memory of these pages fails; nobody may touch them again.  Their page
 * frames are lost until the next boot.
 */
void live_fail_memory(uint64_t start, uint64_t end);
/* A page each so many bytes. */
void live_touch_each(uint64_t start, uint64_t end, uint64_t stride);
/* Leaves that need no memory: the huge page of zeros, each so many bytes. */
void live_map_zeros(uint64_t start, uint64_t end, uint64_t stride);
/* MADV_COLLAPSE, asked again for as long as somebody holds one of the pages. */
void live_collapse(uint64_t start, uint64_t bytes);
void live_must(long ret);
void live_must_be(bool as_expected, const char *what);
/* A command that has to succeed. */
void live_must_run(char *const argv[]);

/* lib_swap.c: swap; all but live_swap_off() are for builders */

/* A disk of 128 MiB in memory, its content as an earlier test left it. */
const char *live_disk(void);
/* Swap on that disk; the caller then runs on one CPU. */
void live_swap_on(void);
void live_swap_off(void);
/* Private or shared pages go out, all of them and no other of the process. */
void live_page_out(uint64_t start, uint64_t end);

/* lib_trace.c: the kernel's tracepoints */

#define LIVE_TRACING "/sys/kernel/tracing/"

/* Each returns 0, or what is not 0 where the kernel refuses. */
int live_trace_mount(void);
/* @events: a directory of LIVE_TRACING.  Nothing is traced before live_trace(). */
int live_trace_begin(const char *events, const char *filter);
/* On: with an empty trace.  Off: it can be read. */
int live_trace(bool on);
void live_trace_end(const char *events);

/* lib_wait.c: processes that wait for a lock; each waits for 20 s at most */

/* What is needed to hold an mmap_lock, or NULL. */
const char *live_lock_missing(void);
/* Holds the process's mmap_lock for writing; 0: gives it back. Or -errno. */
int live_lock_mm(pid_t pid);
/* Whose is held; 0: none. */
pid_t live_locked_mm(void);

/* The same three for one lock or the other. */
struct live_lock {
	const char *(*missing)(void);
	int (*hold)(pid_t pid);
	pid_t (*held)(void);
};

/*
 * The LDT's lock is taken by the module under KPTI alone.  The file's is the
 * i_mmap_rwsem of the first hugetlb file that the process maps.
 */
extern const struct live_lock live_mmap_lock, live_ldt_lock, live_file_lock;
/* Is the process asleep in this system call? */
bool live_sleeps_in(pid_t pid, long call);
/* Does it sleep where no signal wakes it? */
bool live_waits_for_lock(pid_t pid);
/*
 * Kills the process while its mmap_lock is held, and has a child make a call that reads,
 * and waits behind it.  Returns what the call returned, or -1: it was not so.
 */
int live_read_behind_end(pid_t pid, int (*call)(const void *arg),
			 const void *arg);
/* Has the child ended, and is no more? */
bool live_ends(pid_t pid, int *status);

/* lib_ksm.c: KSM */

/* For builders: waits until so many pages of the process are merged. */
void live_merge(uint64_t start, uint64_t end, uint64_t nr);
void live_ksm_off(void);

/* lib_leaves.c: huge leaves in VM_PFNMAP mappings, from a device of hold/ */

/* For builders.  Nothing is there but leaves: a fault makes one, or fails. */
void live_map_pfn_pmds(uint64_t start, uint64_t bytes);
void live_map_pfn_puds(uint64_t start, uint64_t bytes);
/* Does this kernel make no PUD leaf there? NULL: it does. */
const char *live_pfn_puds_missing(void);

/* lib_uffd.c: userfaultfd */

/* A userfaultfd with these features, or -1 where the kernel lacks one. */
int live_uffd(uint64_t features);
/* Both are for builders; closing the descriptor takes it all away. */
void live_uffd_register(int fd, uint64_t start, uint64_t bytes, uint64_t mode);
void live_uffd_protect(int fd, uint64_t start, uint64_t bytes, bool protect);
/* Markers of pages that cannot be had back; in a registered range. */
void live_uffd_poison(int fd, uint64_t start, uint64_t bytes);
/* A userfaultfd that may do that, or -1. */
int live_uffd_for_poison(void);
/* What the kernel lacks for it; NULL: nothing. */
const char *live_uffd_poison_missing(void);

#endif
