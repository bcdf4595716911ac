/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libptaudit: the page tables of processes, estimated and checked.
 *
 * Functions that can fail return 0 or a negative errno; ptaudit_error() then returns a
 * sentence.  A handle may be used by one thread at a time; different handles may be
 * used by different threads at the same time.  A report never changes: any number of
 * threads may read it, even after its handle was freed.
 *
 * Each struct begins with its size, which the caller sets.  Versions of caller and
 * library may differ. An older library refuses options that it does not know unless
 * they are 0, and sets unknown members of rows to 0. A newer library treats options
 * that the caller does not know as 0, and omits unknown members of rows.
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

/* Levels of tables, from the lowest. A folded level has no tables. */
enum ptaudit_table_level {
	PTAUDIT_LEVEL_PTE,
	PTAUDIT_LEVEL_PMD,
	PTAUDIT_LEVEL_PUD,
	PTAUDIT_LEVEL_P4D,
	PTAUDIT_LEVEL_PGD,
	PTAUDIT_LEVELS
};

/* The source of the kernel's tables. */
enum ptaudit_truth {
	PTAUDIT_TRUTH_ANY, /* the module if available, else BPF */
	PTAUDIT_TRUTH_MODULE,
	PTAUDIT_TRUTH_BPF,
	PTAUDIT_TRUTH_BOTH /* both, compared with each other */
};

struct ptaudit;
struct ptaudit_report;

/**
 * struct ptaudit_options - data source of a handle
 * @size: sizeof(struct ptaudit_options)
 * @recording: directory made by ptaudit-record(8); NULL: read /proc
 * @estimator: name of an estimator; NULL: the best available one
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
#define PTAUDIT_ASK_KERNEL \
	2u /* map: the kernel's tables instead of the estimate */

/**
 * struct ptaudit_ask - parameters of a measurement
 * @size: sizeof(struct ptaudit_ask)
 * @flags: PTAUDIT_ASK_*
 */
struct ptaudit_ask {
	size_t size;
	uint64_t flags;
};

/**
 * struct ptaudit_fill - used entries of PTE tables
 * @tables: number of PTE tables
 * @counted: tables whose used entries were counted
 * @entries: used entries of the counted tables
 * @room: all entries of the counted tables
 * @in_class: counted tables: empty; 1 to 8 used entries; 9 to 64; more; full
 * @unasked: tables for which it is unknown whether they are empty
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
 * struct ptaudit_process_row - sums of a process
 * @size: sizeof(struct ptaudit_process_row)
 * @pid: the process
 * @tid: the thread that was read
 * @uid: real user ID
 * @sees_empty: the source shows empty tables; else @empty_tables is 0
 * @comm: name from /proc, possibly not valid UTF-8
 * @start_time: clock ticks after boot
 * @page_bytes: base page size
 * @table_bytes: memory of the tables of all levels, including deposited ones
 * @vmpte_bytes: VmPTE of /proc/PID/status
 * @rss_bytes: VmRSS
 * @deposited_tables: PTE tables deposited for huge pages
 * @empty_tables: tables of all levels that are empty or have only empty tables
 * @unexplained: check: differences without a proven cause; 0: the sides agree
 * @residual_bytes: estimate: VmPTE minus the estimate and the deposited tables
 * @fill: used entries of the PTE tables
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
 * @tables: tables in the source; for a check, in the kernel
 * @bytes: their memory
 * @estimate: certain tables of the estimator
 * @possible: additional tables that may exist
 * @empty: tables that are empty or have only empty tables
 * @huge_pages: check and map: huge pages mapped by entries of this level
 * @kernel_only: check: tables that only the kernel has
 * @estimate_only: check: tables that only the estimate has
 * @explained: check: these differences with a proven cause
 * @in_flux: check: these differences that were added or freed meanwhile
 * @unexplained: check: all other differences
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
 * struct ptaudit_mapping_row - a mapping and the tables counted with it
 * @size: sizeof(struct ptaudit_mapping_row)
 * @start: first address
 * @end: end, exclusive
 * @path: path as in maps; valid as long as the report
 * @perms: "rw-p"; "" for tables without a mapping in their reach
 * @tables: by level; each table is counted with the first mapping in its reach
 * @possible: by level: additional tables that may exist
 * @huge_pages: huge pages
 * @fill: used entries of the PTE tables
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
 * struct ptaudit_cause_row - tables of one level that differ for the same proven
 *	cause
 * @size: sizeof(struct ptaudit_cause_row)
 * @level: enum ptaudit_table_level
 * @reserved: 0
 * @cause: name of the cause
 * @meaning: description of the cause, a clause
 * @tables: number of tables
 * @bytes: their memory
 * @start: lowest address of such a table
 * @end: highest end of such a table
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
 * @is_huge_page: not a table, but a huge page mapped by an entry of this level
 * @cause: "unexplained" or "undecided"
 * @seen_by: "kernel", "estimate", "module" or "bpf"
 * @start: first address that it maps
 * @end: end, exclusive
 * @entries: used entries, if the kernel has the table
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
	1u /* a huge page, mapped by an entry of the level */
