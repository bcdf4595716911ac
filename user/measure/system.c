// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the counters, then the tables of each process, of the kernel and of mms
 * without a process, then the counters again.  Must not add up anything.
 */
#include "measure/system.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/host.h"
#include "acquire/kcore_tables.h"
#include "acquire/kernel_side.h"
#include "acquire/pagetables.h"
#include "acquire/procfs.h"
#include "acquire/spaces.h"
#include "compare/system.h"
#include "compare/system_cgroups.h"

#define TRIES 12
#define BUSY_TRIES 4 /* attempts; if all of them fail, further ones would too */
#define SAME_TRIES 3 /* measurements with the same remainder */
#define SAME_TRIES_WITHOUT_KERNEL 2
#define PAUSE_NS 50000000L

/**
 * struct system - handles used during the measurement
 * @side: .geo NULL: neither the module nor BPF
 * @kcore: .fd -1: cannot be read
 * @nr_frames: end of the page frames, for @watcher
 */
struct system {
	struct ptu_geometry geo;
	struct ptu_kernel_side side;
	struct ptu_kcore kcore;
	struct ptu_system_tally tally;
	struct ptu_system_uses uses;
	struct ptu_spaces spaces;
	struct ptu_system_report *report;
	const struct ptu_watcher *watcher;
	uint64_t nr_frames;
	struct ptu_err *err;
};

static int take_flags(void *arg, uint64_t pfn, const uint64_t *words, size_t nr)
{
	struct system *system = arg;

	if (system->watcher)
		system->watcher->show(system->watcher->arg, pfn + nr,
				      system->nr_frames);
	return ptu_system_flagged(&system->tally, pfn, words, nr);
}

/*
 * Find the end of the page frames, to which the watcher relates the progress.  If it is
 * unknown, it stays 0, and the watcher shows only the end.
 */
static void find_frames(struct system *system)
{
	struct ptu_node_span *spans = NULL;
	size_t nr = 0, i;

	if (!system->watcher || ptu_pagetables_spans(&spans, &nr, NULL))
		return;
	for (i = 0; i < nr; i++) {
		if (spans[i].end > system->nr_frames)
			system->nr_frames = spans[i].end;
	}
	free(spans);
}

/* Read kpageflags, which mark the tables that the kernel counts. */
static int read_flags(struct system *system)
{
	struct ptu_system_report *report = system->report;
	struct ptu_err why = { "" };
	int error = ptu_pagetables_flags(take_flags, system, &why);

	report->has_flags = !error;
	if (error == -ENOMEM)
		return ptu_err_set(system->err, error,
				   "no memory for the page frames");
	if (error)
		memcpy(report->flags_note, why.text, sizeof(why.text));
	return 0;
}

static int walk_process(struct system *system, struct ptu_proc *proc,
			bool *ret_shares)
{
	struct ptu_snapshot snapshot;
	struct ptu_err why = { "" };
	int error = -EAGAIN;
	unsigned int try;

	/* it may have called exec(), or the thread that is read may have ended */
	for (try = 0; try < 3 && (error == -EAGAIN ||
				  (error == -ESTALE && !ptu_proc_reopen(proc)));
	     try++)
		error = ptu_side_read(&system->side, proc, 0, 0,
				      PTU_WALK_BEFORE, &snapshot, &why);
	if (error)
		return error;
	error = ptu_system_add_process(&system->tally, &snapshot);
	ptu_snapshot_deinit(&snapshot);
	*ret_shares = error == 1;
	return error < 0 ? error : 0;
}

static int vmpte_process(struct system *system, const struct ptu_proc *proc,
			 bool *ret_shares)
{
	struct ptu_proc_status status;
	pid_t first = proc->pid;
	int error = ptu_proc_status(proc, &status, NULL);

	if (!error && !status.has_mm)
		error = -ESRCH;
	if (error)
		return error;
	/*
	 * Without permission for kcmp(), count the process separately.  A recording does not
	 * show which processes share an address space.
	 */
	if (!system->report->is_recording)
		error = ptu_spaces_add(&system->spaces, proc, &first);
	if (ptu_proc_shortage(error) || error == -ESRCH || error == -ESTALE)
		return error;
	system->report->nr_uncompared += error != 0;
	*ret_shares = first != proc->pid;
	if (!*ret_shares)
		system->report->parts[PTU_SYSTEM_VMPTE] += status.vmpte_bytes;
	system->report->nr_unwalked++;
	return 0;
}

