// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read kernel memory; must not interpret it. */
#include "acquire/kcore.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/file.h"

static int read_at(int fd, void *buffer, size_t bytes, uint64_t offset)
{
	ssize_t n = ptu_file_pread(fd, buffer, bytes, (off_t)offset);

	if (n < 0)
		return (int)n;
	return (size_t)n == bytes ? 0 : -EFAULT;
}

/* Source: fs/proc/kcore.c, read_kcore_iter(), kclist_add() (6.1 to 7.3) */
static int read_segments(struct ptu_kcore *kcore)
{
	Elf64_Ehdr header;
	Elf64_Phdr *phdrs;
	int error = read_at(kcore->fd, &header, sizeof(header), 0);
	size_t i;

	if (error)
		return error;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(*phdrs))
		return -EBADMSG;
	phdrs = calloc(header.e_phnum + 1u, sizeof(*phdrs));
	kcore->segments = calloc(header.e_phnum + 1u, sizeof(*kcore->segments));
	if (!phdrs || !kcore->segments)
		error = -ENOMEM;
	if (!error)
		error = read_at(kcore->fd, phdrs,
				header.e_phnum * sizeof(*phdrs),
				header.e_phoff);
	for (i = 0; !error && i < header.e_phnum; i++) {
		if (phdrs[i].p_type != PT_LOAD)
			continue;
		kcore->segments[kcore->nr_segments++] =
			(struct ptu_kcore_segment){
				.start = phdrs[i].p_vaddr,
				.end = phdrs[i].p_vaddr + phdrs[i].p_memsz,
				.offset = phdrs[i].p_offset,
				.phys = phdrs[i].p_paddr,
			};
	}
	free(phdrs);
	return error;
}

/* Up to 6.12, the name of text_poke_mm is poking_mm. */
static int take_symbols(void *arg, const char *lines)
{
	struct ptu_kcore *kcore = arg;
	const struct {
		const char *name;
		uint64_t *ret;
	} wanted[] = {
		{ "init_top_pgt", &kcore->init_pgd },
		{ "pgd_list", &kcore->pgd_list },
		{ "poking_mm", &kcore->text_poke_mm },
		{ "text_poke_mm", &kcore->text_poke_mm },
		{ "vmemmap_base", &kcore->vmemmap_base },
	};
	size_t i;

	while (*lines) {
		size_t bytes = strcspn(lines, "\n");
		char *end;
		uint64_t addr = strtoull(lines, &end, 16);

		/* a line is "ffffffff81000000 T name" */
		for (i = 0; end - lines + 3 < (long)bytes &&
			    i < sizeof(wanted) / sizeof(wanted[0]);
		     i++) {
			size_t name_bytes = strlen(wanted[i].name);

			if ((size_t)(lines + bytes - (end + 3)) == name_bytes &&
			    !memcmp(end + 3, wanted[i].name, name_bytes))
				*wanted[i].ret = addr;
		}
		lines += bytes + (lines[bytes] == '\n');
	}
	return 0;
}

static int open_error(int error, struct ptu_err *err)
{
	if (error == -ENOENT)
		return ptu_err_set(err, error,
				   "this kernel has no /proc/kcore");
	return ptu_err_set(err, error, "cannot read /proc/kcore: %s",
			   error == -EPERM || error == -EACCES ?
				   "it needs root, and a kernel that is not locked down" :
				   strerror(-error));
}

int ptu_kcore_open(struct ptu_kcore *ret, struct ptu_err *err)
{
	struct ptu_kcore kcore = { 0 };
	int error;

	kcore.fd = ptu_file_open(PTU_PROC_ROOT, "kcore", 0);
	if (kcore.fd < 0)
		return open_error(kcore.fd, err);
	error = read_segments(&kcore);
	if (error) {
		open_error(error, err);
	} else {
		error = ptu_file_lines(PTU_PROC_ROOT, "kallsyms", take_symbols,
				       &kcore);
		if (!error && !kcore.init_pgd)
			error = -ENOENT;
		if (error)
			ptu_err_set(err, error,
				    "/proc/kallsyms does not say where the kernel's PGD is");
	}
	if (error) {
		ptu_kcore_close(&kcore);
		return error;
	}
	*ret = kcore;
	return 0;
}

void ptu_kcore_close(struct ptu_kcore *kcore)
{
	close(kcore->fd);
	free(kcore->segments);
	kcore->segments = NULL;
	kcore->nr_segments = 0;
}

int ptu_kcore_read(const struct ptu_kcore *kcore, uint64_t addr, void *buffer,
		   size_t bytes)
{
	size_t i;

	for (i = 0; i < kcore->nr_segments; i++) {
		const struct ptu_kcore_segment *segment = &kcore->segments[i];

		if (addr >= segment->start && addr + bytes <= segment->end)
			return read_at(kcore->fd, buffer, bytes,
				       segment->offset + addr - segment->start);
	}
	return -EFAULT;
}

int ptu_kcore_read_phys(const struct ptu_kcore *kcore, uint64_t phys,
			void *buffer, size_t bytes)
{
	size_t i;

	for (i = 0; i < kcore->nr_segments; i++) {
		const struct ptu_kcore_segment *segment = &kcore->segments[i];
		uint64_t reach = segment->end - segment->start;

		/* segments that are not RAM have physical address -1 or 0 */
		if (segment->phys == UINT64_MAX || phys < segment->phys ||
		    phys + bytes > segment->phys + reach)
			continue;
		return read_at(kcore->fd, buffer, bytes,
			       segment->offset + phys - segment->phys);
	}
	return -EFAULT;
}
