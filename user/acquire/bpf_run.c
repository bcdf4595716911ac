// SPDX-License-Identifier: LGPL-2.1-or-later
/* Load and run the BPF programs; must not interpret page-table entries. */
#define _GNU_SOURCE
#include "acquire/bpf_run.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "walk.skel.h"

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"

/* Source: include/linux/proc_ns.h (5.10 to 7.3). */
#define FIRST_USER_NAMESPACE 0xeffffffdu

/* Referenced by functions of walk.skel.h that are never called. */
#pragma weak bpf_object__attach_skeleton
#pragma weak bpf_object__destroy_skeleton
#pragma weak bpf_object__detach_skeleton
#pragma weak bpf_object__load_skeleton
#pragma weak bpf_object__open_skeleton

/* The libbpf functions in use, checked against its headers. */
#define BPF_FUNCTIONS(F)                    \
	F(libbpf_set_print)                 \
	F(bpf_object__open_mem)             \
	F(bpf_object__load)                 \
	F(bpf_object__close)                \
	F(bpf_object__find_program_by_name) \
	F(bpf_object__find_map_by_name)     \
	F(bpf_program__fd)                  \
	F(bpf_program__attach_iter)         \
	F(bpf_map__fd)                      \
	F(bpf_link__fd)                     \
	F(bpf_link__destroy)                \
	F(bpf_iter_create)                  \
	F(bpf_prog_test_run_opts)           \
	F(btf__load_vmlinux_btf)            \
	F(btf__find_by_name_kind)           \
	F(btf__free)

/* The programs' variables, in the layout that bpftool generates. */
typedef struct ptu_bpf_walk__bss variables_t;

/* An iterator program for one task, or for all tasks if @pid is 0. */
struct iterator {
	const struct bpf_program *program;
	struct bpf_link *link; /* attached for @pid; NULL: not attached */
	pid_t pid;
};

struct ptu_bpf_run {
	void *handle;
#define DECLARE(name) __typeof__(&name) name;
	BPF_FUNCTIONS(DECLARE)
#undef DECLARE
	struct bpf_object *object;
	struct iterator find_task;
	struct iterator list_vmas;
	int copy_tables; /* program descriptors */
	int follow_deposits;
	variables_t *variables;
	struct ptu_bpf_times times;
};

static int open_library(struct ptu_bpf_run *run, struct ptu_err *err)
{
	run->handle = dlopen("libbpf.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!run->handle)
		return ptu_err_set(err, -EOPNOTSUPP,
				   "walking page tables by BPF needs libbpf.so.1, which is not installed: install the package libbpf1");
#define FIND(name)                                                \
	run->name = (__typeof__(&name))dlsym(run->handle, #name); \
	if (!run->name)                                           \
		goto incomplete;
	BPF_FUNCTIONS(FIND)
#undef FIND
	/* errors are reported by return values; only main.c prints */
	run->libbpf_set_print(NULL);
	return 0;
incomplete:
	return ptu_err_set(err, -EOPNOTSUPP,
			   "libbpf.so.1 lacks a function that this tool uses: install a newer package libbpf1");
}

static bool has_capability(unsigned int capability)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[capability / 32].effective >> capability % 32 & 1;
}

/* Is lockdown in confidentiality mode?  Then BPF may not read kernel memory. */
static bool is_confidential(void)
{
	char text[128];
	ssize_t n;
	int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		return false;
	text[n] = '\0';
	return strstr(text, "[confidentiality]");
}

/* In a user namespace of its own, capabilities do not count for BPF. */
static bool is_nested_user(void)
{
	struct stat own;

	return !stat("/proc/self/ns/user", &own) &&
	       own.st_ino != FIRST_USER_NAMESPACE;
}

static int explain_load(int error, struct ptu_err *err)
{
	bool admin = has_capability(CAP_SYS_ADMIN);

	if (!admin && !has_capability(CAP_BPF))
		return ptu_err_set(err, -EPERM,
				   "walking page tables by BPF needs CAP_BPF, which this process does not have");
	if (!admin && !has_capability(CAP_PERFMON))
		return ptu_err_set(err, -EPERM,
				   "walking page tables by BPF needs CAP_PERFMON, which this process does not have");
	if (is_nested_user())
		return ptu_err_set(err, -EPERM,
				   "walking page tables by BPF needs the capabilities in the initial user namespace: this process runs in another one, as in a container without privileges");
	if (is_confidential())
		return ptu_err_set(err, -EPERM,
				   "the kernel is locked down (confidentiality): BPF may not read its memory");
	if (access(KERNEL_TYPES, R_OK))
		return ptu_err_set(err, -EOPNOTSUPP,
				   "walking page tables by BPF needs the kernel's BTF in " KERNEL_TYPES
				   " (CONFIG_DEBUG_INFO_BTF), which does not exist");
	if (error == -EPERM || error == -EACCES)
		return ptu_err_set(err, -EPERM,
				   "the kernel refuses BPF programs that read its memory: %s (see /sys/kernel/security/lockdown)",
				   strerror(-error));
	return ptu_err_set(err, -EOPNOTSUPP,
			   "the BPF programs that walk page tables cannot be loaded: %s (they need Linux 5.17 or later, and enough descriptors and memory)",
			   strerror(-error));
}

static int run_program(struct ptu_bpf_run *run, int program,
		       struct ptu_err *err)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	uint64_t began = ptu_now_ns(), took;
	int error = run->bpf_prog_test_run_opts(program, &options);

	took = ptu_now_ns() - began;
	run->times.nr_runs++;
	if (took > run->times.run_ns_max)
		run->times.run_ns_max = took;
	return error ? ptu_err_set(err, error,
				   "a BPF program could not be run: %s",
				   strerror(-error)) :
		       0;
}

