// SPDX-License-Identifier: GPL-2.0-only
/* Reads the module's files as ptaudit_abi.h describes them.  Must not judge their content. */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* In shared memory: the harness runs each test in a child. */
static uint64_t *nr_answers;
static pid_t counter;

static void __attribute__((constructor)) count_answers(void)
{
	nr_answers = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (nr_answers == MAP_FAILED)
		abort();
	counter = getpid();
}

/*
 * Print the number for ktap.awk, which adds them up: a run without any completed walk
 * fails.
 */
static void __attribute__((destructor)) tell_answers(void)
{
	if (getpid() == counter)
		printf("# answers %" PRIu64 "\n", *nr_answers);
}

static void note_answer(void)
{
	__atomic_add_fetch(nr_answers, 1, __ATOMIC_RELAXED);
}

uint64_t live_nr_answers(void)
{
	return __atomic_load_n(nr_answers, __ATOMIC_RELAXED);
}

int live_request(int fd, const char *request)
{
	if (write(fd, request, strlen(request)) != (ssize_t)strlen(request))
		return -errno;
	return 0;
}

int live_request_pid(int fd, pid_t pid)
{
	char request[LIVE_REQUEST];

	live_make_request(request, pid, 0, 0);
	return live_request(fd, request);
}

int live_read_byte(int fd)
{
	char byte;

	return pread(fd, &byte, 1, 0) == 1 ? 0 : -errno;
}

void live_make_request(char text[LIVE_REQUEST], pid_t pid, uint64_t start,
		       uint64_t end)
{
	if (end)
		snprintf(text, LIVE_REQUEST, "%d 0x%" PRIx64 " 0x%" PRIx64, pid,
			 start, end);
	else
		snprintf(text, LIVE_REQUEST, "%d", pid);
}

/* Read up to the end of the file. */
static int read_all(int fd, char **ret, size_t *ret_bytes)
{
	size_t bytes = 0, room = 1 * MIB;
	char *data = malloc(room);

	while (data) {
		ssize_t got = read(fd, data + bytes, room - bytes);

		if (got < 0) {
			int err = -errno;

			free(data);
			return err;
		}
		if (!got) {
			*ret = data;
			*ret_bytes = bytes;
			return 0;
		}
		bytes += (size_t)got;
		if (bytes == room) {
			room *= 2;
			data = realloc(data, room);
		}
	}
	return -ENOMEM;
}

/* Return: 0, or -EPROTO if the answer is truncated. */
static int parse(const char *data, size_t bytes, struct answer *ret)
{
	struct answer answer;

	if (bytes < PTAUDIT_HEADER_SIZE)
		return -EPROTO;
	memcpy(&answer.header, data, PTAUDIT_HEADER_SIZE);
	answer.nr_records = (bytes - PTAUDIT_HEADER_SIZE) / PTAUDIT_RECORD_SIZE;
	if (answer.header.magic != PTAUDIT_MAGIC ||
	    answer.header.abi != PTAUDIT_ABI ||
	    answer.header.header_size != sizeof(struct ptaudit_header) ||
	    answer.header.record_size != sizeof(struct ptaudit_table) ||
	    answer.header.nr_records != answer.nr_records ||
	    bytes != PTAUDIT_HEADER_SIZE +
			     answer.nr_records * PTAUDIT_RECORD_SIZE)
		return -EPROTO;
	answer.records = malloc(bytes);
	if (!answer.records)
		return -ENOMEM;
	memcpy(answer.records, data + PTAUDIT_HEADER_SIZE,
	       bytes - PTAUDIT_HEADER_SIZE);
	*ret = answer;
	note_answer();
	return 0;
}

int live_answer(int fd, struct answer *ret)
{
	char *data;
	size_t bytes;
	int err = read_all(fd, &data, &bytes);

	if (err)
		return err;
	err = parse(data, bytes, ret);
	free(data);
	return err;
}

int live_answer_at_once(int fd, char *data, size_t room, struct answer *ret)
{
	ssize_t got = pread(fd, data, room, 0);

	return got < 0 ? -errno : parse(data, (size_t)got, ret);
}

size_t live_nr_tables(const struct answer *answer, unsigned int level,
		      uint64_t start, uint64_t end)
{
	size_t nr = 0;

	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];

		nr += r->type == PTAUDIT_TABLE && r->level == level &&
		      r->start >= start && r->start < end;
	}
	return nr;
}

