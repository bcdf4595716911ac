/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces libbpf and the kernel in tests of acquire/bpf_run.c.  This header includes that
 * file.  The test defines the results of the BPF programs.
 */
#ifndef FAKE_LIBBPF_H
#define FAKE_LIBBPF_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "walk.skel.h"

/* Descriptors of programs, the map and a link. */
enum { COPY_FD = 31, DEPOSITS_FD, DESCRIBE_FD, MAP_FD, LINK_FD };

/* Descriptor of the file or the iterator that is read. 0 is valid like any other one. */
#define READ_FD 0

/* Capabilities; source of the numbers: include/uapi/linux/capability.h. */
#define SYS_ADMIN (UINT64_C(1) << 21)
#define PERFMON (UINT64_C(1) << 38)
#define BPF (UINT64_C(1) << 39)

enum { FIND, LIST, NR_ITERATORS };

/*
 * @no_library: libbpf is not installed
 * @no_btf: the file with the kernel's types does not exist
 * @no_process: the process 5 does not exist
 * @missing: a function of the library, a program or a map that does not exist
 * @..._errno, @..._error: of the call that fails; 0: it succeeds
 * @allocation_fails: number of the allocation that fails; 0: none
 * @user_namespace: its inode; 0: the kernel has no user namespaces
 * @lockdown: contents of the file; NULL: there is none
 * @run_ns: how long a program runs
 * @shows: what the program find_task stores about process 5
 * @shows_to_all_only: it stores nothing if its iterator is for one task
 * @lists_to_all_only: an iterator for one task prints nothing
 * @refuses_pids: the kernel has no iterators for one task
 * @output: [nr_output] what an iterator prints; one read returns up to @most_read bytes
 * @is_file: the file was opened last, not an iterator
 * @interrupts: number of reads that @interrupt_errno ends first
 * @attached: PIDs of the iterators; 0: all tasks, -1: not attached
 * @nr_left: number of libraries, objects, links, mappings, types and descriptors in use
 * @function: the only one of the kernel
 */
static struct fake {
	bool no_library, no_btf, no_process;
	const char *missing;
	int open_mem_errno, map_errno, attach_errno, read_errno, capget_errno,
		btf_errno;
	int load_error, iter_error, run_error;
	unsigned int allocation_fails;
	uint64_t capabilities;
	ino_t user_namespace;
	const char *lockdown;
	uint64_t now_ns, run_ns;
	struct ptu_bpf_task shows;
	bool shows_to_all_only, lists_to_all_only, refuses_pids;
	const char *output;
	bool is_file;
	size_t nr_output, at, most_read;
	unsigned int interrupts;
	int interrupt_errno;
	pid_t attached[NR_ITERATORS];
	unsigned int nr_attached, nr_iterations, nr_printers, nr_runs;
	int last_program;
	int nr_left;
	const char *object_name, *btf_path;
	const char *function;
} fake;

#define LOCKED_DOWN "none integrity [confidentiality]\n"

/* The variables of the programs. */
static struct ptu_bpf_walk__bss bss;

static void *fake_dlopen(const char *name, int flags);
static void *fake_dlsym(void *handle, const char *name);
static int fake_dlclose(void *handle);

static inline int failed(int error)
{
	errno = error;
	return error ? -1 : 0;
}

static inline long fake_capget(long number, void *head, void *data)
{
	const struct __user_cap_header_struct *header = head;
	struct __user_cap_data_struct *sets = data;

	if (number != SYS_capget ||
	    header->version != _LINUX_CAPABILITY_VERSION_3 || header->pid)
		return failed(EINVAL);
	for (unsigned int i = 0; i < 2; i++) {
		sets[i].effective = (uint32_t)(fake.capabilities >> 32 * i);
		sets[i].permitted = sets[i].inheritable = 0xffffffff;
	}
	return failed(fake.capget_errno);
}

