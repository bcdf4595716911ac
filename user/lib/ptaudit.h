/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libptaudit: the page tables of processes, estimated and checked.
 *
 * A call that can fail returns 0 or a negative errno; ptaudit_error() then has the
 * sentence.  A handle is for one thread at a time, different handles are for any
 * threads at once.  A report does not change: any number of threads may read it, also
 * when its handle is freed.
 *
 * Each struct begins with its size, which the caller fills in.  A library that knows
 * fewer members than the caller refuses options beyond them that are not 0, and
 * fills rows up with 0; one that knows more takes the options for 0 that the caller
 * has no room for, and leaves those members of rows out.
 */
#ifndef PTAUDIT_H
#define PTAUDIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTAUDIT_API __attribute__((visibility("default")))

/* Kinds of table, from the lowest. A level that is folded has no tables. */
enum ptaudit_table_level {
	PTAUDIT_LEVEL_PTE,
	PTAUDIT_LEVEL_PMD,
	PTAUDIT_LEVEL_PUD,
	PTAUDIT_LEVEL_P4D,
	PTAUDIT_LEVEL_PGD,
	PTAUDIT_LEVELS
};

/* Who walks the real tables. */
enum ptaudit_truth {
	PTAUDIT_TRUTH_ANY, /* the module if it can be used, else BPF */
	PTAUDIT_TRUTH_MODULE,
	PTAUDIT_TRUTH_BPF,
	PTAUDIT_TRUTH_BOTH /* and each held against the other */
};

struct ptaudit;
struct ptaudit_report;

/**
 * struct ptaudit_options - what a handle reads, and how
 * @size: sizeof(struct ptaudit_options)
 * @recording: directory that ptaudit-record(8) made, instead of /proc; NULL: /proc
 * @estimator: name of an estimator; NULL: the best one that works here
 * @truth: enum ptaudit_truth, for ptaudit_check() and PTAUDIT_ASK_KERNEL
 * @reserved: 0
 */
struct ptaudit_options {
	size_t size;
	const char *recording;
	const char *estimator;
	uint32_t truth;
	uint32_t reserved;
};

#define PTAUDIT_ASK_FILL 1u /* estimate: count the entries of each PTE table */
#define PTAUDIT_ASK_KERNEL 2u /* map: the kernel's tables, not the estimate's */

/**
 * struct ptaudit_ask - what is asked of one process
 * @size: sizeof(struct ptaudit_ask)
 * @flags: PTAUDIT_ASK_*
 */
struct ptaudit_ask {
	size_t size;
	uint64_t flags;
};

/**
 * struct ptaudit_fill - how full PTE tables are
 * @tables: PTE tables
 * @counted: of these, those whose used entries were counted
 * @entries: used entries of these
 * @room: entries that these have
 * @in_class: the same tables: empty, 1 to 8 entries, 9 to 64, more, all
 * @unasked: PTE tables that may be empty: nobody looked
 */
struct ptaudit_fill {
	uint64_t tables;
	uint64_t counted;
	uint64_t entries;
	uint64_t room;
	uint64_t in_class[5];
	uint64_t unasked;
};

/**
 * struct ptaudit_process_row - a process as a whole
 * @size: sizeof(struct ptaudit_process_row)
 * @pid: the process
 * @tid: the thread that was read
 * @uid: real user
 * @sees_empty: the source sees tables that hold nothing; else @empty_tables is 0
 * @comm: name as /proc has it, which may be no UTF-8
 * @start_time: clock ticks after boot
 * @page_bytes: base page size
 * @table_bytes: memory of the tables of all levels, and of deposits
 * @vmpte_bytes: VmPTE of /proc/PID/status
 * @rss_bytes: VmRSS
 * @deposited_tables: PTE tables that wait behind huge pages
 * @empty_tables: tables of all levels that hold nothing, or only such tables
 * @unexplained: check: differences without a proven cause; 0: the sides agree
 * @residual_bytes: estimate: VmPTE less the estimate and the deposits
 * @fill: of the PTE tables
 */
struct ptaudit_process_row {
	size_t size;
	int32_t pid;
	int32_t tid;
	uint32_t uid;
	uint32_t sees_empty;
	char comm[64];
	uint64_t start_time;
	uint64_t page_bytes;
	uint64_t table_bytes;
	uint64_t vmpte_bytes;
	uint64_t rss_bytes;
	uint64_t deposited_tables;
	uint64_t empty_tables;
	uint64_t unexplained;
	int64_t residual_bytes;
	struct ptaudit_fill fill;
};

/**
 * struct ptaudit_level_row - the tables of one level
 * @size: sizeof(struct ptaudit_level_row)
 * @tables: those of the source: of a check, the kernel's
 * @bytes: their memory
 * @estimate: tables that the estimator is certain of
 * @possible: tables that may be there besides
 * @empty: tables that hold nothing, or only such tables
 * @huge_pages: check and map: huge pages that entries of the level map
 * @kernel_only: check: tables that only the kernel has
 * @estimate_only: check: tables that only the estimate has
 * @explained: check: of both, those with a proven cause
 * @in_flux: check: of both, those that came or went meanwhile
 * @unexplained: check: of both, the others
 */
