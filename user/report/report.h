/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a command found out: the only thing that the renderers see.  Plain
 * data, filled by measure.c and survey.c.
 */
#ifndef PTU_REPORT_REPORT_H
#define PTU_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "module/ptaudit_abi.h"
#include "report/fill.h"

/* Why a table that the two sides differ on is no contradiction. */
enum ptu_why {
	PTU_WHY_UNSET, /* not looked at yet; never left in a report */
	PTU_WHY_EMPTY,
	PTU_WHY_HOLLOW,
	PTU_WHY_MARKER_ONLY,
	PTU_WHY_HUGE_LEAF,
	PTU_WHY_SETTLED, /* the estimator said possible, the record shows a table */
	PTU_WHY_PFNMAP,
	PTU_WHY_OUTSIDE_VMA,
	PTU_WHY_LDT,
	PTU_WHY_IN_FLUX, /* not a cause: the table came or went while measured */
	PTU_WHY_UNDECIDED, /* possible, and the record does not settle it */
	PTU_WHY_UNEXPLAINED,
	PTU_NR_WHYS
};

enum ptu_status {
	PTU_STATUS_OK,	     /* measured (its tables may be unexplained) */
	PTU_STATUS_GONE,     /* ended meanwhile; no failure under --all */
	PTU_STATUS_FAILED,   /* could not be measured: .error says why */
	PTU_STATUS_UNSTABLE, /* would not hold still: .error says how */
	PTU_STATUS_DENIED,   /* of a group: its mappings must not be read */
	PTU_NR_STATUSES
};

/* Who sees a table; the last two where module and BPF differ on it. */
enum ptu_side {
	PTU_SIDE_KERNEL,
	PTU_SIDE_ESTIMATE,
	PTU_SIDE_KERNEL_MODULE,
	PTU_SIDE_KERNEL_BPF
};

/* One level of one process; the unit is tables.  kernel == estimate +
 * kernel_only - estimate_only, and kernel_only + estimate_only == explained +
 * in_flux + unexplained - undecided, unless module and BPF differ: what each of
 * them has of such tables is in unexplained, too. */
struct ptu_level_row {
	uint64_t kernel; /* check only */
	uint64_t kernel_bpf; /* --truth both: by BPF, where .kernel is the module's */
	uint64_t estimate; /* == low */
	uint64_t low;
	uint64_t high;
	uint64_t kernel_only;
	uint64_t estimate_only;
	uint64_t explained;
	uint64_t in_flux;
	uint64_t undecided;
	uint64_t unexplained; /* undecided ones are counted here too */
	uint64_t bytes; /* of the kernel's tables; in estimate: of .estimate */
};

struct ptu_cause_row {
	enum ptu_why why;
	unsigned int level;
	uint64_t tables;
	uint64_t bytes;
	uint64_t start; /* lowest address of such a table */
	uint64_t end;	/* end of the highest */
};

/* A table that is mapped at other places too: hugetlb PMD sharing. */
struct ptu_shared {
	uint64_t start;
	uint64_t end;
	uint64_t pfn;	  /* what tells whether two of them are one */
	uint32_t sharers; /* other places, mostly in other processes */
	uint16_t pages;
	uint8_t level;
};

/* A table on which the sides differ without a proven cause. */
struct ptu_unexplained {
	unsigned int level;
	uint64_t start;
	uint64_t end;
	enum ptu_side side; /* who sees it */
	enum ptu_why why;   /* PTU_WHY_UNEXPLAINED or PTU_WHY_UNDECIDED */
	bool leaf;	    /* not a table but a leaf in a table of .level */
	bool contents;	    /* both sides have it, with other contents */
	uint64_t entries_estimated; /* with .contents */
	uint64_t entries; /* used entries, where the kernel has the table */
};

/* A table on which the kernel's two walks differ; see orphans.h. */
struct ptu_orphan_row {
	unsigned int level;
	uint64_t start;
	uint64_t end;
	bool in_tables;	  /* the walk by mappings has it */
	bool in_orphans;  /* the walk of the whole user half has it; with
				 * .in_tables in another page frame */
	bool outside;	  /* no mapping reaches it */
	uint64_t entries; /* used ones */
};

/* What check --orphans found. */
struct ptu_orphans_result {
	bool done;
	uint64_t tables[PTAUDIT_NR_LEVELS]; /* that both walks have */
	uint64_t in_flux;
	struct ptu_orphan_row *unexplained; /* [nr_unexplained] */
	size_t nr_unexplained;
	uint64_t hold_ns_max; /* longest time mmap_lock was held for writing */
};