static inline int fake_file_open(const char *path, int flags)
{
	if (!fake.lockdown || strcmp(path, "/sys/kernel/security/lockdown") ||
	    flags != (O_RDONLY | O_CLOEXEC))
		return failed(ENOENT);
	fake.nr_left++;
	fake.is_file = true;
	return READ_FD;
}

static void show_task(void);

static inline ssize_t fake_read(int fd, void *bytes, size_t nr)
{
	const char *from = fake.is_file ? fake.lockdown : fake.output;
	const bool is_hidden = fake.lists_to_all_only && fake.attached[LIST];
	const size_t nr_from = fake.is_file ? strlen(from) :
			       is_hidden    ? 0 :
					      fake.nr_output;
	size_t nr_read = nr;

	if (fd != READ_FD)
		return failed(EBADF);
	if (fake.interrupts && fake.interrupts--)
		return failed(fake.interrupt_errno);
	if (fake.read_errno)
		return failed(fake.read_errno);
	if (fake.is_file)
		/* what an earlier call may have left in the buffer */
		memcpy(bytes, LOCKED_DOWN, sizeof(LOCKED_DOWN));
	else
		show_task();
	if (nr_read > nr_from - fake.at)
		nr_read = nr_from - fake.at;
	if (nr_read > fake.most_read)
		nr_read = fake.most_read;
	if (nr_read)
		memcpy(bytes, from + fake.at, nr_read);
	fake.at = fake.is_file ? 0 : fake.at + nr_read;
	return (ssize_t)nr_read;
}

static inline int fake_close(int fd)
{
	fake.nr_left -= fd == READ_FD;
	return 0;
}

static inline int fake_stat(const char *path, struct stat *ret)
{
	ret->st_ino = fake.user_namespace;
	return failed(strcmp(path, "/proc/self/ns/user") ||
				      !fake.user_namespace ?
			      ENOENT :
			      0);
}

static inline int fake_access(const char *path, int mode)
{
	if (!strcmp(path, "/sys/kernel/btf/vmlinux") && mode == R_OK)
		return failed(fake.no_btf ? ENOENT : 0);
	if (!strcmp(path, "/proc/5") && mode == F_OK)
		return failed(fake.no_process ? ENOENT : 0);
	return failed(ENOTDIR);
}

static inline void *fake_mmap(void *addr, size_t nr, int prot, int flags,
			      int fd, off_t at)
{
	if (addr || nr != sizeof(bss) || prot != (PROT_READ | PROT_WRITE) ||
	    flags != (MAP_SHARED | MAP_POPULATE) || fd != MAP_FD || at)
		fake.map_errno = EBADF;
	if (failed(fake.map_errno))
		return MAP_FAILED;
	fake.nr_left++;
	return &bss;
}

static inline int fake_munmap(void *addr, size_t nr)
{
	fake.nr_left -= addr == &bss && nr == sizeof(bss);
	return 0;
}

static inline bool lacks_memory(void)
{
	return fake.allocation_fails && !--fake.allocation_fails;
}

#define dlopen(name, flags) fake_dlopen(name, flags)
#define dlsym(handle, name) fake_dlsym(handle, name)
#define dlclose(handle) fake_dlclose(handle)
#define syscall(...) fake_capget(__VA_ARGS__)
#define open(path, flags) fake_file_open(path, flags)
#define read(fd, to, nr) fake_read(fd, to, nr)
#define close(fd) fake_close(fd)
#define stat(path, ret) fake_stat(path, ret)
#define access(path, mode) fake_access(path, mode)
#define mmap(...) fake_mmap(__VA_ARGS__)
#define munmap(addr, nr) fake_munmap(addr, nr)
#define malloc(nr) (lacks_memory() ? NULL : malloc(nr))
#define calloc(nr, each) (lacks_memory() ? NULL : calloc(nr, each))
#define realloc(old, nr) (lacks_memory() ? NULL : realloc(old, nr))
#include "acquire/bpf_run.c"
#undef dlopen
#undef dlsym
#undef dlclose
#undef syscall
#undef open
#undef read
#undef close
#undef stat
#undef access
#undef mmap
#undef munmap
#undef malloc
#undef calloc
#undef realloc

