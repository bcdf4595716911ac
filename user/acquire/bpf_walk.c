// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Walk level by level: copy all tables of one level, then the tables that their
 * entries point to.  Entries of a copied page are used only if the mm has not
 * changed since the start of the walk: then the page was still that table.  If it
 * changes during each walk, bpf_pieces.c reads the tables.
 */
#include "acquire/bpf_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acquire/bpf_memory.h"
#include "acquire/bpf_pieces.h"
#include "acquire/bpf_run.h"
#include "base/clock.h"
#include "model/bpf_accept.h"
#include "model/bpf_entry.h"

/*
 * Make TRIES walks without a pause, then one every PAUSE_NS until MOST_NS have
 * passed.  A walk takes less than 1 ms; unmapping memory can take much longer.
 */
#define TRIES 20
#define MOST_NS (PTU_NS_PER_SEC / 4)
#define PAUSE_NS 1000000L
#define PIECEWISE_TRIES 3

struct ptu_bpf {
	const struct ptu_geometry *geo;
	struct ptu_bpf_run *run;
	struct ptu_bpf_format format;
	struct ptu_bpf_memory memory;
	bool tables_alone;
	bool without_vmas;
};

static int oom(struct ptu_err *err)
{
	return ptu_err_set(err, -ENOMEM, "out of memory");
}

/* Return -EAGAIN if the mm has changed since the walk began. */
static int check_copied(struct ptu_bpf_walking *walk,
			const struct ptu_bpf_copied *copied)
{
	if (!walk->has_begun) {
		walk->has_begun = true;
		walk->first = copied->before;
		if (walk->first.ctx_id != walk->task.ctx_id)
			return -EAGAIN;
	}
	walk->last = copied->after;
	if (!ptu_bpf_is_same(&walk->first, &walk->last) || copied->nr_faults)
		return -EAGAIN;
	return 0;
}

/* Copy the tables at @places and add their contents to the level's list. */
static int read_level(struct ptu_bpf_walking *walk, unsigned int level,
		      const struct ptu_bpf_place *places, size_t nr_places)
{
	const struct ptu_bpf_memory *memory = walk->memory;
	struct ptu_bpf_list *list = &walk->lists[level];
	size_t at, nr, i;

	for (at = 0; at < nr_places; at += nr) {
		uint64_t addresses[PTU_BPF_CHUNK];
		struct ptu_bpf_copied copied;
		int error;

		nr = nr_places - at < PTU_BPF_CHUNK ? nr_places - at :
						      PTU_BPF_CHUNK;
		for (i = 0; i < nr; i++)
			addresses[i] = memory->direct_map +
				       places[at + i].pfn * PTU_BPF_TABLE;
		error = ptu_bpf_run_copy(walk->run, walk->task.mm, addresses,
					 nr, &copied, walk->err);
		if (!error)
			error = check_copied(walk, &copied);
		for (i = 0; i < nr && !error; i++)
			if (ptu_bpf_read_table(&walk->reader, level,
					       &places[at + i],
					       copied.tables[i], list))
				error = oom(walk->err);
		if (error)
			return error;
	}
	return 0;
}

/* Add the PTE tables at @places without reading them. */
static int enter_ptes(struct ptu_bpf_walking *walk,
		      const struct ptu_bpf_place *places, size_t nr_places)
{
	struct ptu_bpf_list *list = &walk->lists[PTAUDIT_PTE];

	if (ptu_bpf_enter_ptes(places, nr_places, list))
		return oom(walk->err);
	return 0;
}

