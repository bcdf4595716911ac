// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine and its processes, as /proc and /sys describe them.  Must not use the module
 * or the tool.
 */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static bool silent;

/* Line buffering: a test that is killed has already printed its output. */
static void __attribute__((constructor)) line_buffered(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
}

/*
 * Factor for time limits.  A limit only ends a test that hangs: other programs may use
 * most of the machine.
 */
#define BUSY 5

/*
 * Time limits are made for stock kernels.  The environment gives a factor for slower
 * kernels.
 */
unsigned int live_time_factor(void)
{
	const char *text = getenv("PTAUDIT_TIME_FACTOR");

	return text ? (unsigned int)atoi(text) : 1;
}

/* Replaces the harness's alarm(); see the Makefile. */
unsigned int live_alarm(unsigned int seconds)
{
	const struct itimerval timer = {
		.it_value.tv_sec = (time_t)seconds * BUSY * live_time_factor()
	};
	struct itimerval left = { 0 };

	setitimer(ITIMER_REAL, &timer, &left);
	return (unsigned int)left.it_value.tv_sec;
}

/*
 * Without a better clock source a machine counts only timer ticks, and 0 ticks are a valid
 * time.
 */
bool live_clock_counts_ns(void)
{
	char text[64];

	return !strstr(live_file("/sys/devices/system/clocksource/clocksource0/current_clocksource",
				 text, sizeof(text)),
		       "jiffies");
}

uint64_t live_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t live_deadline_ns(unsigned int seconds)
{
	return live_now_ns() +
	       seconds * 1000000000UL * BUSY * live_time_factor();
}

/*
 * Source: kernel/rcu/tree.c, param_set_do_rcu_barrier(): waits for the callbacks, too;
 * kernel/sched/membarrier.c: synchronize_rcu(), for kernels without that parameter.
 */
void live_grace_period(void)
{
	if (live_set("/sys/module/rcutree/parameters/do_rcu_barrier", "1") &&
	    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		live_note("membarrier: %s", strerror(errno));
}

void live_quiet(bool quiet)
{
	silent = quiet;
}

void live_note(const char *format, ...)
{
	va_list args;

	if (silent)
		return;
	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
	fflush(stdout);
}

const char *live_file(const char *path, char *text, size_t text_bytes)
{
	int fd = open(path, O_RDONLY);
	ssize_t got = fd < 0 ? -1 : read(fd, text, text_bytes - 1);

	text[got > 0 ? got : 0] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

int live_set(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		err = -errno;
	close(fd);
	return err;
}

const char *live_thp_missing(void)
{
	return access(THP "enabled", F_OK) ? "transparent huge pages" : NULL;
}

const char *live_build_missing(int err)
{
	return err == -ENOENT || err == -EINVAL ? live_thp_missing() : NULL;
}

/* The flags line of /proc/cpuinfo covers the CPU and the boot options. */
static bool cpu_has(const char *flag)
{
	char line[8192], word[32];
	bool found = false;
	FILE *file = fopen("/proc/cpuinfo", "r");

	snprintf(word, sizeof(word), " %s ", flag);
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "flags", 5))
			continue;
		line[strcspn(line, "\n")] = ' ';
		found = strstr(line, word);
		break;
	}
	if (file)
		fclose(file);
	return found;
}

/* With 5 levels, mmap() follows a hint above 47 bits. */
static unsigned int page_table_levels(void)
{
	void *high = (void *)(1UL << 50);
	void *got = mmap(high, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);

	if (got != MAP_FAILED)
		munmap(got, PAGE);
	return got == high ? 5 : 4;
}

const struct system *live_system(void)
{
	static struct system system;
	struct utsname name;
	unsigned int major, minor;

	if (system.levels)
		return &system;
	uname(&name);
	snprintf(system.release, sizeof(system.release), "%s", name.release);
	if (sscanf(name.release, "%u.%u", &major, &minor) == 2)
		system.version = major * 1000 + minor;
	system.pti = cpu_has("pti");
	system.levels = page_table_levels();
	return &system;
}

static int differs(const char *what, const char *variable, const char *is)
{
	const char *expected = getenv(variable);

	if (expected && !strcmp(expected, is))
		return 0;
	live_note("%s is %s, but %s is %s", what, is, variable,
		  expected ? expected : "not set");
	return 1;
}

int live_check_environment(void)
{
	const struct system *system = live_system();
	char geometry[512], header[64];
	const char *line;
	unsigned int levels = 0;
	int failures = 0;

	failures += differs("release", "PTAUDIT_EXPECT_RELEASE",
			    system->release);
	snprintf(header, sizeof(header), "%u", system->levels);
	failures += differs("number of levels", "PTAUDIT_EXPECT_LEVELS",
			    header);
	failures += differs("KPTI", "PTAUDIT_EXPECT_PTI",
			    system->pti ? "on" : "off");

	live_file(LIVE_DEBUGFS "geometry", geometry, sizeof(geometry));
	for (line = strstr(geometry, "level "); line;
	     line = strstr(line + 1, "level "))
		levels++;
	if (levels != system->levels) {
		live_note("the file geometry of the module has %u levels, not %u",
			  levels, system->levels);
		failures++;
	}
	return failures;
}

uint64_t live_smaps_kib(pid_t pid, const char *field, uint64_t start,
			uint64_t end)
{
	uint64_t first, last, kib, sum = 0;
	char path[64], line[512];
	bool counts = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		size_t length = strlen(field);

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &first, &last) ==
		    2)
			counts = first >= start && last <= end;
		else if (counts && !strncmp(line, field, length) &&
			 line[length] == ':' &&
			 sscanf(line + length + 1, "%" SCNu64, &kib) == 1)
			sum += kib;
	}
	if (file)
		fclose(file);
	return sum;
}

uint64_t live_vmpte_bytes(pid_t pid)
{
	char path[64], text[8192];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	line = strstr(live_file(path, text, sizeof(text)), "VmPTE:");
	return line ? strtoull(line + 6, NULL, 10) * KIB : 0;
}

uint64_t live_page_flags(uint64_t pfn)
{
	static int fd = -1;
	uint64_t flags = 0;

	if (fd < 0)
		fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	if (pread(fd, &flags, sizeof(flags), (off_t)(pfn * sizeof(flags))) !=
	    sizeof(flags))
		return 0;
	return flags;
}