#define PTAUDIT_TABLE_SHARED 2u /* mapped at several places */
#define PTAUDIT_TABLE_POSSIBLE \
	4u /* the estimator cannot decide whether it exists */
#define PTAUDIT_TABLE_COUNTED 8u /* @entries is known */

/**
 * struct ptaudit_table_row - one table of a map
 * @size: sizeof(struct ptaudit_table_row)
 * @start: first address that it maps
 * @end: end, exclusive; 0: the end of the address space
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
 * Return: the name; NULL if @index is not below the number of estimators.
 */
PTAUDIT_API const char *ptaudit_estimator_name(size_t index);

/**
 * ptaudit_new() - Make a handle that reads /proc with the best estimator.
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
 * ptaudit_configure() - Set the data source of a handle.
 * @options: (in) replace all previous options; no reference is kept
 *
 * A recording is compared completely with its manifest.  After a failure the handle is
 * unchanged.
 *
 * Return: 0; -EINVAL no such estimator or truth; -E2BIG options unknown to this
 * library; -EBADMSG the recording is damaged; -errno.
 */
PTAUDIT_API int ptaudit_configure(struct ptaudit *handle,
				  const struct ptaudit_options *options);

/**
 * ptaudit_error() - Error message of the last call with this handle.
 *
 * Return: one sentence without full stop, "" after success; valid until the next
 * call.
 */
PTAUDIT_API const char *ptaudit_error(const struct ptaudit *handle);

/**
 * ptaudit_list() - List all processes, ascending.
 * @pids: (out) [capacity], NULL if @capacity is 0
 * @ret_nr: (out) number of processes, which may be larger than @capacity
 *
 * The list includes kernel threads and zombies.
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
 * zombie, or @ask is invalid; -EACCES not allowed to read it; -EAGAIN it changed during
 * each attempt; -E2BIG @ask has flags unknown to this library; -errno.
 */
PTAUDIT_API int ptaudit_estimate(struct ptaudit *handle, pid_t pid,
				 const struct ptaudit_ask *ask,
				 struct ptaudit_report **ret);

/**
 * ptaudit_check() - Compare the kernel's tables with the estimate.
 * @ask: (in) may be NULL; no flag is allowed
 * @ret: (out) free with ptaudit_report_free(); untouched on failure
 *
 * Return: 0, even with differences, see ptaudit_get_process(); -ENOENT, -EPERM,
 * -EACCES, -EOPNOTSUPP the kernel's side is not available; otherwise as
 * ptaudit_estimate().
 */
PTAUDIT_API int ptaudit_check(struct ptaudit *handle, pid_t pid,
			      const struct ptaudit_ask *ask,
			      struct ptaudit_report **ret);

/**
 * ptaudit_map() - List each table of a process, of the estimate or of the kernel.
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
 * ptaudit_get_process() - Get the sums of the process.
 * @row: (in, out) .size is set by the caller
 *
 * Return: 0; -EINVAL .size is too small to hold the first member.
 */
PTAUDIT_API int ptaudit_get_process(const struct ptaudit_report *report,
				    struct ptaudit_process_row *row);

/**
 * ptaudit_get_level() - Get the tables of one level.
 * @level: (in) enum ptaudit_table_level
 *
 * Return: 0; -ENOENT there is no such level, or it is folded; -EINVAL as
 * ptaudit_get_process().
 */
PTAUDIT_API int ptaudit_get_level(const struct ptaudit_report *report,
				  unsigned int level,
				  struct ptaudit_level_row *row);

/**
 * ptaudit_get_mapping() - Get a mapping, by address.
 * @index: (in) from 0 on
 *
 * Return: 0; -ENOENT there are no more; -EINVAL as ptaudit_get_process().
 */
PTAUDIT_API int ptaudit_get_mapping(const struct ptaudit_report *report,
				    size_t index,
				    struct ptaudit_mapping_row *row);

/**
 * ptaudit_get_cause() - Get a difference with a cause, the highest level first.
 *
 * Return: as ptaudit_get_mapping(); only reports of a check have causes.
 */
PTAUDIT_API int ptaudit_get_cause(const struct ptaudit_report *report,
				  size_t index, struct ptaudit_cause_row *row);

/**
 * ptaudit_get_difference() - Get a difference without a cause.
 *
 * Return: as ptaudit_get_cause().
 */
PTAUDIT_API int ptaudit_get_difference(const struct ptaudit_report *report,
				       size_t index,
				       struct ptaudit_difference_row *row);

/**
 * ptaudit_get_table() - Get a table, by address, the higher level first.
 *
 * Return: as ptaudit_get_mapping(); only reports of a map have tables.
 */
PTAUDIT_API int ptaudit_get_table(const struct ptaudit_report *report,
				  size_t index, struct ptaudit_table_row *row);

#ifdef __cplusplus
}
#endif

#endif
