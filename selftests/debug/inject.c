// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes allocations of this task fail.  Source: lib/fault-inject.c,
 * Documentation/fault-injection/fault-injection.rst.
 */
#include "inject.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/lib.h"

static int fail_nth_fd = -1, make_it_fail_fd = -1;

bool inject_missing(void)
{
	return access(INJECT_DEBUGFS "failslab/stacktrace-depth", R_OK) ||
	       access("/proc/self/fail-nth", R_OK);
}

int inject_set(const char *name, const char *text)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc" };
	char path[96];
	int err = 0;

	for (unsigned int i = 0; i < 2 && !err; i++) {
		snprintf(path, sizeof(path), INJECT_DEBUGFS "%s/%s", kinds[i],
			 name);
		err = live_set(path, text);
	}
	return err;
}

/* Only allocations that are called from the module's code count and fail. */
int inject_into_module(void)
{
	char line[512], name[64], text[32];
	unsigned long base, bytes;
	int err = -ENOENT;
	FILE *file = fopen("/proc/modules", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %lu %*s %*s %*s 0x%lx", name, &bytes,
			   &base) == 3 &&
		    !strcmp(name, "ptaudit")) {
			err = 0;
			break;
		}
	if (file)
		fclose(file);
	snprintf(text, sizeof(text), "0x%lx", base);
	if (!err)
		err = inject_set("require-start", text);
	snprintf(text, sizeof(text), "0x%lx", base + bytes);
	if (!err)
		err = inject_set("require-end", text);
	return err ? err : inject_set("stacktrace-depth", "32");
}

/* Only allocations below do_init_module() fail, which calls the module's init function. */
int inject_into_init(void)
{
	char line[256], name[128], text[2][32];
	unsigned long addr, start = 0, end = -1UL;
	FILE *file = fopen("/proc/kallsyms", "r");
	int err;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx %*c %127s", &addr, name) == 2 &&
		    !strcmp(name, "do_init_module"))
			start = addr;
	if (file)
		rewind(file);
	/* The end of the function is the start of the next one. */
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx", &addr) == 1 && addr > start &&
		    addr < end)
			end = addr;
	if (file)
		fclose(file);
	if (!start)
		return -ENOENT;
	snprintf(text[0], sizeof(text[0]), "0x%lx", start);
	snprintf(text[1], sizeof(text[1]), "0x%lx", end);
	err = inject_set("require-start", text[0]);
	return err ? err : inject_set("require-end", text[1]);
}

/*
 * All allocations that the kernel makes for this task fail.  If a function of the module ends
 * in a tail call of a kernel function, the module is not on the stack any more when that
 * function allocates.
 */
int inject_into_task(void)
{
	int err = inject_set("require-start", "0");

	return err ? err : inject_set("require-end", "0xffffffffffffffff");
}

int inject_prepare(void)
{
	static const char *const all[][2] = {
		{ "task-filter", "Y" },	    { "probability", "100" },
		{ "interval", "1" },	    { "times", "-1" },
		{ "space", "0" },	    { "verbose", "0" },
		{ "ignore-gfp-wait", "N" },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !err; i++)
		err = inject_set(all[i][0], all[i][1]);
	if (!err)
		err = live_set(INJECT_DEBUGFS
			       "fail_page_alloc/ignore-gfp-highmem",
			       "N");
	if (!err)
		err = live_set(INJECT_DEBUGFS "fail_page_alloc/min-order", "0");
	fail_nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	make_it_fail_fd = open("/proc/self/make-it-fail", O_RDWR | O_CLOEXEC);
	return err ? err : fail_nth_fd < 0 || make_it_fail_fd < 0 ? -errno : 0;
}

void inject_arm(unsigned int nth, bool onwards)
{
	char text[16];
	int bytes = snprintf(text, sizeof(text), "%u", nth);

	if (onwards && pwrite(make_it_fail_fd, "1", 1, 0) != 1)
		_exit(98);
	if (pwrite(fail_nth_fd, text, (size_t)bytes, 0) != bytes)
		_exit(98);
}

bool inject_disarm(void)
{
	char text[16] = "";

	if (pread(fail_nth_fd, text, sizeof(text) - 1, 0) < 1 ||
	    pwrite(fail_nth_fd, "0", 1, 0) != 1 ||
	    pwrite(make_it_fail_fd, "0", 1, 0) != 1)
		_exit(98);
	return !strtoul(text, NULL, 10);
}