static int find_programs(struct ptu_bpf_run *run, int *describe)
{
	const struct {
		const char *name;
		int *fd;
	} by_fd[] = { { "copy_tables", &run->copy_tables },
		      { "follow_deposits", &run->follow_deposits },
		      { "describe_kernel", describe } };
	struct bpf_object *object = run->object;
	const struct bpf_program *program;
	size_t i;

	run->find_task.program =
		run->bpf_object__find_program_by_name(object, "find_task");
	run->list_vmas.program =
		run->bpf_object__find_program_by_name(object, "list_vmas");
	if (!run->find_task.program || !run->list_vmas.program)
		return -ENOENT;
	for (i = 0; i < sizeof(by_fd) / sizeof(by_fd[0]); i++) {
		program = run->bpf_object__find_program_by_name(object,
								by_fd[i].name);
		if (!program)
			return -ENOENT;
		*by_fd[i].fd = run->bpf_program__fd(program);
	}
	return 0;
}

static int map_variables(struct ptu_bpf_run *run)
{
	struct bpf_map *map = run->bpf_object__find_map_by_name(run->object,
								".bss");
	void *memory;

	if (!map)
		return -ENOENT;
	memory = mmap(NULL, sizeof(*run->variables), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, run->bpf_map__fd(map), 0);
	if (memory == MAP_FAILED)
		return -errno;
	run->variables = memory;
	return 0;
}

static int load(struct ptu_bpf_run *run, struct ptu_err *err)
{
	/*
	 * If the kernel lacks a type, libbpf searches the modules' types, which needs
	 * CAP_SYS_ADMIN. It does not if the kernel's types come from a file.
	 */
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "ptaudit",
		    .btf_custom_path = has_capability(CAP_SYS_ADMIN) ?
					       NULL :
					       KERNEL_TYPES);
	size_t nr_bytes;
	const void *bytes = ptu_bpf_walk__elf_bytes(&nr_bytes);
	int describe, error;

	run->object = run->bpf_object__open_mem(bytes, nr_bytes, &options);
	if (!run->object)
		return explain_load(-errno, err);
	error = run->bpf_object__load(run->object);
	if (error)
		return explain_load(error, err);
	error = find_programs(run, &describe);
	if (!error)
		error = map_variables(run);
	if (error)
		return ptu_err_set(err, error,
				   "the BPF programs cannot be used: %s",
				   strerror(-error));
	return run_program(run, describe, err);
}

