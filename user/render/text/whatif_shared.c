// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables of shared memory that could be freed, as text.  Must not add up figures that the report has. */
#include "render/text/whatif_text.h"

#include <inttypes.h>

#define MOST_FILES 20
#define MOST_HOLES 8  /* maximum number of listed holes of one file */
#define MOST_UNREAD 8 /* maximum number of listed PIDs */

/* Name the command that frees all predicted tables. */
static void say_reclaim(const struct ptu_whatif_text *t)
{
	const uint64_t fill = ptu_whatif_fill_bytes(t->report);

	fputs("    for the existing memory: ptaudit reclaim --do", t->out);
	if (fill > PTU_MAX_FILL)
		fprintf(t->out, " --max-fill %" PRIu64 "K", fill / 1024);
	fputc('\n', t->out);
}

/* Name the setting that gives huge pages to such memory, if it would free tables. */
static void say_knob(const struct ptu_whatif_text *t,
		     const struct ptu_whatif_file *file)
{
	const struct ptu_whatif_report *report = t->report;

	/* new memory that is large enough gets an address that fits */
	if (!file->tables && (!file->blocked[PTU_BLOCK_UNALIGNED] ||
			      file->size_bytes < report->slot_bytes))
		return;
	if (file->is_internal)
		fprintf(t->out,
			"    when the memory is created again: /sys/kernel/mm/transparent_hugepage/shmem_enabled, now %s\n",
			report->shmem_enabled[0] ? report->shmem_enabled :
						   "absent");
	else
		fputs("    when the memory is created again: huge= of the tmpfs mount, by mount -o remount,huge=within_size MOUNTPOINT\n",
		      t->out);
	if (file->tables && !report->is_reclaim && !report->refusal[0])
		say_reclaim(t);
}

static void say_hugetlb(const struct ptu_whatif_text *t,
			const struct ptu_whatif_file *file)
{
	uint64_t tables = ptu_whatif_hugetlb_tables(t->report, file);
	uint64_t beside = 0;
	char size[PTU_FORMAT_LEN];
	unsigned int block;

	if (!tables)
		return;
	for (block = 0; block < PTU_NR_BLOCKS; block++)
		beside += file->blocked[block];
	beside -= tables;
	fprintf(t->out,
		"    as hugetlb memory: %" PRIu64
		" table%s (%s) fewer, with vm.nr_hugepages of %" PRIu64,
		tables, ptu_plural(tables),
		ptu_whatif_tables_bytes(t, tables, size),
		ptu_whatif_hugetlb_pages(t->report, file));
	if (beside)
		fprintf(t->out,
			"; up to %" PRIu64
			" more, if other mappings in their address range move",
			beside);
	fputs("\n      huge_pages=on of PostgreSQL, -XX:+UseLargePages of a JVM, MFD_HUGETLB, SHM_HUGETLB, MAP_HUGETLB\n",
	      t->out);
}

static void say_holes(const struct ptu_whatif_text *t, size_t file)
{
	const struct ptu_whatif_report *report = t->report;
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < report->nr_holes; i++) {
		const struct ptu_whatif_hole *hole = &report->holes[i];

		if (hole->file != file || nr++ >= MOST_HOLES)
			continue;
		fprintf(t->out,
			"    fills bytes 0x%" PRIx64 "-0x%" PRIx64
			" of the file\n",
			hole->start, hole->end);
	}
	if (nr > MOST_HOLES)
		fprintf(t->out, "    and %" PRIu64 " more; --json has all\n",
			nr - MOST_HOLES);
}

static const char *const kept_names[] = {
	[PTU_KEPT_SMALL] = "smaller than a huge page",
	[PTU_KEPT_INTERNAL] =
		"(memfd, System V or shared anonymous memory), of which no table would be freed",
	[PTU_KEPT_IN_TMPFS] = "in a tmpfs, of which no table would be freed",
};

static void say_reasons(const struct ptu_whatif_text *t,
			const struct ptu_whatif_file *file)
{
	unsigned int block;

	for (block = PTU_BLOCK_NONE + 1; block < PTU_NR_BLOCKS; block++)
		if (file->blocked[block])
			fprintf(t->out, "    stays: %" PRIu64 " table%s: %s\n",
				file->blocked[block],
				ptu_plural(file->blocked[block]),
				ptu_whatif_block_sentence(block));
}

