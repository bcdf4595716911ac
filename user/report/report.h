/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The result of a command, the only input of the renderers.  Plain data, filled by
 * measure/.
 */
#ifndef PTU_REPORT_REPORT_H
#define PTU_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "module/ptaudit_abi.h"
#include "report/fill.h"

/* Causes of differences between the two sides. */
enum ptu_why {
	PTU_WHY_UNSET, /* not examined yet; never in a finished report */
	PTU_WHY_EMPTY,
	PTU_WHY_HOLLOW,
	PTU_WHY_MARKER_ONLY,
	PTU_WHY_HUGE_LEAF,
	PTU_WHY_SETTLED, /* the estimator claimed it as possible; the record shows it */
	PTU_WHY_PFNMAP,
	PTU_WHY_OUTSIDE_VMA,
	PTU_WHY_LDT,
	PTU_WHY_IN_FLUX, /* not a cause: the table was added or freed meanwhile */
	PTU_WHY_UNDECIDED, /* claimed as possible; the record does not decide it */
	PTU_WHY_UNEXPLAINED,
	PTU_NR_WHYS
};

enum ptu_status {
	PTU_STATUS_OK,	     /* measured (its tables may be unexplained) */
	PTU_STATUS_GONE,     /* ended meanwhile; not a failure with --all */
	PTU_STATUS_FAILED,   /* could not be measured: see .error */
	PTU_STATUS_UNSTABLE, /* kept changing: see .error */
	PTU_STATUS_DENIED,   /* in a group: not allowed to read its mappings */
	PTU_NR_STATUSES
};

/* The side that has a table. The last two are used if module and BPF differ. */
enum ptu_side {
	PTU_SIDE_KERNEL,
	PTU_SIDE_ESTIMATE,
	PTU_SIDE_KERNEL_MODULE,
	PTU_SIDE_KERNEL_BPF
};

/*
 * One level of one process; unit: tables.  kernel == estimate + kernel_only -
 * estimate_only, and kernel_only + estimate_only == explained + in_flux +
 * unexplained - undecided. With --truth both, differences between module and BPF
 * are added to unexplained.
 */
struct ptu_level_row {
	uint64_t kernel; /* check only */
	uint64_t kernel_bpf; /* --truth both: number by BPF; .kernel is that of the module */
	uint64_t estimate; /* == low */
	uint64_t low;
	uint64_t high;
	uint64_t kernel_only;
	uint64_t estimate_only;
	uint64_t explained;
	uint64_t in_flux;
	uint64_t undecided;
	uint64_t unexplained; /* includes undecided */
	uint64_t bytes;	      /* memory of .kernel; in estimate: of .estimate */
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
	uint64_t pfn;	  /* two records with the same PFN are one table */
	uint32_t sharers; /* other places, mostly in other processes */
	uint16_t pages;
	uint8_t level;
};

/* A table on which the sides differ without a proven cause. */
struct ptu_unexplained {
	unsigned int level;
	uint64_t start;
	uint64_t end;
	enum ptu_side side; /* the side that has it */
	enum ptu_why why;   /* PTU_WHY_UNEXPLAINED or PTU_WHY_UNDECIDED */
	bool leaf;	    /* not a table but a leaf in a table of .level */
	bool contents;	    /* both sides have it with different contents */
	uint64_t entries_estimated; /* only with .contents */
	uint64_t entries; /* used entries, if the kernel has the table */
};

/* A table on which the kernel's two walks differ; see compare/walks.h. */
struct ptu_orphan_row {
	unsigned int level;
	uint64_t start;
	uint64_t end;
	bool in_tables;	  /* found by the walk by mappings */
	bool in_orphans;  /* found by the walk of the whole user half; with
				 * .in_tables at another page frame */
	bool outside;	  /* no mapping is in its reach */
	uint64_t entries; /* used entries */
};

/* The result of check --orphans. */
struct ptu_orphans_result {
	bool done;
	uint64_t tables[PTAUDIT_NR_LEVELS]; /* found by both walks */
	uint64_t in_flux;
	struct ptu_orphan_row *unexplained; /* [nr_unexplained] */
	size_t nr_unexplained;
	uint64_t hold_ns_max; /* longest time mmap_lock was held for writing */
};

