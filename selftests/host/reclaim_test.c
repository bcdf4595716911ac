// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: reclaim_test [RECLAIMS [TOOL]]
 *
 * Checks that reclaim loses no data.  Processes write and verify each word of shared
 * memory, while `ptaudit reclaim --do` collapses it RECLAIMS times (default 200).  One
 * forks, one maps and unmaps, one uses pread() and pwrite(), one splits each huge page
 * again.  Every third reclaim is killed at a random step.  At the end the test changes
 * one bit, which must be detected.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Source: include/uapi/asm-generic/mman-common.h (6.1) */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define PAGE 4096UL
#define SLOT (UINT64_C(2) << 20)
#define NR_SLOTS 4
#define BYTES (NR_SLOTS * SLOT)
#define NR_PAGES (BYTES / PAGE)
#define WORDS (PAGE / sizeof(uint64_t))
#define START ((char *)(UINT64_C(33) << 39))
#define ELSEWHERE ((char *)(UINT64_C(34) << 39))

/* Page n is written by the process of the kind n % NR_KINDS, or by none if that is FIXED. */
enum kind { WRITER, FORKER, MAPPER, READER, FIXED, NR_KINDS };

static const char *const names[] = { "writes and splits", "forks",
				     "maps and unmaps", "reads and writes" };
static const char *const tests[] = {
	"writer_that_splits_ends_without_error",
	"process_that_forks_ends_without_error",
	"process_that_maps_and_unmaps_ends_without_error",
	"process_that_calls_pread_and_pwrite_ends_without_error",
};

/* Shared by all processes, besides the memory to reclaim. */
struct common {
	_Atomic bool stop;
	_Atomic uint64_t reclaims;
	_Atomic uint64_t loops[NR_KINDS];
	_Atomic uint64_t failures;
	_Atomic uint64_t first_failure; /* page << 16 | word, plus 1 */
};

static struct common *common;
static int fd;
static unsigned int nr, nr_failed;

static void result(bool good, const char *name)
{
	printf("%s %u %s\n", good ? "ok" : "not ok", ++nr, name);
	nr_failed += !good;
}

static uint64_t word(uint64_t page, uint64_t generation, uint64_t i)
{
	uint64_t x = page << 32 ^ generation << 12 ^ i;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9UL;
	return x ^ x >> 27;
}

static void fail(uint64_t page, uint64_t i)
{
	uint64_t none = 0;

	atomic_compare_exchange_strong(&common->first_failure, &none,
				       (page << 16 | i) + 1);
	atomic_fetch_add(&common->failures, 1);
}

static void fill(void *at, uint64_t page, uint64_t generation)
{
	volatile uint64_t *words = at;

	for (uint64_t i = 0; i < WORDS; i++)
		words[i] = word(page, generation, i);
}

static void verify(const void *at, uint64_t page, uint64_t generation)
{
	const volatile uint64_t *words = at;

	for (uint64_t i = 0; i < WORDS; i++)
		if (words[i] != word(page, generation, i))
			fail(page, i);
}

static void fill_all(char *base, enum kind kind, uint64_t generation)
{
	for (uint64_t page = kind; page < NR_PAGES; page += NR_KINDS)
		fill(base + page * PAGE, page, generation);
}

static void verify_all(const char *base, enum kind kind, uint64_t generation)
{
	for (uint64_t page = kind; page < NR_PAGES; page += NR_KINDS)
		verify(base + page * PAGE, page, generation);
}

static char *map(char *at)
{
	char *area = mmap(at, BYTES, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);

	if (area != at) {
		perror("mmap");
		_exit(2);
	}
	return area;
}

/* Release a page of each slot and write it again. */
static void split(char *base, uint64_t generation)
{
	for (uint64_t slot = 0; slot < NR_SLOTS; slot++) {
		uint64_t page = slot * (SLOT / PAGE) + generation % 500;
		const volatile uint64_t *words;

		page += (NR_KINDS - page % NR_KINDS + WRITER) % NR_KINDS;
		words = (uint64_t *)(base + page * PAGE);
		if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			      (off_t)(page * PAGE), PAGE))
			fail(page, 0);
		for (uint64_t i = 0; i < WORDS; i++)
			if (words[i])
				fail(page, i);
		fill(base + page * PAGE, page, generation);
	}
}

/* The child must see what its parent wrote, and writes what its parent verifies. */
static void by_fork(char *base, uint64_t generation)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		verify_all(base, FORKER, generation - 1);
		fill_all(base, FORKER, generation);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail(FORKER, 0);
}

static void by_calls(uint64_t generation)
{
	for (uint64_t page = READER; page < NR_PAGES; page += NR_KINDS) {
		uint64_t words[WORDS];

		if (pread(fd, words, PAGE, (off_t)(page * PAGE)) != PAGE)
			fail(page, 0);
		verify(words, page, generation - 1);
		fill(words, page, generation);
		if (pwrite(fd, words, PAGE, (off_t)(page * PAGE)) != PAGE)
			fail(page, 0);
	}
}

static void live(enum kind kind)
{
	char *base = map(START);
	uint64_t generation = 0, split_for = 0;

	while (!atomic_load(&common->stop)) {
		char *area = base;

		verify_all(base, FIXED, 0);
		verify_all(base, kind, generation++);
		if (kind == MAPPER)
			area = map(ELSEWHERE);
		if (kind == FORKER)
			by_fork(base, generation);
		else if (kind == READER)
			by_calls(generation);
		else
			fill_all(area, kind, generation);
		if (kind == MAPPER && munmap(area, BYTES))
			fail(MAPPER, 0);
		verify_all(base, kind, generation);
		/* split once per reclaim, so that each one finds work */
		if (kind == WRITER && split_for != common->reclaims) {
			split_for = common->reclaims;
			split(base, generation);
		}
		atomic_store(&common->loops[kind], generation);
	}
	_exit(0);
}

