/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the functions that read processes and files of shared memory.  The test defines the
 * processes and the files.  Only one file of a program may include it.
 */
#ifndef FAKE_WHATIF_H
#define FAKE_WHATIF_H

#include "measure/whatif.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/collapse.h"
#include "acquire/spaces.h"
#include "acquire/words.h"
#include "measure/processes.h"
#include "measure/tables.h"
#include "support/build.h"
#include "support/unit.h"

#define PAGE UINT64_C(4096)
#define SLOT (2 * MIB)
#define A (16 * TIB)
#define DEVICE UINT64_C(7)
#define MOST 8
/* Stands for the PID of the test. */
#define SELF 99

/**
 * struct fake - a process
 * @file: the mapped file.  Its two slots are mapped at A; its first slot is mapped again at
 *	A + 3 slots.  Anonymous memory lies between the mappings.  Each slot has a PTE table;
 *	the table of the second slot is empty.
 * @only: 0: both mappings map the file; 1 or 2: only the first or the second one does
 * @identify: return value of ptu_measure_identify()
 * @open: return value of ptu_proc_open()
 * @maps: return value of ptu_proc_maps()
 * @status: return value of ptu_proc_status()
 * @more: [earlier calls of ptu_proc_status()] pages of VmPTE in addition to the six tables
 * @tables: [number of earlier calls] return values of ptu_whatif_tables()
 * @words: [number of earlier readings of the tables, less one] return values of
 *	ptu_words_open()
 * @first: the first process with the same address space; 0: this one
 * @spaces: return value of ptu_spaces_add()
 * @marked: address of a guard marker
 * @nr_words: number of words of its pagemap from A on
 * @is_new: after its tables were read, another process has its PID
 * @nr_read: (out) how often ptu_whatif_tables() read its tables
 * @nr_settled: (out) how often ptu_survey_settle() was called for it
 */
struct fake {
	pid_t pid;
	unsigned int file, only;
	int identify, open, maps, status, tables[4], words[4];
	unsigned int more[2], nr_status;
	bool kthread, zombie, thp_disabled, is_new;
	pid_t first;
	int spaces;
	uint64_t marked;
	uint64_t nr_words;
	unsigned int nr_read, nr_settled;
};

/**
 * struct fake_file - a file of shared memory; its inode number is its index in @files
 * @open: [number of earlier calls] return values of ptu_shmem_open()
 * @resident: return value of ptu_shmem_resident()
 * @data: return value of ptu_shmem_data()
 */
struct fake_file {
	int open[MOST];
	int resident, data;
	uint64_t device, size_bytes;
	unsigned int nr_opened;
};

static struct fake fakes[MOST];
static pid_t pids[MOST];
static size_t nr_fakes;
static struct fake_file files[4];
static int begin_error, frees, list_error;
static int nr_open, nr_open_files, nr_open_words;
static unsigned int nr_compared;

static struct ptu_whatif_ask ask;
static struct ptu_whatif_report report;
static struct ptu_err err;

static struct fake *find(pid_t pid)
{
	for (size_t i = 0; i < nr_fakes; i++)
		if (pids[i] == pid)
			return &fakes[i];
	abort();
}

int ptu_survey_begin(const struct ptu_measure *measure, bool is_check,
		     struct ptu_report *ret, struct ptu_err *error)
{
	if (is_check || measure->geo != &four_levels ||
	    measure->nr_estimators != 1)
		UNIT_FAIL("the report begins wrongly");
	ret->page_bytes = PAGE;
	return begin_error ? ptu_err_set(error, begin_error, "no host") : 0;
}

struct ptu_process *ptu_survey_next(struct ptu_report *ret,
				    struct ptu_err *error)
{
	ret->processes = reallocarray(ret->processes, ret->nr_processes + 1,
				      sizeof(*ret->processes));
	if (!ret->processes)
		abort();
	return &ret->processes[ret->nr_processes];
}

bool ptu_survey_leaves_out(pid_t pid, bool *kthread, bool *zombie)
{
	*kthread = find(pid)->kthread;
	*zombie = find(pid)->zombie;
	return *kthread || *zombie;
}

void ptu_survey_settle(struct ptu_process *process)
{
	find(process->pid)->nr_settled++;
}

static void open_fake(const struct fake *fake, struct ptu_proc *ret)
{
	*ret = (struct ptu_proc){ .pid = pids[fake - fakes],
				  .dirfd = (int)(fake - fakes),
				  .start_time = 5 + (fake->is_new &&
						     fake->nr_read) };
	snprintf(ret->comm, sizeof(ret->comm), "name %d", (int)fake->pid);
	nr_open++;
}