#include "support/unit.h"

/* Any addresses serve as handles. */
static char library, object, map, btf, programs[NR_ITERATORS],
	links[NR_ITERATORS], other_programs[3];
static const char *const names[] = { "find_task", "list_vmas" };
static const char *const other_names[] = { "copy_tables", "follow_deposits",
					   "describe_kernel" };

static struct ptu_bpf_run *run;
static struct ptu_err err;

static inline bool is_missing(const char *name)
{
	return fake.missing && !strcmp(fake.missing, name);
}

/* The program finds the task if its iterator shows it. */
static void show_task(void)
{
	if (fake.attached[FIND] < 0 || bss.wanted_pid != 5)
		return;
	if (fake.attached[FIND] && fake.shows_to_all_only)
		return;
	bss.task = fake.shows;
}

uint64_t ptu_now_ns(void)
{
	return fake.now_ns;
}

static libbpf_print_fn_t fake_set_print(libbpf_print_fn_t print)
{
	fake.nr_printers += !print;
	return NULL;
}

static struct bpf_object *fake_open_mem(const void *bytes, size_t nr_bytes,
					const struct bpf_object_open_opts *opts)
{
	fake.object_name = opts->object_name;
	fake.btf_path = opts->btf_custom_path;
	if (nr_bytes != sizeof(WALK_ELF) || memcmp(bytes, WALK_ELF, nr_bytes))
		fake.open_mem_errno = ENOEXEC;
	if (failed(fake.open_mem_errno))
		return NULL;
	fake.nr_left++;
	return (struct bpf_object *)&object;
}

static int fake_load(struct bpf_object *o)
{
	return o == (struct bpf_object *)&object ? fake.load_error : -EBADF;
}

static void fake_object_close(struct bpf_object *o)
{
	fake.nr_left -= o == (struct bpf_object *)&object;
}

static struct bpf_program *fake_find_program(const struct bpf_object *o,
					     const char *name)
{
	if (o != (struct bpf_object *)&object || is_missing(name))
		return NULL;
	for (unsigned int i = 0; i < NR_ITERATORS; i++)
		if (!strcmp(names[i], name))
			return (struct bpf_program *)&programs[i];
	for (unsigned int i = 0; i < 3; i++)
		if (!strcmp(other_names[i], name))
			return (struct bpf_program *)&other_programs[i];
	return NULL;
}

static struct bpf_map *fake_find_map(const struct bpf_object *o,
				     const char *name)
{
	return o == (struct bpf_object *)&object && !is_missing(name) &&
			       !strcmp(name, ".bss") ?
		       (struct bpf_map *)&map :
		       NULL;
}

static int fake_program_fd(const struct bpf_program *program)
{
	return COPY_FD + (int)((const char *)program - other_programs);
}

static int fake_map_fd(const struct bpf_map *m)
{
	return m == (const struct bpf_map *)&map ? MAP_FD : -1;
}

static struct bpf_link *fake_attach(const struct bpf_program *program,
				    const struct bpf_iter_attach_opts *opts)
{
	const ptrdiff_t i = (const char *)program - programs;
	const pid_t pid = opts ? (pid_t)opts->link_info->task.tid : 0;

	if (i < 0 || i >= NR_ITERATORS || fake.attached[i] != -1 ||
	    (opts && opts->link_info_len != sizeof(*opts->link_info)))
		UNIT_FAIL("program %td is attached wrongly", i);
	fake.nr_attached++;
	if (failed(fake.attach_errno) || (pid && fake.refuses_pids)) {
		errno = fake.attach_errno ? fake.attach_errno : EINVAL;
		return NULL;
	}
	fake.attached[i] = pid;
	fake.nr_left++;
	return (struct bpf_link *)&links[i];
}

