/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the module's files. */
#ifndef LIVE_MODULE_H
#define LIVE_MODULE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../../module/ptaudit_abi.h"

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

/* A variant of a fixture for a file of the module, which the variant's .path names. */
#define LIVE_FILE_VARIANT(fixture, name, file, ...)    \
	FIXTURE_VARIANT_ADD(fixture, name)             \
	{                                              \
		.path = LIVE_DEBUGFS file, __VA_ARGS__ \
	}

/* Each returns 0, or -errno of the call that failed. */
int live_request(int fd, const char *request);
int live_request_pid(int fd, pid_t pid);
/* Write the text of a request; @end == 0 means the whole process. */
#define LIVE_REQUEST 64
void live_make_request(char text[LIVE_REQUEST], pid_t pid, uint64_t start,
		       uint64_t end);
/* Read the first byte of the answer, and leave the file's position. */
int live_read_byte(int fd);
int live_answer(int fd, struct answer *ret);
int live_tables(pid_t pid, struct answer *ret);
/* Read `orphans`, which also follows entries that no VMA covers. */
int live_orphans(pid_t pid, struct answer *ret);
int live_counts_fd(int fd, struct counts *ret);
int live_counts(pid_t pid, struct counts *ret);
/* How often mmap_lock was taken for an answer; works with any of the module's files. */
int live_lock_windows(const char *file, const char *request, uint64_t *ret);
/*
 * The longest time that the lock was held, over all answers read this way since the last
 * call.
 */
uint64_t live_longest_hold_ns(void);
/*
 * Read an answer from a descriptor whose position other processes change: all in one
 * pread().
 */
int live_answer_at_once(int fd, char *data, size_t room, struct answer *ret);
void live_answer_deinit(struct answer *answer);
/* Number of tables of a level that start in [start, end). */
size_t live_nr_tables(const struct answer *answer, unsigned int level,
		      uint64_t start, uint64_t end);
/* Number of complete answers that this program and its children have read. */
uint64_t live_nr_answers(void);

/* Count the tables outside [start, end) that hold nothing, per level. */
void live_count_empty_outside(const struct answer *answer, uint64_t start,
			      uint64_t end, uint64_t nr[PTAUDIT_NR_LEVELS]);

#endif