static int ask(const char *file, const char *request, struct answer *ret)
{
	int fd = open(file, O_RDWR | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = live_request(fd, request);
	if (!err)
		err = live_answer(fd, ret);
	close(fd);
	return err;
}

int live_tables(pid_t pid, struct answer *ret)
{
	char request[32];

	snprintf(request, sizeof(request), "%d", pid);
	return ask(LIVE_DEBUGFS "tables", request, ret);
}

int live_orphans(pid_t pid, struct answer *ret)
{
	char request[32];

	snprintf(request, sizeof(request), "%d", pid);
	return ask(LIVE_DEBUGFS "orphans", request, ret);
}

void live_answer_deinit(struct answer *answer)
{
	free(answer->records);
	answer->records = NULL;
}

int live_counts_fd(int fd, struct counts *ret)
{
	struct counts counts = { 0 };
	const struct {
		const char *key;
		uint64_t *value;
	} keys[] = {
		{ "pid", &counts.pid },
		{ "mm", &counts.mm },
		{ "pgd", &counts.tables[PTAUDIT_PGD] },
		{ "p4d", &counts.tables[PTAUDIT_P4D] },
		{ "pud", &counts.tables[PTAUDIT_PUD] },
		{ "pmd", &counts.tables[PTAUDIT_PMD] },
		{ "pte", &counts.tables[PTAUDIT_PTE] },
		{ "leaf_pud", &counts.leaves[PTAUDIT_PUD] },
		{ "leaf_pmd", &counts.leaves[PTAUDIT_PMD] },
		{ "deposited", &counts.deposited },
		{ "pgtables_bytes", &counts.pgtables_bytes },
		{ "lock_windows", &counts.lock_windows },
		{ "hold_ns_max", &counts.hold_ns_max },
		{ "walk_ns", &counts.walk_ns },
		{ "tgid", &counts.tgid },
		{ "tid", &counts.tid },
		{ "ns_pid", &counts.ns_pid },
		{ "ns_tgid", &counts.ns_tgid },
		{ "ns_tid", &counts.ns_tid },
		{ "start_boottime_ns", &counts.start_boottime_ns },
		{ "start_ticks", &counts.start_ticks },
	};
	char *text, *line, *rest;
	size_t bytes, i;
	int err = read_all(fd, &text, &bytes);

	if (err)
		return err;
	/* read() does not terminate the text */
	text = realloc(text, bytes + 1);
	if (!text)
		return -ENOMEM;
	text[bytes] = '\0';
	for (i = 0, line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest), i++) {
		size_t length = strcspn(line, " ");

		if (i == sizeof(keys) / sizeof(keys[0]) ||
		    length != strlen(keys[i].key) ||
		    strncmp(line, keys[i].key, length))
			err = -EPROTO;
		else
			*keys[i].value = strtoull(line + length, NULL, 0);
		if (err)
			break;
	}
	if (i != sizeof(keys) / sizeof(keys[0]))
		err = -EPROTO;
	free(text);
	if (err)
		return err;
	*ret = counts;
	note_answer();
	return 0;
}

int live_counts(pid_t pid, struct counts *ret)
{
	char request[32];
	int fd = open(LIVE_DEBUGFS "counts", O_RDWR | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	snprintf(request, sizeof(request), "%d\n", pid);
	err = live_request(fd, request);
	if (!err)
		err = live_counts_fd(fd, ret);
	close(fd);
	return err;
}

static uint64_t longest_hold_ns;

/* Return: 0, or -EPROTO if the key is missing. */
static int find_number(const char *data, size_t bytes, const char *key,
		       uint64_t *ret)
{
	const char *found = memmem(data, bytes, key, strlen(key));

	if (!found)
		return -EPROTO;
	/* another line follows, so the number ends there */
	*ret = strtoull(found + strlen(key), NULL, 10);
	return 0;
}

static int find_lock_windows(const char *data, size_t bytes, uint64_t *ret)
{
	struct ptaudit_header header = { 0 };
	uint64_t hold_ns;

	memcpy(&header, data, bytes < sizeof(header) ? bytes : sizeof(header));
	if (header.magic == PTAUDIT_MAGIC) {
		*ret = header.lock_windows;
		hold_ns = header.hold_ns_max;
	} else if (find_number(data, bytes, "\nlock_windows ", ret) ||
		   find_number(data, bytes, "\nhold_ns_max ", &hold_ns)) {
		return -EPROTO;
	}
	if (hold_ns > longest_hold_ns)
		longest_hold_ns = hold_ns;
	return 0;
}

uint64_t live_longest_hold_ns(void)
{
	uint64_t ret = longest_hold_ns;

	longest_hold_ns = 0;
	return ret;
}

int live_lock_windows(const char *file, const char *request, uint64_t *ret)
{
	int fd = open(file, O_RDWR | O_CLOEXEC), err;
	size_t bytes;
	char *data;

	if (fd < 0)
		return -errno;
	err = live_request(fd, request);
	if (!err)
		err = read_all(fd, &data, &bytes);
	close(fd);
	if (err)
		return err;
	note_answer();
	err = find_lock_windows(data, bytes, ret);
	free(data);
	return err;
}