static int fake_link_fd(const struct bpf_link *link)
{
	return LINK_FD + 100 * (int)((const char *)link - links);
}

static int fake_destroy(struct bpf_link *link)
{
	fake.attached[(char *)link - links] = -1;
	fake.nr_left--;
	return 0;
}

static int fake_iter_create(int fd)
{
	if (fd != LINK_FD && fd != LINK_FD + 100)
		UNIT_FAIL("link %d has an iterator", fd);
	if (bss.listed_to)
		UNIT_FAIL("VMAs of an earlier list are skipped");
	fake.nr_iterations++;
	fake.at = 0;
	if (fake.iter_error)
		return fake.iter_error;
	fake.nr_left++;
	fake.is_file = false;
	return READ_FD;
}

static int fake_test_run(int fd, struct bpf_test_run_opts *opts)
{
	if (opts->sz != sizeof(*opts))
		UNIT_FAIL("the options have %zu bytes", (size_t)opts->sz);
	fake.last_program = fd;
	fake.nr_runs++;
	fake.now_ns += fake.run_ns;
	return fake.run_error;
}

static struct btf *fake_load_btf(void)
{
	if (failed(fake.btf_errno))
		return NULL;
	fake.nr_left++;
	return (struct btf *)&btf;
}

static __s32 fake_find_type(const struct btf *b, const char *name, __u32 kind)
{
	if (b != (struct btf *)&btf || kind != BTF_KIND_FUNC)
		UNIT_FAIL("%s is looked up as a type of kind %u", name, kind);
	return fake.function && !strcmp(fake.function, name) ? 1 : -ENOENT;
}

static void fake_free_btf(struct btf *b)
{
	fake.nr_left -= b == (struct btf *)&btf;
}

static const struct {
	const char *name;
	void *function;
} functions[] = {
	{ "libbpf_set_print", fake_set_print },
	{ "bpf_object__open_mem", fake_open_mem },
	{ "bpf_object__load", fake_load },
	{ "bpf_object__close", fake_object_close },
	{ "bpf_object__find_program_by_name", fake_find_program },
	{ "bpf_object__find_map_by_name", fake_find_map },
	{ "bpf_program__fd", fake_program_fd },
	{ "bpf_program__attach_iter", fake_attach },
	{ "bpf_map__fd", fake_map_fd },
	{ "bpf_link__fd", fake_link_fd },
	{ "bpf_link__destroy", fake_destroy },
	{ "bpf_iter_create", fake_iter_create },
	{ "bpf_prog_test_run_opts", fake_test_run },
	{ "btf__load_vmlinux_btf", fake_load_btf },
	{ "btf__find_by_name_kind", fake_find_type },
	{ "btf__free", fake_free_btf },
};

#define NR_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static void *fake_dlopen(const char *name, int flags)
{
	if (fake.no_library || strcmp(name, "libbpf.so.1") ||
	    flags != (RTLD_NOW | RTLD_LOCAL))
		return NULL;
	fake.nr_left++;
	return &library;
}

static void *fake_dlsym(void *handle, const char *name)
{
	for (size_t i = 0; i < NR_FUNCTIONS; i++)
		if (handle == &library && !is_missing(name) &&
		    !strcmp(functions[i].name, name))
			return functions[i].function;
	return NULL;
}

static int fake_dlclose(void *handle)
{
	fake.nr_left -= handle == &library;
	return 0;
}

/* A kernel that accepts all of it, and a process with all capabilities. */
static inline void be_kernel(void)
{
	fake = (struct fake){ .capabilities = UINT64_MAX,
			      .user_namespace = 0xeffffffd,
			      .now_ns = 1000,
			      .run_ns = 7,
			      .output = "",
			      .most_read = SIZE_MAX,
			      .attached = { -1, -1 } };
	memset(&bss, 0, sizeof(bss));
	err.text[0] = '\0';
}

/* The library, the object and the mapping are in use until the end. */
#define NR_OPEN 3

#endif