static int shortage(const struct system *system, int error)
{
	return ptu_err_set(system->err, error, "cannot read all processes: %s",
			   strerror(-error));
}

/* Add a process. Return: 0, also if it has ended; -errno if descriptors or memory ran out. */
static int add_process(struct system *system, pid_t pid)
{
	struct ptu_system_report *report = system->report;
	uint64_t before = ptu_system_accounted(report);
	bool shares = false;
	struct ptu_proc proc;
	char *cgroup = NULL;
	int error = ptu_proc_open(pid, &proc, NULL);

	if (ptu_proc_shortage(error))
		return shortage(system, error);
	if (error) {
		report->nr_gone++;
		return 0;
	}
	if (proc.kthread)
		report->nr_kthreads++;
	if (ptu_proc_has_memory(&proc, NULL)) {
		ptu_proc_close(&proc);
		return 0;
	}
	error = system->side.geo && report->has_flags ?
			walk_process(system, &proc, &shares) :
			-EPERM;
	if (error && error != -ENOMEM && error != -ESRCH && error != -EINVAL)
		error = vmpte_process(system, &proc, &shares);
	if (ptu_proc_shortage(error)) {
		ptu_proc_close(&proc);
		return shortage(system, error);
	}
	if (error)
		report->nr_gone++;
	else if (shares)
		report->nr_sharing++;
	else
		report->nr_mms++;
	if (!error && !ptu_file_read(proc.dirfd, "cgroup", 0, &cgroup))
		error = ptu_system_use(&system->uses, cgroup,
				       ptu_system_accounted(report) - before);
	free(cgroup);
	ptu_proc_close(&proc);
	return error == -ENOMEM ? error : 0;
}

/* Add this process last: its own tables change while others are read. */
static int add_processes(struct system *system)
{
	size_t nr_pids = 0, i;
	pid_t *pids = NULL;
	int error = ptu_proc_list(&pids, &nr_pids, system->err);

	for (i = 0; !error && i < nr_pids; i++) {
		if (pids[i] != getpid() || system->report->is_recording)
			error = add_process(system, pids[i]);
	}
	free(pids);
	if (error || system->report->is_recording)
		return error;
	return add_process(system, getpid());
}

struct taking {
	struct ptu_system_tally *tally;
	unsigned int part;
};

static int take_table(void *arg, unsigned int level, uint64_t pfn)
{
	const struct taking *taking = arg;

	return ptu_system_add_table(taking->tally, taking->part, level, pfn, 1);
}

static int read_kernel_half(struct system *system)
{
	struct taking taking = { &system->tally, PTU_SYSTEM_KERNEL };

	return ptu_kcore_kernel_half(&system->kcore, &system->geo, take_table,
				     &taking);
}

static int read_other_mm(struct system *system, const struct ptu_kcore_pgd *pgd,
			 bool is_text_poke)
{
	struct taking taking = { &system->tally,
				 is_text_poke ? PTU_SYSTEM_TEXT_POKE :
						PTU_SYSTEM_NO_PROCESS };
	int ret = ptu_system_add_table(&system->tally, taking.part, PTAUDIT_PGD,
				       pgd->pfn, system->geo.pti ? 2 : 1);

	if (ret)
		return ret < 0 ? ret : 0; /* it belongs to a process */
	return ptu_kcore_user_half(&system->kcore, &system->geo, pgd->pfn,
				   take_table, &taking);
}

static bool walked_all(const struct ptu_system_report *report)
{
	return !report->nr_unwalked && !report->hides;
}

/*
 * PGDs without a process can be recognized only if every process was walked; the mm
 * for kernel text patching is always known.
 */