static int read_tree(struct ptu_bpf_walking *walk)
{
	const struct ptu_bpf_place pgd = ptu_bpf_pgd(walk);
	unsigned int above = PTAUDIT_PGD;
	int level, error;

	error = read_level(walk, PTAUDIT_PGD, &pgd, 1);
	for (level = PTAUDIT_PGD - 1; level >= PTAUDIT_PTE && !error; level--) {
		const struct ptu_bpf_list *upper = &walk->lists[above];

		if (!walk->reader.geo->unfolded[level])
			continue;
		error = level == PTAUDIT_PTE && walk->tables_alone ?
				enter_ptes(walk, upper->places,
					   upper->nr_places) :
				read_level(walk, level, upper->places,
					   upper->nr_places);
		if (level != PTAUDIT_P4D)
			walk->tree_bytes += upper->nr_places * PTU_BPF_TABLE;
		above = level;
	}
	return error;
}

/* Read deposits and sharers of PMD tables, starting at @from; advance @from. */
static int read_deposits(struct ptu_bpf_walking *walk, size_t *from)
{
	const struct ptu_bpf_memory *memory = walk->memory;
	struct ptu_bpf_list *list = &walk->lists[PTAUDIT_PMD];
	struct ptaudit_table *tables[PTU_BPF_CHUNK];
	uint64_t pages[PTU_BPF_CHUNK];
	uint32_t limits[PTU_BPF_CHUNK];
	struct ptu_bpf_copied copied;
	unsigned int nr = 0, steps = 0, i;
	size_t at = *from;
	int error;

	for (; at < list->nr_records && nr < PTU_BPF_CHUNK; at++) {
		struct ptaudit_table *table = &list->records[at];
		unsigned int limit = ptu_bpf_deposit_limit(table);

		if (table->type != PTAUDIT_TABLE)
			continue;
		if (steps + limit > PTU_BPF_LIST_STEPS)
			break;
		steps += limit;
		tables[nr] = table;
		limits[nr] = limit;
		pages[nr++] = memory->struct_pages +
			      table->pfn * memory->struct_page_bytes;
	}
	error = ptu_bpf_run_deposits(walk->run, walk->task.mm, pages, limits,
				     nr, &copied, walk->err);
	if (!error)
		error = check_copied(walk, &copied);
	for (i = 0; i < nr && !error; i++) {
		walk->tree_bytes += (uint64_t)copied.deposits[i] *
				    PTU_BPF_TABLE;
		ptu_bpf_enter_deposits(walk, tables[i], copied.deposits[i],
				       copied.sharers[i]);
	}
	*from = at;
	return error;
}

static int read_all_deposits(struct ptu_bpf_walking *walk)
{
	size_t at = 0;
	int error = 0;

	while (!error && at < walk->lists[PTAUDIT_PMD].nr_records)
		error = read_deposits(walk, &at);
	return error;
}

/* Read all tables at one moment. */
static int read_at_once(struct ptu_bpf_walking *walk, bool is_whole)
{
	int error = read_tree(walk);

	if (!error)
		error = read_all_deposits(walk);
	if (error)
		return error;
	/* the counter is the same in both states */
	walk->low_bytes = walk->high_bytes = walk->first.pgtables_bytes;
	return is_whole && !ptu_bpf_is_complete(&walk->last, walk->tree_bytes) ?
		       -EAGAIN :
		       0;
}

/* Is it still the same process with the same mm? */
static int check_task(struct ptu_bpf_walking *walk, pid_t pid)
{
	struct ptu_bpf_task task;
	int error = ptu_bpf_run_find(walk->run, pid, &task, walk->err);

	if (error)
		return error;
	if (task.start_boottime_ns != walk->task.start_boottime_ns)
		return ptu_err_set(walk->err, -ESRCH, "process %d ended",
				   (int)pid);
	if (task.mm != walk->task.mm || task.ctx_id != walk->task.ctx_id)
		return ptu_err_set(walk->err, -ESTALE,
				   "process %d started another program meanwhile",
				   (int)pid);
	return 0;
}

