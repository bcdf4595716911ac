/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the functions that measure/pages.c calls: mappings and pages of a process, and the
 * module's totals.  The test defines their results.  Only one file of a program may include it.
 */
#ifndef FAKE_MAPPINGS_H
#define FAKE_MAPPINGS_H

#include <unistd.h>

#include "acquire/freeze.h"
#include "acquire/module.h"
#include "acquire/pages.h"
#include "model/page_flags.h"
#include "model/pagemap.h"
#include "support/build.h"

#define VSYSCALL UINT64_C(0xffffffffff600000)
#define PID 4242

enum call {
	HOST,
	BOOT_ID,
	PROC_SAME,
	OPEN,
	MEMORY,
	STATUS,
	FREEZE,
	FILES,
	NEED,
	SMAPS,
	TOTALS,
	READ,
	HEAD,
	MAPS_SAME,
	NR_CALLS
};

#include "measure/fake_calls.h"

static struct ptu_vma vmas[4];
static size_t nr_vmas;
/* Pages of a mapping of a file: those of the module, and those of /proc. */
static uint64_t by_module[2], by_proc[2];
static uint64_t mm, answered_end, more_in_whole;
/* The first pages of the first mapping, instead of those of a file. */
static struct ptu_page given[4];
static size_t nr_given;
static bool ksm_is_anon;
/* The module's pages are anonymous ones. */
static bool is_anon;
static uint64_t head_flags;
static bool has_mm;
static unsigned int nr_files, nr_files_closed, nr_pauses, nr_thawed;
static bool was_frozen;
static uint64_t pause_us;

/* The calls of this kind fail from number @from on. */
static void fail(enum call call, unsigned int from, int error)
{
	for (unsigned int nr = from; nr <= MOST_CALLS; nr++)
		results[call][nr - 1] = error;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *error)
{
	int failed = called(OPEN, error);

	*ret = (struct ptu_proc){ .pid = pid, .tid = pid + 1, .comm = "built" };
	nr_open += !failed;
	return failed;
}

int ptu_proc_has_memory(const struct ptu_proc *proc, struct ptu_err *error)
{
	return called(MEMORY, error);
}

int ptu_proc_status(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		    struct ptu_err *error)
{
	*ret = (struct ptu_proc_status){ .has_mm = has_mm };
	return called(STATUS, error);
}

int ptu_proc_gone(const struct ptu_proc *proc, struct ptu_err *error)
{
	return ptu_err_set(error, -ESRCH, "it ended");
}

int ptu_freeze(struct ptu_proc *proc, struct ptu_freeze *ret,
	       struct ptu_err *error)
{
	ret->guard = 17;
	return called(FREEZE, error);
}

void ptu_thaw(struct ptu_freeze *freeze)
{
	was_frozen = freeze->guard == 17;
	nr_thawed++;
}

int ptu_pages_open(const struct ptu_proc *proc, uint64_t page_bytes,
		   struct ptu_pages *ret, struct ptu_err *error)
{
	int failed = called(FILES, error);

	if (failed)
		return failed;
	nr_files++;
	*ret = (struct ptu_pages){ .proc = proc,
				   .page_bytes = page_bytes,
				   .has_scan = true,
				   .ksm_is_anon = ksm_is_anon };
	return 0;
}

int ptu_pages_need_flags(const struct ptu_pages *files, const char *command,
			 struct ptu_err *error)
{
	if (strcmp(command, "--pages") != 0)
		abort();
	return called(NEED, error);
}

void ptu_pages_close(struct ptu_pages *files)
{
	nr_files_closed++;
}

int ptu_pages_read(struct ptu_pages *files, uint64_t start, uint64_t end,
		   ptu_pages_fn fn, void *arg, struct ptu_err *error)
{
	int failed = called(READ, error);
	uint64_t i, which = (start - A) / MIB;

	if (end - start != 16 * PAGE)
		abort();
	/* the frames of two mappings are apart */
	for (i = 0; !failed && i < by_proc[which]; i++) {
		struct ptu_page page = { .word = PTU_PM_PRESENT |
						 (0x100 + 0x100 * which + i),
					 .count = 2 };

		if (!which && i < nr_given)
			page = given[i];
		failed = fn(arg, start + i * PAGE, &page, 1);
	}
	/* the last page is not present */
	if (!failed)
		failed = fn(arg, start + i * PAGE, &(struct ptu_page){ 0 }, 1);
	return failed;
}

int ptu_pages_head(const struct ptu_pages *files, uint64_t pfn, uint64_t *ret,
		   struct ptu_err *error)
{
	*ret = head_flags;
	return called(HEAD, error);
}

/* Two mappings of a file, and the one in the kernel half. */
int ptu_proc_smaps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		   struct ptu_err *error)
{
	int failed = called(SMAPS, error);

	if (failed)
		return failed;
	*ret = (struct ptu_vmas){ .vmas = calloc(nr_vmas, sizeof(*vmas)),
				  .nr_vmas = nr_vmas,
				  .names = strdup("/f") };
	ret->names_bytes = 3;
	memcpy(ret->vmas, vmas, nr_vmas * sizeof(*vmas));
	for (size_t i = 0; i < 2; i++)
		ret->vmas[i].rss_bytes = by_proc[i] * PAGE;
	return 0;
}

int ptu_proc_maps_same(const struct ptu_proc *proc, const struct ptu_vmas *all,
		       struct ptu_err *error)
{
	if (all->nr_vmas != nr_vmas)
		abort();
	return called(MAPS_SAME, error);
}

int ptu_truth_pages(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		    struct ptu_totals *ret, struct ptu_err *error)
{
	int failed = called(TOTALS, error);
	uint64_t nr;
	size_t key;

	if (failed)
		return failed;
	nr = end ? by_module[(start - A) / MIB] :
		   by_module[0] + by_module[1] + more_in_whole;
	*ret = (struct ptu_totals){
		.mm = mm,
		.start = start,
		.end = end + answered_end,
	};
	for (key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++)
		ret->known[key] = true;
	ret->nr[PTAUDIT_P_PRESENT] = ret->nr[PTAUDIT_P_PTE_PAGES] = nr;
	ret->nr[is_anon ? PTAUDIT_P_ANON : PTAUDIT_P_FILE] = nr;
	return 0;
}

int usleep(useconds_t us)
{
	nr_pauses++;
	pause_us += us;
	return 0;
}

#endif