static int read_other_mms(struct system *system)
{
	struct ptu_kcore_pgd *pgds = NULL;
	uint64_t text_poke = 0;
	size_t nr_pgds = 0, i;
	int error = ptu_kcore_pgds(&system->kcore, &pgds, &nr_pgds, &text_poke);

	for (i = 0; !error && i < nr_pgds; i++) {
		bool is_text_poke = text_poke && pgds[i].mm == text_poke;

		if (is_text_poke || walked_all(system->report))
			error = read_other_mm(system, &pgds[i], is_text_poke);
	}
	free(pgds);
	return error;
}

static int read_kernel(struct system *system)
{
	struct ptu_system_report *report = system->report;
	int error;

	report->has_kernel = report->has_no_process = false;
	if (system->kcore.fd < 0 || !report->has_flags)
		return 0;
	report->kernel_note[0] = '\0';
	error = read_kernel_half(system);
	if (!error)
		error = read_other_mms(system);
	report->has_kernel = !error;
	report->has_no_process = !error && walked_all(report);
	if (error == -ENOMEM)
		return ptu_err_set(system->err, error,
				   "no memory for the kernel's tables");
	if (error)
		snprintf(report->kernel_note, sizeof(report->kernel_note),
			 "the kernel's own tables could not be followed in /proc/kcore: %s",
			 strerror(-error));
	return 0;
}

static int measure_once(struct system *system)
{
	struct ptu_system_report *report = system->report;
	uint64_t before = 0;
	int error;

	ptu_system_tally_reset(&system->tally);
	ptu_system_uses_reset(&system->uses);
	ptu_spaces_deinit(&system->spaces);
	report->nr_tries++;
	report->has_refresh = ptu_pagetables_refresh();
	error = ptu_pagetables_read(false, &before, system->err);
	if (!error && !report->is_recording)
		error = read_flags(system);
	if (!error)
		error = add_processes(system);
	if (!error)
		error = read_kernel(system);
	report->has_refresh &= ptu_pagetables_refresh();
	if (!error)
		error = ptu_pagetables_read(true, &report->pagetables_bytes,
					    system->err);
	report->held_still = before == report->pagetables_bytes;
	return error;
}

/**
 * struct settling - what the measurements have shown so far
 * @nr_busy: successive measurements during which PageTables changed
 * @nr_same: successive measurements with the remainder @remainder and without a change
 */
struct settling {
	unsigned int nr_busy;
	unsigned int nr_same;
	int64_t remainder;
};

/*
 * Would another measurement show nothing new?  PageTables includes freed tables until
 * the end of a grace period, so a remainder can be temporary.  One that repeats is not.
 * If the kernel's own tables were not measured, there is always a remainder.
 */
static bool is_settled(const struct ptu_system_report *report,
		       struct settling *settling)
{
	const int64_t remainder = ptu_system_remainder(report);

	if (!report->held_still)
		return ++settling->nr_busy == BUSY_TRIES;
	settling->nr_busy = 0;
	if (remainder != settling->remainder)
		settling->nr_same = 0;
	settling->nr_same++;
	settling->remainder = remainder;
	return !remainder ||
	       settling->nr_same == (report->has_kernel ?
					     SAME_TRIES :
					     SAME_TRIES_WITHOUT_KERNEL);
}

static int measure_until_still(struct system *system)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct settling settling = { 0 };
	int error = measure_once(system);

	while (!error && !is_settled(system->report, &settling) &&
	       system->report->nr_tries < TRIES) {
		/* membarrier() waits for a grace period */
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
		nanosleep(&pause, NULL);
		error = measure_once(system);
	}
	return error;
}

static int read_nodes(struct system *system)
{
	struct ptu_system_report *report = system->report;
	struct ptu_pagetables_node *nodes = NULL;
	struct ptu_node_span *spans = NULL;
	size_t nr_spans = 0, nr = 0, i;
	int error = ptu_pagetables_nodes(&nodes, &nr, system->err);

	if (!error && nr)
		error = ptu_pagetables_spans(&spans, &nr_spans, system->err);
	if (!error) {
		report->nodes = calloc(nr + 1, sizeof(*report->nodes));
		error = report->nodes ? 0 : -ENOMEM;
	}
	for (i = 0; !error && i < nr; i++)
		report->nodes[report->nr_nodes++] = (struct ptu_system_node){
			.node = nodes[i].node,
			.pagetables_bytes = nodes[i].bytes,
		};
	if (!error)
		ptu_system_count_nodes(&system->tally, spans, nr_spans);
	free(nodes);
	free(spans);
	return error;
}