int ptu_measure_identify(pid_t pid, struct ptu_proc *proc,
			 struct ptu_process *ret, struct ptu_err *error)
{
	const struct fake *fake = find(pid);

	*ret = (struct ptu_process){ .pid = pid };
	if (fake->identify)
		return ptu_err_set(error, fake->identify, "no %d", (int)pid);
	open_fake(fake, proc);
	return 0;
}

void ptu_measure_failed(struct ptu_process *process, int error,
			const struct ptu_err *why)
{
	process->status = PTU_STATUS_FAILED;
	snprintf(process->error, sizeof(process->error), "%s", why->text);
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *error)
{
	const struct fake *fake = find(pid);

	if (!fake->open)
		open_fake(fake, ret);
	return fake->open;
}

void ptu_proc_close(struct ptu_proc *proc)
{
	nr_open -= proc->dirfd >= 0;
	proc->dirfd = -1;
}

int ptu_proc_status(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		    struct ptu_err *error)
{
	struct fake *fake = find(proc->pid);

	*ret = (struct ptu_proc_status){ .has_mm = true,
					 .vmpte_bytes = 6 * PAGE };
	if (fake->nr_status < 2)
		ret->vmpte_bytes += fake->more[fake->nr_status++] * PAGE;
	return fake->status;
}

int ptu_proc_list(pid_t **ret, size_t *nr_ret, struct ptu_err *error)
{
	if (list_error)
		return ptu_err_set(error, list_error, "no list");
	*ret = calloc(MOST, sizeof(**ret));
	if (!*ret)
		abort();
	memcpy(*ret, pids, sizeof(pids));
	*nr_ret = nr_fakes;
	return 0;
}

static struct ptu_vmas vmas_of(const struct fake *fake)
{
	const struct ptu_vma file = { .inode = fake->file,
				      .device = files[fake->file].device,
				      .has_flags = true,
				      .perms = "rw-s",
				      .path = 1 };
	struct ptu_vma *vma = calloc(3, sizeof(*vma));
	struct ptu_vmas ret = {
		.vmas = vma, .nr_vmas = 3, .names = malloc(6), .names_bytes = 6
	};

	if (!vma || !ret.names)
		abort();
	memcpy(ret.names, "\0path", 6);
	vma[0] = vma[2] = file;
	vma[0].start = A;
	vma[0].end = vma[1].start = A + 2 * SLOT;
	vma[1].end = vma[2].start = A + 3 * SLOT;
	vma[2].end = A + 4 * SLOT;
	vma[1].has_flags = true;
	memcpy(vma[1].perms, "rw-p", 5);
	if (fake->only)
		vma[fake->only == 1 ? 2 : 0].inode =
			vma[fake->only == 1 ? 2 : 0].device = 0;
	return ret;
}

int ptu_proc_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		  struct ptu_err *error)
{
	const struct fake *fake = find(proc->pid);

	if (!fake->maps)
		*ret = vmas_of(fake);
	return fake->maps;
}

int ptu_whatif_tables(const struct ptu_whatif_ask *of,
		      const struct ptu_proc *proc, struct ptu_vmas *vmas,
		      struct ptu_tables *tables, size_t *ret_changed,
		      struct ptu_err *error)
{
	struct fake *fake = find(proc->pid);
	unsigned int nr = fake->nr_read++;
	uint64_t i;

	if (of != &ask)
		UNIT_FAIL("the wrong tables are read");
	if (fake->tables[nr])
		return ptu_err_set(error, fake->tables[nr], "%d: reading %u",
				   (int)fake->pid, nr);
	*vmas = vmas_of(fake);
	ptu_tables_init(tables, &four_levels);
	for (i = 0; i < 4; i++) {
		if (ptu_tables_add(tables, PTAUDIT_PTE, A + i * SLOT,
				   PTU_CERTAIN))
			abort();
		ptu_tables_count_entries(tables, i != 1);
	}
	*ret_changed = 3;
	return 0;
}

int ptu_spaces_add(struct ptu_spaces *spaces, const struct ptu_proc *proc,
		   pid_t *ret)
{
	const struct fake *fake = find(proc->pid);

	nr_compared++;
	if (!fake->spaces)
		*ret = fake->first ? fake->first : proc->pid;
	return fake->spaces;
}

void ptu_spaces_deinit(struct ptu_spaces *spaces)
{
}

int ptu_words_open(int dirfd, const char *name, struct ptu_words *ret)
{
	static struct ptu_run_of_words run;
	const struct fake *fake = &fakes[dirfd];

	if (strcmp(name, "pagemap") != 0)
		UNIT_FAIL("%s is opened", name);
	if (fake->words[fake->nr_read - 1])
		return fake->words[fake->nr_read - 1];
	run.word = fake->marked / PAGE;
	run.nr_words = fake->nr_words;
	*ret = (struct ptu_words){ .runs = &run };
	nr_open_words++;
	return 0;
}

