/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of kpagemap share: the files about page frames, read here by
 * hand.  Included once by each program.
 */
#ifndef LIVE_FRAMES_H
#define LIVE_FRAMES_H

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib.h"

/* As kpageflags numbers them. */
#define KPF_BUDDY (1UL << 10)
#define KPF_HEAD (1UL << 15)
#define KPF_TAIL (1UL << 16)
#define KPF_HUGE (1UL << 17)
#define KPF_NOPAGE (1UL << 20)
#define KPF_THP (1UL << 22)
#define KPF_RESERVED (1UL << 32)

/* Pages of a section of memory: 128 MiB on x86-64. */
#define SECTION 32768UL
/* Legacy video memory and ROMs: reserved for as long as the machine runs. */
#define RESERVED_PFN 0xa0UL
#define NR_RESERVED 96UL

#define HOLE UINT64_MAX

struct entry {
	uint64_t flags;
	uint64_t count;
};

FIXTURE(frames)
{
	int kpagemap, kpageflags, kpagecount;
	uint64_t nr; /* page frames that kpagemap has to have */
};

/* The end of RAM, as the firmware's map has it. */
static uint64_t end_of_ram(void)
{
	FILE *file = fopen("/proc/iomem", "r");
	uint64_t start, last, ret = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (strstr(line, " : System RAM") &&
		    sscanf(line, "%lx-%lx", &start, &last) == 2)
			ret = (last + 1) / PAGE;
	}
	if (file)
		fclose(file);
	return ret;
}

FIXTURE_SETUP(frames)
{
	ASSERT_EQ(0, live_check_environment());
	self->kpagemap = open(LIVE_DEBUGFS "kpagemap", O_RDONLY);
	self->kpageflags = open("/proc/kpageflags", O_RDONLY);
	self->kpagecount = open("/proc/kpagecount", O_RDONLY);
	ASSERT_LE(0, self->kpagemap);
	ASSERT_LE(0, self->kpageflags);
	ASSERT_LE(0, self->kpagecount);
	self->nr = end_of_ram();
	ASSERT_LT(0, self->nr);
}

FIXTURE_TEARDOWN(frames)
{
	close(self->kpagemap);
	close(self->kpageflags);
	close(self->kpagecount);
}

static uint64_t word(int fd, uint64_t index)
{
	uint64_t ret;

	return pread(fd, &ret, 8, (off_t)(index * 8)) == 8 ? ret : 0;
}

static struct entry entry(int fd, uint64_t pfn)
{
	struct entry ret;

	if (pread(fd, &ret, 16, (off_t)(16 + pfn * 16)) != 16)
		ret = (struct entry){ 0, 0x5a5a5a5a };
	return ret;
}

/* The page frame of an address of our own. */
static uint64_t pfn_of(const void *addr)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t ret = word(fd, (uint64_t)addr / PAGE);

	close(fd);
	return ret >> 63 ? ret & ((1UL << 55) - 1) : 0;
}

/* The bit with this name, by the module, as a mask; 0 if there is none. */
static inline uint64_t flag(const char *name)
{
	FILE *file = fopen(LIVE_DEBUGFS "kpagemap_flags", "r");
	char line[80], found[80];
	uint64_t ret = 0;
	unsigned int bit;

	while (file && !ret && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%u %79s", &bit, found) == 2 &&
		    !strcmp(found, name))
			ret = 1UL << bit;
	}
	if (file)
		fclose(file);
	return ret;
}

/*
 * Pages that were touched lately wait on lists of each CPU, which hold them:
 * migration empties those lists first, whatever it is asked to move.
 */
static void empty_lists(void)
{
	static char page[PAGE] __attribute__((aligned(PAGE)));
	void *pages[1] = { page };
	int nodes[1] = { 0 }, status[1];

	page[0] = 1;
	syscall(SYS_move_pages, 0, 1UL, pages, nodes, status, 2 /* MOVE */);
}

static void pause_ms(long ms)
{
	const struct timespec pause = { .tv_nsec = ms * 1000000 };

	nanosleep(&pause, NULL);
}

/* Wait until a page has this reference count; tells what it has in the end. */
static inline uint64_t wait_for_count(int kpagemap, const void *addr,
				      uint64_t count)
{
	uint64_t ret = 0;

	for (unsigned int i = 0; i < 600; i++) {
		ret = entry(kpagemap, pfn_of(addr)).count;
		if (ret == count)
			break;
		empty_lists();
		pause_ms(50);
	}
	return ret;
}

static inline uint64_t number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? (uint64_t)json_integer_value(value) :
					UINT64_MAX - 1;
}

static inline uint64_t sum_of_ends(const json_t *object)
{
	return number(object, "agree") + number(object, "changed") +
	       number(object, "in_flux") + number(object, "unexplained");
}

/* `ptaudit kpagemap --json`; both are to be given back. */
static inline json_t *compare(int *ret_status, char **ret_err)
{
	struct tool_run run;
	json_t *root;

	if (live_run((char *[]){ (char *)live_tool(), "kpagemap", "--json",
				 NULL },
		     &run))
		return NULL;
	root = json_loads(run.out, 0, NULL);
	*ret_status = run.status;
	if (run.status)
		live_note("status %d: %s%.4000s", run.status, run.err, run.out);
	*ret_err = run.err;
	free(run.out);
	return root;
}

#endif