int ptu_bpf_run_open(struct ptu_bpf_run **ret, struct ptu_err *err)
{
	struct ptu_bpf_run *run = calloc(1, sizeof(*run));
	int error;

	if (!run)
		return ptu_err_set(err, -ENOMEM, "out of memory");
	error = open_library(run, err);
	if (!error)
		error = load(run, err);
	if (error) {
		ptu_bpf_run_close(run);
		return error;
	}
	*ret = run;
	return 0;
}

static void detach(struct ptu_bpf_run *run, struct iterator *iterator)
{
	if (iterator->link)
		run->bpf_link__destroy(iterator->link);
	iterator->link = NULL;
}

void ptu_bpf_run_close(struct ptu_bpf_run *run)
{
	if (run->variables)
		munmap(run->variables, sizeof(*run->variables));
	detach(run, &run->find_task);
	detach(run, &run->list_vmas);
	if (run->object)
		run->bpf_object__close(run->object);
	if (run->handle)
		dlclose(run->handle);
	free(run);
}

const struct ptu_bpf_kernel *ptu_bpf_run_kernel(const struct ptu_bpf_run *run)
{
	return &run->variables->kernel;
}

const struct ptu_bpf_times *ptu_bpf_run_times(const struct ptu_bpf_run *run)
{
	return &run->times;
}

int ptu_bpf_run_has_function(struct ptu_bpf_run *run, const char *name)
{
	struct btf *btf = run->btf__load_vmlinux_btf();
	int id;

	if (!btf)
		return -errno;
	id = run->btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);
	run->btf__free(btf);
	return id > 0;
}

/* Keep the iterator attached: each walk needs the same process several times. */
static int attach(struct ptu_bpf_run *run, struct iterator *iterator, pid_t pid)
{
	union bpf_iter_link_info info = { .task.tid = pid };
	LIBBPF_OPTS(bpf_iter_attach_opts, options, .link_info = &info,
		    .link_info_len = sizeof(info));

	if (iterator->link && iterator->pid == pid)
		return 0;
	detach(run, iterator);
	iterator->pid = pid;
	iterator->link = run->bpf_program__attach_iter(iterator->program,
						       pid ? &options : NULL);
	return iterator->link ? 0 : -errno;
}

static int read_all(int fd, char **bytes, size_t *nr_bytes)
{
	size_t capacity = 16 << 10, used = 0;
	char *buffer = malloc(capacity);
	int error = buffer ? 0 : -ENOMEM;

	while (!error) {
		ssize_t n = read(fd, buffer + used, capacity - used);
		char *more;

		if (!n)
			break;
		if (n < 0) {
			if (errno != EINTR && errno != EAGAIN)
				error = -errno;
			continue;
		}
		used += n;
		if (used < capacity)
			continue;
		more = realloc(buffer, capacity * 2);
		if (!more) {
			error = -ENOMEM;
			break;
		}
		buffer = more;
		capacity *= 2;
	}
	if (error) {
		free(buffer);
		return error;
	}
	*bytes = buffer;
	*nr_bytes = used;
	return 0;
}

/*
 * Run an iterator to its end; the program selects the task. Kernels before 6.1
 * cannot restrict it to one task, and later kernels accept only group leaders.
 *
 * @bytes: (out) output of the program; free() it
 */
static int iterate(struct ptu_bpf_run *run, struct iterator *iterator,
		   pid_t pid, bool is_all, char **bytes, size_t *nr_bytes)
{
	int fd, error = attach(run, iterator, is_all ? 0 : pid);

	if (error == -EINVAL && !is_all)
		error = attach(run, iterator, 0);
	if (error)
		return error;
	run->variables->wanted_pid = pid;
	run->variables->listed_to = 0;
	fd = run->bpf_iter_create(run->bpf_link__fd(iterator->link));
	if (fd < 0)
		return fd;
	error = read_all(fd, bytes, nr_bytes);
	close(fd);
	return error;
}

static int explain_iterate(int error, pid_t pid, struct ptu_err *err)
{
	return ptu_err_set(err, error, "BPF cannot look for process %d: %s",
			   (int)pid, strerror(-error));
}