struct ptaudit_level_row {
	size_t size;
	uint64_t tables;
	uint64_t bytes;
	uint64_t estimate;
	uint64_t possible;
	uint64_t empty;
	uint64_t huge_pages;
	uint64_t kernel_only;
	uint64_t estimate_only;
	uint64_t explained;
	uint64_t in_flux;
	uint64_t unexplained;
};

/**
 * struct ptaudit_mapping_row - a mapping, and the tables that are counted with it
 * @size: sizeof(struct ptaudit_mapping_row)
 * @start: first address
 * @end: address behind the last one
 * @path: as maps has it; lives as long as the report
 * @perms: "rw-p"; "" for tables in whose reach no mapping lies
 * @tables: by level; each table is counted with the first mapping in its reach
 * @possible: by level, tables that may be there besides
 * @huge_pages: huge pages
 * @fill: of the PTE tables
 */
struct ptaudit_mapping_row {
	size_t size;
	uint64_t start;
	uint64_t end;
	const char *path;
	char perms[8];
	uint64_t tables[PTAUDIT_LEVELS];
	uint64_t possible[PTAUDIT_LEVELS];
	uint64_t huge_pages;
	struct ptaudit_fill fill;
};

/**
 * struct ptaudit_cause_row - tables of one level that differ for one proven cause
 * @size: sizeof(struct ptaudit_cause_row)
 * @level: enum ptaudit_table_level
 * @reserved: 0
 * @cause: its name
 * @meaning: what it means, a clause
 * @tables: how many
 * @bytes: their memory
 * @start: lowest address of such a table
 * @end: end of the highest
 */
struct ptaudit_cause_row {
	size_t size;
	uint32_t level;
	uint32_t reserved;
	const char *cause;
	const char *meaning;
	uint64_t tables;
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
};

/**
 * struct ptaudit_difference_row - a table that differs without a proven cause
 * @size: sizeof(struct ptaudit_difference_row)
 * @level: enum ptaudit_table_level
 * @is_huge_page: not a table, but a huge page that an entry of the level maps
 * @cause: "unexplained" or "undecided"
 * @seen_by: "kernel", "estimate", "module" or "bpf"
 * @start: first address that it maps
 * @end: address behind the last one
 * @entries: used entries, where the kernel has the table
 */
struct ptaudit_difference_row {
	size_t size;
	uint32_t level;
	uint32_t is_huge_page;
	const char *cause;
	const char *seen_by;
	uint64_t start;
	uint64_t end;
	uint64_t entries;
};

#define PTAUDIT_TABLE_HUGE_PAGE \
	1u			/* not a table: an entry of the level maps it */
#define PTAUDIT_TABLE_SHARED 2u /* other places map it, too */
#define PTAUDIT_TABLE_POSSIBLE \
	4u /* the estimator cannot tell whether it is there */
#define PTAUDIT_TABLE_COUNTED 8u /* @entries is known */

/**
 * struct ptaudit_table_row - one table of a map
 * @size: sizeof(struct ptaudit_table_row)
 * @start: first address that it maps
 * @end: address behind the last one; 0: the end of the address space
 * @level: enum ptaudit_table_level
 * @flags: PTAUDIT_TABLE_*
 * @entries: used entries
 * @mapping: index for ptaudit_get_mapping(); UINT32_MAX: no mapping in its reach
 */
struct ptaudit_table_row {
	size_t size;
	uint64_t start;
	uint64_t end;
	uint32_t level;
	uint32_t flags;
	uint32_t entries;
	uint32_t mapping;
};

/**
 * ptaudit_version() - The release of the library, as "0.1".
 */
PTAUDIT_API const char *ptaudit_version(void);

/**
 * ptaudit_level_name() - "pte" to "pgd".
 *
 * Return: the name, or NULL if there is no such level.
 */
PTAUDIT_API const char *ptaudit_level_name(unsigned int level);

/**
 * ptaudit_estimator_name() - Names for struct ptaudit_options, the best last.
 *
 * Return: the name, or NULL from the number of estimators on.
 */
PTAUDIT_API const char *ptaudit_estimator_name(size_t index);

/**
 * ptaudit_new() - A handle that reads /proc with the best estimator.
 * @ret: (out) free it with ptaudit_free(); untouched on failure
 *
 * Return: 0; -ENOMEM.
 */
PTAUDIT_API int ptaudit_new(struct ptaudit **ret);

/**
 * ptaudit_free() - Free a handle; NULL is allowed.
 */
PTAUDIT_API void ptaudit_free(struct ptaudit *handle);

/**
 * ptaudit_configure() - Say what a handle reads, and how.
 * @options: (in) take the place of all that were given before; kept nowhere
 *
 * A recording is checked whole, against its manifest.  After a failure the handle is
 * as it was.
 *
 * Return: 0; -EINVAL no such estimator or truth; -E2BIG options that this library
 * does not know; -EBADMSG the recording is damaged; -errno.
 */