/* What check --truth both found; .unexplained has the tables. */
struct ptu_bpf_result {
	bool done;
	uint64_t in_flux;     /* tables that came or went between the walks */
	uint64_t unexplained; /* rows of ptu_process.unexplained */
};

struct ptu_estimator_row {
	const char *name;
	char error[256]; /* why it has no figures, or "" */
	uint64_t low[PTAUDIT_NR_LEVELS];
	uint64_t high[PTAUDIT_NR_LEVELS];
};

/* What an estimate, in check the kernel, counts with one mapping: each table and leaf with the first
 * mapping that lies in its reach, so that the rows add up to all but the PGD. */
struct ptu_mapping_row {
	uint64_t start;
	uint64_t end;
	char perms[5];	  /* "": tables in whose reach no mapping lies */
	const char *path; /* as maps has it; in the block of the rows */
	uint64_t low[PTAUDIT_NR_LEVELS];  /* certain tables */
	uint64_t high[PTAUDIT_NR_LEVELS]; /* ... and those that may be there */
	uint64_t leaves;
	struct ptu_fill fill; /* of the certain PTE tables */
};

struct ptu_process {
	pid_t pid;
	pid_t tid; /* thread that was read; not .pid where the main one has exited */
	uid_t uid;
	char comm[64];	     /* as /proc says; may be no valid UTF-8 */
	uint64_t start_time; /* clock ticks after boot, /proc/PID/stat */
	uint64_t mm;	     /* 0: not known */
	enum ptu_status status;
	char error[512];	 /* sentence, where status is not OK */
	bool self;		 /* ptaudit itself */
	unsigned int tries;	 /* brackets that were needed */
	unsigned int nr_sharing; /* further listed tasks with the same mm */

	/* bits of the levels that a program stated a count of; 0: it named tables */
	unsigned int stated;
	struct ptu_level_row levels[PTAUDIT_NR_LEVELS];
	struct ptu_cause_row *causes; /* by level then why; in flux too */
	size_t nr_causes;
	uint64_t leaves[PTAUDIT_NR_LEVELS]; /* kernel: huge leaves by level */
	bool has_vmpte;
	uint64_t vmpte_bytes; /* VmPTE as /proc/PID/status has it */
	uint64_t tree_bytes;  /* PTE + PMD + PUD tables of the tree */
	uint64_t deposited_tables; /* check: counted; estimate: leaves in anonymous memory */
	uint64_t vmpte_before_bytes; /* estimate: VmPTE before the tables were read */
	bool faulted; /* estimate: page faults since, where residual_bytes is not 0 */
	uint64_t vmpte_unexplained_bytes; /* check: |VmPTE - tree - deposited|, VmPTE at rest */
	uint64_t vmpte_in_flux_bytes; /* check: the same while the kernel's counter moved */
	bool vmpte_left_span;	/* ... and the sum met no value that it had */
	int64_t residual_bytes; /* estimate: VmPTE - estimate - deposited */
	struct ptu_estimator_row *estimators; /* all that were asked for */
	size_t nr_estimators;
	struct ptu_unexplained *unexplained; /* [nr_unexplained] */
	size_t nr_unexplained;
	struct ptu_orphans_result orphans; /* check --orphans */
	struct ptu_bpf_result bpf;	   /* check --truth both */
	struct ptu_shared *shared;	   /* check: [nr_shared] by address */
	size_t nr_shared;
	struct ptu_mapping_row *mappings; /* all, one block */
	size_t nr_mappings;
	struct ptu_fill fill; /* in estimate: of the certain PTE tables */
	uint64_t empty[PTAUDIT_NR_LEVELS]; /* hold nothing, or only such tables */
	bool sees_empty;		   /* else nothing is known of .empty */
	uint64_t rss_bytes;		   /* VmRSS */
	uint64_t anon_huge_bytes;	   /* 0 where smaps was not read */
};

/*
 * The tables of all processes that were measured, each once: an address space
 * that several of them have, and a table that several of them map.  VmPTE has
 * the latter in each: vmpte_bytes == tree_bytes + the bytes of deposited_tables
 * + again_bytes + residual_bytes.
 */