/*
 * Read all requested words of the first slot, and at most 73 of any other one: 512 is 7 * 73 + 1,
 * so the last call reads one word.
 */
ssize_t ptu_words_read(const struct ptu_words *file, uint64_t index,
		       uint64_t *words, size_t nr_words)
{
	const uint64_t slot = index / 512 * 512;
	size_t i, nr = nr_words < 73 || slot == A / PAGE ? nr_words : 73;

	if (index < A / PAGE || index + nr_words > slot + 512 ||
	    (slot == (A + 2 * SLOT) / PAGE))
		UNIT_FAIL("word 0x%llx is read", (unsigned long long)index);
	if (index - A / PAGE + nr > file->runs->nr_words)
		return 0;
	for (i = 0; i < nr; i++)
		words[i] = index + i == file->runs->word ? PTU_PM_GUARD : 0;
	return (ssize_t)nr;
}

void ptu_words_close(struct ptu_words *file)
{
	nr_open_words--;
}

int ptu_shmem_open(const struct ptu_proc *proc, const struct ptu_vma *vma,
		   const char *path, struct ptu_shmem *ret)
{
	struct fake_file *file = &files[vma->inode];
	int error = file->open[file->nr_opened++];

	if (strcmp(path, "path") != 0 || vma->device != file->device ||
	    vma->start < A || vma->end > A + 4 * SLOT)
		UNIT_FAIL("the wrong file is opened");
	if (error)
		return error;
	*ret = (struct ptu_shmem){ .fd = (int)vma->inode - 1,
				   .is_internal = vma->inode == 2,
				   .size_bytes = file->size_bytes,
				   .used_bytes = 9 * PAGE,
				   .free_bytes = 20 * MIB };
	nr_open_files++;
	return 0;
}

/* All but the first page of each window are in memory; all have data. */
int ptu_shmem_resident(const struct ptu_shmem *shmem, uint64_t offset,
		       uint64_t bytes, unsigned char *vec)
{
	memset(vec, 1, bytes / PAGE);
	vec[0] = 0;
	return files[shmem->fd + 1].resident;
}

int ptu_shmem_data(const struct ptu_shmem *shmem, uint64_t offset,
		   uint64_t bytes, uint64_t *ret)
{
	*ret = bytes;
	return files[shmem->fd + 1].data;
}

void ptu_shmem_close(struct ptu_shmem *shmem)
{
	nr_open_files--;
}

int ptu_collapse_madvise_frees(struct ptu_err *error)
{
	return frees < 0 ? ptu_err_set(error, frees, "no test") : frees;
}

void ptu_collapse_shmem_enabled(char *ret, size_t ret_bytes)
{
	snprintf(ret, ret_bytes, "advise");
}

bool ptu_collapse_disabled(const struct ptu_proc *proc)
{
	return find(proc->pid)->thp_disabled;
}

const char *ptu_side_name(const struct ptu_kernel_side *side)
{
	return "built";
}

static const struct ptu_estimator estimator = { .name = "some" };

static void set_up(void)
{
	memset(fakes, 0, sizeof(fakes));
	nr_fakes = 0;
	memset(files, 0, sizeof(files));
	for (size_t i = 1; i < 4; i++)
		files[i] = (struct fake_file){ .device = DEVICE,
					       .size_bytes = 2 * SLOT };
	begin_error = frees = list_error = 0;
	nr_open = nr_open_files = nr_open_words = 0;
	nr_compared = 0;
	ask = (struct ptu_whatif_ask){ .geo = &four_levels,
				       .estimator = &estimator,
				       .pids = pids };
	memset(&report, 0, sizeof(report));
	err.text[0] = '\0';
}

static void end(void)
{
	ptu_whatif_report_deinit(&report);
	memset(&report, 0, sizeof(report));
	if (nr_open || nr_open_files || nr_open_words)
		UNIT_FAIL("%d processes, %d files and %d pagemaps are open",
			  nr_open, nr_open_files, nr_open_words);
}

static void add(struct fake fake)
{
	if (!fake.nr_words)
		fake.nr_words = 4 * 512;
	pids[nr_fakes] = fake.pid == SELF ? getpid() : fake.pid;
	fakes[nr_fakes++] = fake;
}

/* The user names the first @nr processes. */
static int measure(size_t nr)
{
	ask.nr_pids = nr;
	return ptu_whatif_measure(&ask, &report, &err);
}

#endif