/* The result of check --truth both; the tables are in .unexplained. */
struct ptu_bpf_result {
	bool done;
	uint64_t in_flux;     /* tables that changed between the walks */
	uint64_t unexplained; /* rows of ptu_process.unexplained */
};

struct ptu_estimator_row {
	const char *name;
	char error[256]; /* reason why it has no figures, or "" */
	uint64_t low[PTAUDIT_NR_LEVELS];
	uint64_t high[PTAUDIT_NR_LEVELS];
};

/*
 * Tables counted with one mapping, in estimate by the estimator, in check by the
 * kernel. Each table and leaf is counted with the first mapping in its reach, so the
 * rows add up to all tables except the PGD.
 */
struct ptu_mapping_row {
	uint64_t start;
	uint64_t end;
	char perms[5];	  /* "": tables without a mapping in their reach */
	const char *path; /* as in maps; stored in the block of the rows */
	uint64_t low[PTAUDIT_NR_LEVELS];  /* certain tables */
	uint64_t high[PTAUDIT_NR_LEVELS]; /* certain and possible tables */
	uint64_t leaves;
	uint64_t deposited; /* PTE tables deposited for huge pages of the mapping */
	bool deposited_unsure; /* another mapping may have some of them */
	struct ptu_fill fill;  /* of the certain PTE tables */
};

struct ptu_process {
	pid_t pid;
	pid_t tid; /* thread that was read; differs from .pid if the main thread has exited */
	uid_t uid;
	char comm[64];	     /* from /proc; may be invalid UTF-8 */
	uint64_t start_time; /* clock ticks after boot, /proc/PID/stat */
	uint64_t mm;	     /* 0: unknown */
	pid_t first; /* estimate: first process with this mm; 0: unknown */
	enum ptu_status status;
	char error[512];	 /* sentence, if status is not OK */
	bool self;		 /* ptaudit itself */
	unsigned int tries;	 /* number of attempts */
	unsigned int nr_sharing; /* other listed tasks with the same mm */

	/* bit per level for which a program stated a count; 0: it named tables */
	unsigned int stated;
	struct ptu_level_row levels[PTAUDIT_NR_LEVELS];
	struct ptu_cause_row *causes; /* by level, then cause; includes in-flux */
	size_t nr_causes;
	uint64_t leaves[PTAUDIT_NR_LEVELS]; /* kernel: huge leaves by level */
	bool has_vmpte;
	uint64_t vmpte_bytes; /* VmPTE of /proc/PID/status */
	uint64_t tree_bytes;  /* PTE + PMD + PUD tables of the tree */
	uint64_t deposited_tables; /* check: counted; estimate: leaves in anonymous memory */
	uint64_t vmpte_before_bytes; /* estimate: VmPTE before the tables were read */
	bool faulted; /* estimate: there were page faults; only if residual_bytes is not 0 */
	uint64_t vmpte_unexplained_bytes; /* check: |VmPTE - tree - deposited|, VmPTE constant */
	uint64_t vmpte_in_flux_bytes; /* check: the same while VmPTE was changing */
	bool vmpte_left_span; /* ... and the sum was outside the range of its values */
	int64_t residual_bytes; /* estimate: VmPTE - estimate - deposited */
	struct ptu_estimator_row *estimators; /* all requested estimators */
	size_t nr_estimators;
	struct ptu_unexplained *unexplained; /* [nr_unexplained] */
	size_t nr_unexplained;
	struct ptu_orphans_result orphans; /* of check --orphans */
	struct ptu_bpf_result bpf;	   /* of check --truth both */
	struct ptu_shared *shared;	   /* check: [nr_shared] by address */
	size_t nr_shared;
	struct ptu_mapping_row *mappings; /* rows and paths in one allocation */
	size_t nr_mappings;
	struct ptu_fill fill; /* in estimate: of the certain PTE tables */
	uint64_t empty
		[PTAUDIT_NR_LEVELS]; /* empty tables, and tables of only empty tables */
	bool sees_empty;	     /* false: .empty is unknown */
	uint64_t rss_bytes;	     /* VmRSS */
	uint64_t anon_huge_bytes; /* 0 if smaps was not read */
};