static pid_t begin(enum kind kind)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	live(kind);
	return 0;
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t number(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

struct sums {
	uint64_t reclaims, killed, predicted, returned, huge_pages, odd;
};

/* Run reclaim once, and kill it after @kill_us if that is not 0.  Return: its duration. */
static uint64_t reclaim(const char *tool, pid_t target, uint64_t kill_us,
			struct sums *sums)
{
	const uint64_t began = now_us();
	static char text[1 << 20];
	size_t filled = 0;
	char pid_text[16];
	int ends[2], status;
	ssize_t bytes;
	pid_t pid;

	snprintf(pid_text, sizeof(pid_text), "%d", target);
	if (pipe(ends))
		exit(2);
	pid = fork();
	if (!pid) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		execl(tool, "ptaudit", "reclaim", "--do", "--json", pid_text,
		      NULL);
		_exit(127);
	}
	close(ends[1]);
	if (kill_us) {
		usleep((useconds_t)kill_us);
		kill(pid, SIGKILL);
	}
	while ((bytes = read(ends[0], text + filled,
			     sizeof(text) - 1 - filled)) > 0)
		filled += (size_t)bytes;
	text[filled] = '\0';
	close(ends[0]);
	waitpid(pid, &status, 0);
	atomic_store(&common->reclaims, ++sums->reclaims);
	if (WIFSIGNALED(status) && kill_us) {
		sums->killed++;
		return now_us() - began;
	}
	/* status 1: fewer tables were freed, because pages were in use */
	sums->odd += !WIFEXITED(status) || WEXITSTATUS(status) > 1;
	sums->predicted += number(text, "\"predicted_tables\": ");
	sums->returned += number(text, "\"returned_tables\": ");
	sums->huge_pages += number(text, "\"huge_pages\": ");
	return now_us() - began;
}

/* Skip if a requirement is missing. */
static void need(bool there, const char *what)
{
	if (there)
		return;
	printf("1..0 # SKIP needs %s\n", what);
	exit(4);
}

int main(int argc, char **argv)
{
	const uint64_t wish = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
	const char *tool = argc > 2 ? argv[2] : "../../user/ptaudit";
	const uint64_t began = now_us();
	const uint64_t limit_us = (120 + 4 * wish) * 1000000;
	uint64_t took = 100000, left;
	struct sums sums = { 0 };
	pid_t pids[FIXED];
	char *base;
	int kind;

	setbuf(stdout, NULL);
	srandom(1);
	fd = memfd_create("reclaimed", MFD_CLOEXEC);
	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || ftruncate(fd, (off_t)BYTES) || common == MAP_FAILED)
		return 2;
	base = map(START);
	need(!madvise(base, 0, MADV_COLLAPSE), "MADV_COLLAPSE (Linux 6.1)");
	need(!geteuid(), "root");
	for (kind = WRITER; kind < NR_KINDS; kind++)
		fill_all(base, (enum kind)kind, 0);
	munmap(base, BYTES);
	for (kind = WRITER; kind < FIXED; kind++)
		pids[kind] = begin((enum kind)kind);
	while (sums.reclaims < wish && now_us() - began < limit_us &&
	       !atomic_load(&common->failures)) {
		uint64_t step = sums.reclaims % 3 == 2 ?
					1 + (uint64_t)random() % took :
					0;
		uint64_t this = reclaim(tool, pids[WRITER], step, &sums);

		if (!step)
			took = this;
	}
	atomic_store(&common->stop, true);
	for (kind = WRITER; kind < FIXED; kind++) {
		int status = -1;

		waitpid(pids[kind], &status, 0);
		printf("# the process that %s did %" PRIu64
		       " rounds and ended with status %d\n",
		       names[kind], atomic_load(&common->loops[kind]), status);
		result(!status && atomic_load(&common->loops[kind]),
		       tests[kind]);
	}
	base = map(START);
	for (kind = WRITER; kind < NR_KINDS; kind++)
		verify_all(base, (enum kind)kind,
			   atomic_load(&common->loops[kind]));
	printf("# %" PRIu64 " reclaims in %" PRIu64 " s, %" PRIu64
	       " of them killed; the others made %" PRIu64
	       " huge pages and returned %" PRIu64 " of %" PRIu64
	       " predicted tables\n",
	       sums.reclaims, (now_us() - began) / 1000000, sums.killed,
	       sums.huge_pages, sums.returned, sums.predicted);
	left = atomic_load(&common->first_failure);
	if (left)
		printf("# the first wrong word is in page %" PRIu64
		       ", at word %" PRIu64 "\n",
		       (left - 1) >> 16, (left - 1) & 0xffff);
	result(!atomic_load(&common->failures), "no_word_is_lost");
	result(sums.reclaims == wish && !sums.odd, "all_reclaims_were_done");
	result(sums.killed && sums.returned && sums.huge_pages,
	       "some_reclaims_were_killed_and_others_returned_tables");
	/* the verification must detect one bit */
	base[FIXED * PAGE + 8 * 100] ^= 1;
	left = atomic_load(&common->failures);
	verify_all(base, FIXED, 0);
	result(atomic_load(&common->failures) == left + 1,
	       "a_changed_bit_is_found");
	printf("1..%u\n%u passed, %u failed\n", nr, nr - nr_failed, nr_failed);
	return nr_failed != 0;
}
