// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: bpf PID [FILE]
 *
 * Times the tool's BPF walk without the start of the tool: loading the programs and
 * finding the kernel's addresses (load_us); one walk of the process (took_us), which
 * ends with the records in memory; and one that does not read the content of PTE tables
 * (alone_us, alone_tables).  run_us is the longest run of a BPF program.  Prints `key
 * value` lines as floor does.  FILE gets the records in the format of the module's
 * `tables`.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acquire/bpf_run.h"
#include "acquire/bpf_walk.h"
#include "acquire/procfs.h"
#include "model/kernel_tables.h"

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static int failed(const struct ptu_err *err)
{
	fprintf(stderr, "bpf: %s\n", err->text);
	return 1;
}

static bool write_file(const char *path, const char *bytes, size_t nr_bytes)
{
	FILE *file = fopen(path, "w");
	bool is_written;

	if (!file)
		return false;
	is_written = fwrite(bytes, 1, nr_bytes, file) == nr_bytes;
	return !fclose(file) && is_written;
}

/* Return: number of PTE tables; *@ret_us: time of the walk.  0 with *@err on failure. */
static uint64_t walk(struct ptu_bpf *bpf, const struct ptu_geometry *geo,
		     pid_t pid, const char *path, uint64_t *ret_us,
		     struct ptu_err *err)
{
	struct ptu_snapshot snapshot;
	uint64_t tables = 0, began = now_us();
	size_t nr_bytes, i;
	char *bytes;

	if (ptu_bpf_walk(bpf, pid, 0, 0, &bytes, &nr_bytes, err))
		return 0;
	*ret_us = now_us() - began;
	if (path && !write_file(path, bytes, nr_bytes)) {
		perror(path);
		exit(1);
	}
	if (!ptu_snapshot_parse(bytes, nr_bytes, geo, &snapshot, err)) {
		for (i = 0; i < snapshot.nr_records; i++)
			tables += snapshot.records[i].type == PTAUDIT_TABLE &&
				  snapshot.records[i].level == PTAUDIT_PTE;
		ptu_snapshot_deinit(&snapshot);
	}
	free(bytes);
	return tables;
}

int main(int argc, char *argv[])
{
	struct ptu_err err = { "" };
	struct ptu_geometry geo;
	struct ptu_bpf *bpf;
	uint64_t began, loaded, took_us, alone_us, tables, alone;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: bpf PID [FILE]\n");
		return 2;
	}
	if (ptu_proc_geometry(&geo, &err))
		return failed(&err);
	began = now_us();
	if (ptu_bpf_open(&geo, &bpf, &err))
		return failed(&err);
	loaded = now_us();
	tables = walk(bpf, &geo, atoi(argv[1]), argc == 3 ? argv[2] : NULL,
		      &took_us, &err);
	ptu_bpf_tables_alone(bpf);
	alone = walk(bpf, &geo, atoi(argv[1]), NULL, &alone_us, &err);
	if (!tables || !alone)
		return failed(&err);
	printf("tables %" PRIu64 "\nload_us %" PRIu64 "\ntook_us %" PRIu64
	       "\nrun_us %" PRIu64 "\nalone_tables %" PRIu64
	       "\nalone_us %" PRIu64 "\n",
	       tables, loaded - began, took_us,
	       ptu_bpf_times(bpf)->run_ns_max / 1000, alone, alone_us);
	ptu_bpf_close(bpf);
	return 0;
}