/* Clear the flag of tables that a VMA added during the walk reaches. */
static void clear_outside(struct ptu_bpf_walking *walk,
			  const struct ptu_bpf_vma *vmas, size_t nr_vmas)
{
	const struct ptu_bpf_reader now = { .vmas = vmas, .nr_vmas = nr_vmas };
	const struct ptu_geometry *geo = walk->reader.geo;
	unsigned int level;
	size_t i, vma;

	for (level = 0; level < PTAUDIT_PGD; level++)
		for (i = 0; i < walk->lists[level].nr_records; i++) {
			struct ptaudit_table *table =
				&walk->lists[level].records[i];

			if (!(table->flags & PTAUDIT_T_OUTSIDE))
				continue;
			vma = ptu_bpf_first_vma(&now, table->start);
			if (vma < nr_vmas &&
			    vmas[vma].start <
				    table->start +
					    ptu_geometry_reach(geo, level))
				table->flags &= ~PTAUDIT_T_OUTSIDE;
		}
}

/* The flags of tables are wrong if a VMA was added or changed during the walk. */
static int check_vmas(struct ptu_bpf_walking *walk)
{
	struct ptu_bpf_vma *vmas;
	size_t nr_vmas;
	int error = ptu_bpf_run_vmas(walk->run, walk->task.ns_tid,
				     walk->task.mm, &vmas, &nr_vmas, walk->err);

	if (error)
		return error;
	if (walk->in_pieces)
		clear_outside(walk, vmas, nr_vmas);
	else if (nr_vmas != walk->reader.nr_vmas ||
		 memcmp(vmas, walk->vmas, nr_vmas * sizeof(*vmas)))
		error = -EAGAIN;
	free(vmas);
	return error;
}

/* Copy the next @nr records of PTE tables, which have no runs. */
static struct ptaudit_table *emit_ptes(struct ptu_bpf_walking *walk, size_t nr,
				       struct ptaudit_table *to)
{
	memcpy(to, &walk->lists[PTAUDIT_PTE].records[walk->next[PTAUDIT_PTE]],
	       nr * sizeof(*to));
	walk->next[PTAUDIT_PTE] += nr;
	return to + nr;
}

static struct ptaudit_table *emit(struct ptu_bpf_walking *walk,
				  unsigned int level, struct ptaudit_table *to)
{
	const struct ptu_bpf_list *list = &walk->lists[level];
	unsigned int below = level;
	unsigned int i;

	while (below && !walk->reader.geo->unfolded[--below])
		;
	*to++ = list->records[walk->next[level]++];
	while (walk->next[level] < list->nr_records &&
	       list->records[walk->next[level]].type == PTAUDIT_RUN) {
		const struct ptaudit_table *run =
			&list->records[walk->next[level]++];

		*to++ = *run;
		if (run->kind != PTAUDIT_K_CHILD)
			continue;
		if (below == PTAUDIT_PTE)
			to = emit_ptes(walk, run->used, to);
		else
			for (i = 0; i < run->used; i++)
				to = emit(walk, below, to);
	}
	return to;
}

static int answer(struct ptu_bpf_walking *walk, pid_t pid, uint64_t began_ns,
		  char **bytes, size_t *nr_bytes)
{
	struct ptaudit_header header = {
		.magic = PTAUDIT_MAGIC,
		.abi = PTAUDIT_ABI,
		.header_size = PTAUDIT_HEADER_SIZE,
		.record_size = PTAUDIT_RECORD_SIZE,
		.range_start = walk->reader.start,
		.range_end = walk->reader.end,
		.start_boottime_ns = walk->task.start_boottime_ns,
		.mm = walk->task.ctx_id,
		.pgtables_bytes_before = walk->low_bytes,
		.pgtables_bytes_after = walk->high_bytes,
		.clock_before_ns = began_ns,
		.clock_after_ns = ptu_now_ns(),
		.flags = PTAUDIT_H_BPF |
			 (walk->in_pieces ? PTAUDIT_H_PIECES : 0) |
			 (walk->reader.geo->pti ? PTAUDIT_H_PTI : 0),
		.pid = walk->task.pid,
		.tgid = walk->task.tgid,
		.start_ticks = walk->task.start_ns /
			       (UINT64_C(1000000000) / sysconf(_SC_CLK_TCK)),
		.tid = walk->task.tid,
		.ns_pid = pid,
		.ns_tgid = walk->task.ns_tgid,
		.ns_tid = walk->task.ns_tid,
	};
	unsigned int level;
	char *buffer;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		header.nr_records += walk->lists[level].nr_records;
	memcpy(header.comm, walk->task.comm, sizeof(header.comm));
	*nr_bytes = PTAUDIT_HEADER_SIZE +
		    header.nr_records * PTAUDIT_RECORD_SIZE;
	buffer = malloc(*nr_bytes);
	if (!buffer)
		return oom(walk->err);
	memcpy(buffer, &header, sizeof(header));
	emit(walk, PTAUDIT_PGD,
	     (struct ptaudit_table *)(buffer + PTAUDIT_HEADER_SIZE));
	*bytes = buffer;
	return 0;
}