struct ptu_set {
	size_t nr_spaces; /* address spaces */
	/* of the kernel; in estimate: that the estimator is certain of */
	uint64_t tables[PTAUDIT_NR_LEVELS];
	uint64_t bytes[PTAUDIT_NR_LEVELS];
	uint64_t tree_bytes; /* PTE + PMD + PUD tables of the trees */
	uint64_t deposited_tables;
	uint64_t vmpte_bytes;	 /* sum over the address spaces */
	uint64_t shared_tables;	 /* tables that are mapped elsewhere too */
	uint64_t shared_outside; /* of these, by processes not in the set too */
	uint64_t counted_again; /* their places in the set but the first of each */
	uint64_t again_bytes;	/* memory that these would take */
	int64_t residual_bytes; /* 0, unless a process's own sum did not close */
};

struct ptu_report {
	bool is_check;	   /* else estimate */
	bool is_all;	   /* --all and the like: a row a process */
	bool require_all;  /* a process that is denied is a failure */
	bool has_orphans;  /* --orphans */
	bool has_bpf;	   /* --truth both */
	bool has_mappings; /* --mappings */
	bool has_fill;	   /* the classes of PTE tables are shown, too */
	bool level_unfolded[PTAUDIT_NR_LEVELS];
	uint64_t page_bytes;
	const char *estimator; /* the one that is compared */
	const char *
		truth; /* check: the kernel's side, "module", "bpf" or "both" */
	char kernel_release[65];
	char machine[65];
	char boot_id[40];
	char time[32]; /* ISO 8601, UTC */
	struct ptu_process *processes;
	size_t nr_processes;
	struct ptu_set set; /* filled in by ptu_set_add_up() */
	size_t nr_kthreads; /* left out: kernel threads have no tables */
	size_t nr_zombies;  /* left out: tables already freed */
	size_t nr_sharing;  /* left out: share the mm of a listed one */
};

/**
 * ptu_why_name() - "empty", "huge-leaf", ... as JSON has it.
 */
const char *ptu_why_name(enum ptu_why why);

/**
 * ptu_why_sentence() - What it means, for people: a clause without full stop.
 */
const char *ptu_why_sentence(enum ptu_why why);

/**
 * ptu_seen_by() - "kernel", "estimate", "module", "bpf".
 */
const char *ptu_seen_by(enum ptu_side side);

/**
 * ptu_status_name() - "ok", "gone", "failed", "unstable", "denied".
 */
const char *ptu_status_name(enum ptu_status status);

/**
 * ptu_process_unexplained() - What keeps the process from exit status 0.
 *
 * Return: unexplained tables and leaves, those on which the two walks of
 * --orphans differ, and 1 more if VmPTE does not close.
 */
uint64_t ptu_process_unexplained(const struct ptu_process *process);

/**
 * ptu_orphans_tables() - Tables of all levels that both walks have.
 */
uint64_t ptu_orphans_tables(const struct ptu_orphans_result *orphans);

/**
 * ptu_process_bpf_tables() - Tables of all levels by BPF, --truth both.
 */
uint64_t ptu_process_bpf_tables(const struct ptu_process *process);

/**
 * ptu_process_table_bytes() - Table memory: tables of all levels and deposits.
 */
uint64_t ptu_process_table_bytes(const struct ptu_report *report,
				 const struct ptu_process *process);

/**
 * ptu_set_table_bytes() - The same of all processes, each table once.
 */
uint64_t ptu_set_table_bytes(const struct ptu_report *report);

/**
 * ptu_mapping_has_any() - Is any table or leaf counted with the mapping?
 */
bool ptu_mapping_has_any(const struct ptu_mapping_row *row);

/**
 * ptu_mapping_name() - Its path, or a word for what it is.
 */
const char *ptu_mapping_name(const struct ptu_mapping_row *row);

/**
 * ptu_process_empty() - Tables that hold nothing, or only such tables.
 */
uint64_t ptu_process_empty(const struct ptu_process *process);

/**
 * ptu_report_with() - How many processes have that status?
 */
size_t ptu_report_with(const struct ptu_report *report, enum ptu_status status);

/**
 * ptu_report_status() - Exit status of the command that made the report.
 *
 * Return: 0, 1 or 2 as in ptaudit(8).
 */
int ptu_report_status(const struct ptu_report *report);

/**
 * ptu_process_deinit() - Free the arrays of a process.
 */
void ptu_process_deinit(struct ptu_process *process);

void ptu_report_deinit(struct ptu_report *report);

#endif