/*
 * Sum over all measured processes. An address space that several processes have,
 * and a table that several processes map, are counted once. VmPTE counts shared
 * tables in each process: vmpte_bytes == tree_bytes + the bytes of deposited_tables
 * + again_bytes + residual_bytes.
 */
struct ptu_set {
	size_t nr_spaces; /* address spaces */
	/* the kernel's tables; in estimate: certain tables */
	uint64_t tables[PTAUDIT_NR_LEVELS];
	uint64_t bytes[PTAUDIT_NR_LEVELS];
	uint64_t tree_bytes; /* PTE + PMD + PUD tables of the trees */
	uint64_t deposited_tables;
	uint64_t vmpte_bytes;	 /* sum over the address spaces */
	uint64_t shared_tables;	 /* tables that are mapped at several places */
	uint64_t shared_outside; /* of these, also mapped outside the set */
	uint64_t counted_again;	 /* places in the set beyond the first one */
	uint64_t again_bytes;	 /* memory of counted_again */
	int64_t residual_bytes; /* 0, unless the sum of some process did not match */
};

struct ptu_report {
	bool is_check;	   /* made by check; false: by estimate */
	bool is_all;	   /* --all and similar: one row per process */
	bool require_all;  /* a process that is denied is a failure */
	bool has_orphans;  /* --orphans */
	bool has_bpf;	   /* --truth both */
	bool has_mappings; /* --mappings */
	bool has_fill;	   /* show the fill classes of PTE tables */
	bool level_unfolded[PTAUDIT_NR_LEVELS];
	uint64_t page_bytes;
	const char *estimator; /* the compared estimator */
	const char *
		truth; /* check: the kernel's side, "module", "bpf" or "both" */
	char kernel_release[65];
	char machine[65];
	char boot_id[40];
	char time[32]; /* ISO 8601, UTC */
	struct ptu_process *processes;
	size_t nr_processes;
	struct ptu_set set; /* set by ptu_set_add_up() */
	size_t nr_kthreads; /* left out: kernel threads */
	size_t nr_zombies;  /* left out: zombies */
	size_t nr_sharing;  /* left out: same mm as a listed process */
};

/**
 * ptu_why_name() - Name in JSON: "empty", "huge-leaf", ...
 */
const char *ptu_why_name(enum ptu_why why);

/**
 * ptu_why_sentence() - Description as text: a clause without full stop.
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
 * ptu_process_unexplained() - Number of findings that prevent exit status 0.
 *
 * Return: unexplained tables and leaves, tables on which the two walks of --orphans
 * differ, and 1 more if VmPTE does not match.
 */
uint64_t ptu_process_unexplained(const struct ptu_process *process);

/**
 * ptu_orphans_tables() - Tables of all levels found by both walks.
 */
uint64_t ptu_orphans_tables(const struct ptu_orphans_result *orphans);

/**
 * ptu_process_bpf_tables() - Tables of all levels by BPF, for --truth both.
 */
uint64_t ptu_process_bpf_tables(const struct ptu_process *process);

/**
 * ptu_process_table_bytes() - Memory of the tables of all levels and of deposits.
 */
uint64_t ptu_process_table_bytes(const struct ptu_report *report,
				 const struct ptu_process *process);

/**
 * ptu_process_unseen_bytes() - The part of VmPTE that the estimate does not account for,
 *	even if all possible tables exist; 0 if it is negative.
 */
uint64_t ptu_process_unseen_bytes(const struct ptu_process *process,
				  uint64_t page_bytes);

/**
 * ptu_set_table_bytes() - Memory of the tables of all processes, each table once.
 */
uint64_t ptu_set_table_bytes(const struct ptu_report *report);

/**
 * ptu_mapping_has_any() - Is any table or leaf counted with the mapping?
 */
bool ptu_mapping_has_any(const struct ptu_mapping_row *row);

/**
 * ptu_mapping_name() - Path of the mapping, or a word for its kind.
 */
const char *ptu_mapping_name(const struct ptu_mapping_row *row);

/**
 * ptu_process_empty() - Tables that are empty or contain only empty tables.
 */
uint64_t ptu_process_empty(const struct ptu_process *process);

/**
 * ptu_report_with() - Number of processes with a status.
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