static int read_cgroups(struct system *system)
{
	struct ptu_system_report *report = system->report;
	struct ptu_pagetables_cgroup *cgroups = NULL;
	size_t nr = 0, i;
	int error = ptu_pagetables_cgroups(&cgroups, &nr);

	if (!error)
		report->cgroups = calloc(nr + 1, sizeof(*report->cgroups));
	if (!error && !report->cgroups)
		error = -ENOMEM;
	for (i = 0; i < nr; i++) {
		if (error) {
			free(cgroups[i].path);
			continue;
		}
		report->cgroups[report->nr_cgroups++] =
			(struct ptu_system_cgroup){
				.path = cgroups[i].path,
				.depth = cgroups[i].depth,
				.pagetables_bytes = cgroups[i].bytes,
				.processes_bytes =
					ptu_system_uses_below(&system->uses,
							      cgroups[i].path),
			};
	}
	free(cgroups);
	return error ? ptu_err_set(system->err, error,
				   "no memory for the cgroups") :
		       0;
}

static int measure_machine(struct system *system)
{
	int error;

	find_frames(system);
	error = measure_until_still(system);
	if (!error)
		error = read_nodes(system);
	return error ? error : read_cgroups(system);
}

static int begin(enum ptu_side_choice choice, struct system *system)
{
	struct ptu_system_report *report = system->report;
	struct ptu_err why = { "" };
	int error = ptu_host_read(&report->host, system->err);

	system->kcore.fd = -1;
	if (!error)
		error = ptu_proc_boot_id(report->boot_id,
					 sizeof(report->boot_id), system->err);
	if (!error)
		error = ptu_proc_geometry(&system->geo, system->err);
	system->tally.page_bytes = report->host.page_bytes;
	system->tally.report = report;
	report->source = PTU_SYSTEM_BY_VMPTE;
	if (error || report->is_recording)
		return error;
	report->hides = ptu_proc_hides();
	error = ptu_side_open(choice, &system->geo, &system->side, &why);
	if (error && choice != PTU_SIDE_AUTO)
		return ptu_err_set(system->err, error, "%s", why.text);
	if (error)
		memcpy(report->source_note, why.text, sizeof(why.text));
	else
		report->source = system->side.which == PTU_SIDE_BPF ?
					 PTU_SYSTEM_BY_BPF :
					 PTU_SYSTEM_BY_MODULE;
	ptu_side_tables_alone(&system->side);
	ptu_err_clear(&why);
	error = system->geo.arch == PTU_X86_64 ?
			ptu_kcore_open(&system->kcore, &why) :
			ptu_err_set(&why, -EOPNOTSUPP,
				    "ptaudit can follow the kernel's own page tables only on x86-64");
	if (error) {
		system->kcore.fd = -1;
		memcpy(report->kernel_note, why.text, sizeof(why.text));
	}
	return 0;
}

int ptu_measure_system(enum ptu_side_choice choice,
		       const struct ptu_watcher *watcher,
		       struct ptu_system_report *ret, struct ptu_err *err)
{
	struct ptu_system_report report = {
		.is_recording = ptu_file_is_recording(),
	};
	struct system system = { .report = &report,
				 .watcher = watcher,
				 .err = err };
	int error = begin(choice, &system);

	if (!error && report.is_recording)
		error = measure_once(&system);
	else if (!error)
		error = measure_machine(&system);
	if (system.kcore.fd >= 0)
		ptu_kcore_close(&system.kcore);
	ptu_side_close(&system.side);
	ptu_spaces_deinit(&system.spaces);
	ptu_system_uses_deinit(&system.uses);
	ptu_system_tally_deinit(&system.tally);
	if (error)
		ptu_system_report_deinit(&report);
	else
		*ret = report;
	return error;
}