/* Count the swap types for device memory: a kernel with them has this function. */
static int count_device_types(struct ptu_bpf_run *run)
{
	/* mm/rmap.c: 5.14 to 6.14 with four types, then with three */
	int has = ptu_bpf_run_has_function(run, "make_device_exclusive_range");

	if (has)
		return has < 0 ? has : 4;
	has = ptu_bpf_run_has_function(run, "make_device_exclusive");
	return has < 0 ? has : has * 3;
}

/*
 * The walk met a swap entry that may be one of migration or of device memory.
 * Determine the kernel's numbers of these types, and walk again.
 */
static int learn_types(struct ptu_bpf_walking *walk)
{
	int nr = count_device_types(walk->run);

	if (nr < 0)
		return ptu_err_set(walk->err, nr,
				   "cannot read the kernel's BTF: %s",
				   strerror(-nr));
	ptu_bpf_format_devices(walk->reader.format, nr);
	return -EAGAIN;
}

static int walk_once(struct ptu_bpf_walking *walk, pid_t pid, bool is_whole,
		     char **bytes, size_t *nr_bytes)
{
	const struct ptu_bpf_format *format = walk->reader.format;
	struct ptu_bpf_run *run = walk->run;
	uint64_t began_ns = ptu_now_ns();
	int error;

	error = ptu_bpf_run_find(run, pid, &walk->task, walk->err);
	if (!error && !walk->without_vmas)
		error = ptu_bpf_run_vmas(run, walk->task.ns_tid, walk->task.mm,
					 &walk->vmas, &walk->reader.nr_vmas,
					 walk->err);
	if (error)
		return error;
	walk->reader.vmas = walk->vmas;
	error = walk->in_pieces ? ptu_bpf_read_pieces(walk) :
				  read_at_once(walk, is_whole);
	/* report an end or an exec of the process first, whatever was read */
	if (!error || error == -EAGAIN) {
		int gone = check_task(walk, pid);

		if (gone)
			error = gone;
	}
	if (!error && !walk->without_vmas)
		error = check_vmas(walk);
	if (!error && format->is_asked && !format->is_known)
		error = learn_types(walk);
	if (!error)
		error = answer(walk, pid, began_ns, bytes, nr_bytes);
	return error;
}

int ptu_bpf_try(struct ptu_bpf *bpf, pid_t pid, uint64_t start, uint64_t end,
		bool in_pieces, char **bytes, size_t *nr_bytes,
		struct ptu_err *err)
{
	const struct ptu_geometry *geo = bpf->geo;
	const uint64_t user_end = ptu_geometry_user_end(geo);
	const uint64_t reach = UINT64_C(1) << geo->shift[PTAUDIT_PMD];
	const bool is_whole = !start && !end;
	struct ptu_bpf_walking walk = { .run = bpf->run,
					.memory = &bpf->memory,
					.tables_alone = bpf->tables_alone,
					.without_vmas = bpf->without_vmas,
					.in_pieces = in_pieces,
					.err = err };
	unsigned int level;
	int error;