PTAUDIT_API int ptaudit_configure(struct ptaudit *handle,
				  const struct ptaudit_options *options);

/**
 * ptaudit_error() - What went wrong in the last call with this handle.
 *
 * Return: one sentence without full stop, "" after success; until the next call.
 */
PTAUDIT_API const char *ptaudit_error(const struct ptaudit *handle);

/**
 * ptaudit_list() - The processes that there are, ascending.
 * @pids: (out) [capacity], NULL if @capacity is 0
 * @ret_nr: (out) how many there are; those beyond @capacity were left out
 *
 * Kernel threads and zombies are among them.
 *
 * Return: 0; -errno.
 */
PTAUDIT_API int ptaudit_list(struct ptaudit *handle, pid_t *pids,
			     size_t capacity, size_t *ret_nr);

/**
 * ptaudit_estimate() - Estimate the tables of a process from /proc.
 * @ask: (in) may be NULL; PTAUDIT_ASK_FILL is allowed
 * @ret: (out) free with ptaudit_report_free(); untouched on failure
 *
 * Return: 0; -ESRCH no such process, or it ended; -EINVAL it is a kernel thread or a
 * zombie, or @ask is not valid; -EACCES it must not be read; -EAGAIN it changed in
 * each attempt; -E2BIG @ask has what this library does not know; -errno.
 */
PTAUDIT_API int ptaudit_estimate(struct ptaudit *handle, pid_t pid,
				 const struct ptaudit_ask *ask,
				 struct ptaudit_report **ret);

/**
 * ptaudit_check() - Compare the kernel's tables with the estimate.
 * @ask: (in) may be NULL; no flag is allowed
 * @ret: (out) free with ptaudit_report_free(); untouched on failure
 *
 * Return: 0, also with differences, see ptaudit_get_process(); -ENOENT, -EPERM,
 * -EACCES, -EOPNOTSUPP the kernel's side is not to be had; else as
 * ptaudit_estimate().
 */
PTAUDIT_API int ptaudit_check(struct ptaudit *handle, pid_t pid,
			      const struct ptaudit_ask *ask,
			      struct ptaudit_report **ret);

/**
 * ptaudit_map() - Each table of a process, of the estimate or of the kernel.
 * @ask: (in) may be NULL; PTAUDIT_ASK_KERNEL is allowed
 * @ret: (out) free with ptaudit_report_free(); untouched on failure
 *
 * Return: as ptaudit_estimate(), with PTAUDIT_ASK_KERNEL as ptaudit_check().
 */
PTAUDIT_API int ptaudit_map(struct ptaudit *handle, pid_t pid,
			    const struct ptaudit_ask *ask,
			    struct ptaudit_report **ret);

/**
 * ptaudit_report_free() - Free a report; NULL is allowed.
 */
PTAUDIT_API void ptaudit_report_free(struct ptaudit_report *report);

/**
 * ptaudit_get_process() - The process as a whole.
 * @row: (in, out) .size is filled in by the caller
 *
 * Return: 0; -EINVAL .size is too small for the first member behind it.
 */
PTAUDIT_API int ptaudit_get_process(const struct ptaudit_report *report,
				    struct ptaudit_process_row *row);

/**
 * ptaudit_get_level() - The tables of one level.
 * @level: (in) enum ptaudit_table_level
 *
 * Return: 0; -ENOENT there is no such level, or it is folded; -EINVAL as
 * ptaudit_get_process().
 */
PTAUDIT_API int ptaudit_get_level(const struct ptaudit_report *report,
				  unsigned int level,
				  struct ptaudit_level_row *row);

/**
 * ptaudit_get_mapping() - The mappings, by address.
 * @index: (in) from 0 on
 *
 * Return: 0; -ENOENT there are no more; -EINVAL as ptaudit_get_process().
 */
PTAUDIT_API int ptaudit_get_mapping(const struct ptaudit_report *report,
				    size_t index,
				    struct ptaudit_mapping_row *row);

/**
 * ptaudit_get_cause() - The differences with a cause, the highest level first.
 *
 * Return: as ptaudit_get_mapping(); none in other reports than a check's.
 */
PTAUDIT_API int ptaudit_get_cause(const struct ptaudit_report *report,
				  size_t index, struct ptaudit_cause_row *row);

/**
 * ptaudit_get_difference() - The differences without one.
 *
 * Return: as ptaudit_get_cause().
 */
PTAUDIT_API int ptaudit_get_difference(const struct ptaudit_report *report,
				       size_t index,
				       struct ptaudit_difference_row *row);

/**
 * ptaudit_get_table() - The tables, by address, the higher level first.
 *
 * Return: as ptaudit_get_mapping(); none in other reports than a map's.
 */
PTAUDIT_API int ptaudit_get_table(const struct ptaudit_report *report,
				  size_t index, struct ptaudit_table_row *row);

#ifdef __cplusplus
}
#endif

#endif