static void say_file(const struct ptu_whatif_text *t, size_t index)
{
	const struct ptu_whatif_file *file = &t->report->files[index];
	char size[PTU_FORMAT_LEN];

	fputs("  ", t->out);
	ptu_whatif_say_name(t, file->path);
	fprintf(t->out,
		": %" PRIu64 " table%s of %" PRIu64 " process%s, %" PRIu64
		" huge page%s, fills %s",
		file->tables, ptu_plural(file->tables), file->nr_mms,
		file->nr_mms == 1 ? "" : "es", file->windows,
		ptu_plural(file->windows),
		ptu_format_exact(file->fill_bytes, t->bytes, size));
	if (file->swapped_bytes)
		fprintf(t->out, " (%s from swap)",
			ptu_format_exact(file->swapped_bytes, t->bytes, size));
	if (file->fill_bytes > file->tables * t->report->base.page_bytes)
		fputs(", more than is freed", t->out);
	if (file->empty_tables)
		fprintf(t->out, "; %" PRIu64 " of the tables are empty",
			file->empty_tables);
	fputc('\n', t->out);
	say_knob(t, file);
	say_hugetlb(t, file);
	say_holes(t, index);
	say_reasons(t, file);
}

static void say_kept(const struct ptu_whatif_text *t, enum ptu_whatif_kept kept)
{
	struct ptu_whatif_file sum;
	const size_t files = ptu_whatif_kept_sum(t->report, kept, &sum);
	const uint64_t tables = ptu_whatif_blocked_tables(&sum);

	if (!files)
		return;
	if (files == 1 && kept != PTU_KEPT_SMALL) {
		say_file(t, sum.shown);
		return;
	}
	fprintf(t->out, "  %zu file%s %s: %" PRIu64 " table%s\n", files,
		ptu_plural(files), kept_names[kept], tables,
		tables == 1 ? " stays" : "s stay");
	say_knob(t, &sum);
	if (kept != PTU_KEPT_SMALL)
		say_reasons(t, &sum);
}

/* Name other processes that may map the same memory. */
static void say_unread(const struct ptu_whatif_text *t)
{
	const struct ptu_whatif_report *report = t->report;
	const size_t nr = report->nr_unread;
	size_t i;

	fprintf(t->out, "  %zu further process%s (PID%s", nr,
		nr == 1 ? "" : "es", ptu_plural(nr));
	for (i = 0; i < nr && i < MOST_UNREAD; i++)
		fprintf(t->out, " %d", (int)report->unread[i]);
	fprintf(t->out,
		"%s) could not be read: tables that map the same memory there are not counted\n",
		nr > MOST_UNREAD ? " ...; --json has all" : "");
}

void ptu_whatif_say_shared(const struct ptu_whatif_text *t)
{
	const struct ptu_whatif_report *report = t->report;
	uint64_t tables = ptu_whatif_shared_tables(report);
	uint64_t fill = ptu_whatif_fill_bytes(report);
	uint64_t hugetlb = ptu_whatif_all_hugetlb_tables(report);
	char size[PTU_FORMAT_LEN], filled[PTU_FORMAT_LEN];
	enum ptu_whatif_kept kept;
	size_t i, nr = 0;

	if (!report->shared_known) {
		fputs("shared memory: not known; a recording does not have its files\n",
		      t->out);
		return;
	}
	fprintf(t->out,
		"shared memory%s: %" PRIu64
		" PTE table%s (%s) that huge pages make unnecessary, for %s of memory",
		report->nr_unopened ? " that could be read" : "", tables,
		ptu_plural(tables), ptu_whatif_tables_bytes(t, tables, size),
		ptu_format_exact(fill, t->bytes, filled));
	if (hugetlb > tables)
		fprintf(t->out, "; as hugetlb memory %" PRIu64 " (%s)", hugetlb,
			ptu_whatif_tables_bytes(t, hugetlb, size));
	fputc('\n', t->out);
	for (i = 0; i < report->nr_files; i++) {
		const size_t index = report->files[i].shown;
		const struct ptu_whatif_file *file = &report->files[index];

		if (!file->nr_mms ||
		    ptu_whatif_kept(report, file) != PTU_NOT_KEPT)
			continue;
		if (nr++ < MOST_FILES)
			say_file(t, index);
	}
	ptu_whatif_say_more(t, nr, MOST_FILES);
	for (kept = PTU_NOT_KEPT + 1; kept < PTU_NR_KEPT; kept++)
		say_kept(t, kept);
	if (report->nr_unopened)
		fprintf(t->out,
			"  %" PRIu64
			" shared mapping%s could not be read: this needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE in the initial user namespace\n",
			report->nr_unopened, ptu_plural(report->nr_unopened));
	if (report->nr_unread)
		say_unread(t);
}