	if (is_whole || end > user_end)
		end = user_end;
	if (start >= end)
		return ptu_err_set(err, -EINVAL,
				   "the range has no address of user space");
	walk.reader = (struct ptu_bpf_reader){
		.geo = geo,
		.format = &bpf->format,
		.start = start & ~(reach - 1),
		.end = (end + reach - 1) & ~(reach - 1),
	};
	/* arch/x86/include/asm/pgtable_64_types.h, LDT_PGD_ENTRY (5.17 to 7.3) */
	if (geo->pti && walk.reader.end == user_end)
		walk.reader.ldt_slot = geo->nr_entries[PTAUDIT_PGD] - 240;
	error = walk_once(&walk, pid, is_whole, bytes, nr_bytes);
	free(walk.vmas);
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		ptu_bpf_list_deinit(&walk.lists[level]);
	return error;
}

int ptu_bpf_walk(struct ptu_bpf *bpf, pid_t pid, uint64_t start, uint64_t end,
		 char **bytes, size_t *nr_bytes, struct ptu_err *err)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };
	const uint64_t deadline_ns = ptu_now_ns() + MOST_NS;
	unsigned int try = 0, piecewise = 0;
	int error = -EAGAIN;

	while (try < TRIES || ptu_now_ns() < deadline_ns) {
		error = ptu_bpf_try(bpf, pid, start, end, false, bytes,
				    nr_bytes, err);
		if (error != -EAGAIN)
			return error;
		if (++try >= TRIES)
			nanosleep(&pause, NULL);
	}
	/* callers that read no VMAs need sums of one moment; they use VmPTE instead */
	while (error == -EAGAIN && !bpf->without_vmas &&
	       piecewise++ < PIECEWISE_TRIES)
		error = ptu_bpf_try(bpf, pid, start, end, true, bytes, nr_bytes,
				    err);
	if (error != -EAGAIN)
		return error;
	return ptu_err_set(err, -EAGAIN,
			   "process %d kept changing: its page tables changed during each of %u walks",
			   (int)pid, try);
}

static int init(struct ptu_bpf *bpf, struct ptu_err *err)
{
	const struct ptu_bpf_kernel *kernel;
	int error;

	if (bpf->geo->arch != PTU_X86_64)
		return ptu_err_set(err, -EOPNOTSUPP,
				   "the walk by BPF knows only the page tables of x86-64");
	error = ptu_bpf_run_open(&bpf->run, err);
	if (error)
		return error;
	kernel = ptu_bpf_run_kernel(bpf->run);
	if (!kernel->has_tlb_gen)
		return ptu_err_set(err, -EOPNOTSUPP,
				   "this kernel does not show when page tables are freed (it has no mm->context.tlb_gen)");
	ptu_bpf_format_init(ptu_bpf_encryption_mask(), kernel->has_markers,
			    kernel->has_swapin_error, &bpf->format);
	return ptu_bpf_memory_init(bpf->run, bpf->geo, &bpf->format,
				   &bpf->memory, err);
}

int ptu_bpf_open(const struct ptu_geometry *geo, struct ptu_bpf **ret,
		 struct ptu_err *err)
{
	struct ptu_bpf *bpf = calloc(1, sizeof(*bpf));
	int error;

	if (!bpf)
		return oom(err);
	bpf->geo = geo;
	error = init(bpf, err);
	if (error) {
		ptu_bpf_close(bpf);
		return error;
	}
	*ret = bpf;
	return 0;
}

void ptu_bpf_close(struct ptu_bpf *bpf)
{
	if (bpf->run)
		ptu_bpf_run_close(bpf->run);
	free(bpf);
}

void ptu_bpf_tables_alone(struct ptu_bpf *bpf)
{
	bpf->tables_alone = true;
	bpf->without_vmas = true;
}

void ptu_bpf_without_vmas(struct ptu_bpf *bpf)
{
	bpf->without_vmas = true;
}

const struct ptu_bpf_times *ptu_bpf_times(const struct ptu_bpf *bpf)
{
	return ptu_bpf_run_times(bpf->run);
}