/* On 6.18 the iterator was seen to skip process 1. */
static int explain_not_found(pid_t pid, struct ptu_err *err)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (access(path, F_OK))
		return ptu_err_set(err, -ESRCH, "process %d ended", (int)pid);
	return ptu_err_set(err, -EOPNOTSUPP,
			   "this kernel does not show process %d to BPF programs",
			   (int)pid);
}

int ptu_bpf_run_find(struct ptu_bpf_run *run, pid_t pid,
		     struct ptu_bpf_task *ret, struct ptu_err *err)
{
	struct ptu_bpf_task *task = &run->variables->task;
	int error = 0, is_all;
	size_t nr_bytes;
	char *bytes;

	memset(task, 0, sizeof(*task));
	for (is_all = 0; is_all < 2 && !error && !task->mm && !task->kthread;
	     is_all++) {
		error = iterate(run, &run->find_task, pid, is_all, &bytes,
				&nr_bytes);
		if (!error)
			free(bytes);
	}
	if (error)
		return explain_iterate(error, pid, err);
	if (!task->found)
		return explain_not_found(pid, err);
	if (!task->mm || task->kthread)
		return ptu_err_set(err, -EINVAL,
				   "process %d has no memory of its own: it is a kernel thread or a zombie",
				   (int)pid);
	*ret = *task;
	return 0;
}

int ptu_bpf_run_vmas(struct ptu_bpf_run *run, pid_t pid, uint64_t mm,
		     struct ptu_bpf_vma **vmas, size_t *nr_vmas,
		     struct ptu_err *err)
{
	int error = 0, is_all;
	size_t nr_bytes = 0;
	char *bytes;

	run->variables->wanted_mm = mm;
	/* every mm has a mapping; if none was listed, @pid may be a thread */
	for (is_all = 0; is_all < 2 && !error && !nr_bytes; is_all++) {
		error = iterate(run, &run->list_vmas, pid, is_all, &bytes,
				&nr_bytes);
		if (!error && !nr_bytes)
			free(bytes);
	}
	if (error)
		return explain_iterate(error, pid, err);
	if (!nr_bytes)
		return -EAGAIN;
	*vmas = (struct ptu_bpf_vma *)bytes;
	*nr_vmas = nr_bytes / sizeof(**vmas);
	return 0;
}

static int run_on(struct ptu_bpf_run *run, int program, uint64_t mm,
		  const uint64_t *addresses, size_t nr,
		  struct ptu_bpf_copied *ret, struct ptu_err *err)
{
	variables_t *variables = run->variables;
	int error;

	if (nr > PTU_BPF_CHUNK)
		return ptu_err_set(err, -EINVAL,
				   "it has too many tables for one run of a BPF program");
	variables->wanted_mm = mm;
	variables->nr_wanted = nr;
	memcpy(variables->addresses, addresses, nr * sizeof(*addresses));
	error = run_program(run, program, err);
	if (error)
		return error;
	*ret = (struct ptu_bpf_copied){
		.before = variables->before,
		.after = variables->after,
		.nr_faults = variables->nr_faults,
		.tables = (const uint8_t(*)[PTU_BPF_TABLE])variables->tables,
		.deposits = variables->deposits,
		.sharers = variables->sharers,
	};
	return 0;
}

int ptu_bpf_run_copy(struct ptu_bpf_run *run, uint64_t mm,
		     const uint64_t *addresses, size_t nr,
		     struct ptu_bpf_copied *ret, struct ptu_err *err)
{
	return run_on(run, run->copy_tables, mm, addresses, nr, ret, err);
}

int ptu_bpf_run_deposits(struct ptu_bpf_run *run, uint64_t mm,
			 const uint64_t *pages, const uint32_t *limits,
			 size_t nr, struct ptu_bpf_copied *ret,
			 struct ptu_err *err)
{
	if (nr <= PTU_BPF_CHUNK)
		memcpy(run->variables->limits, limits, nr * sizeof(*limits));
	return run_on(run, run->follow_deposits, mm, pages, nr, ret, err);
}
