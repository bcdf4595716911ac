// SPDX-License-Identifier: GPL-2.0-only
/* Loading the BPF programs: the calls of libbpf, and the message of each failure. */
#define _GNU_SOURCE
#include "acquire/fake_libbpf.h"

#define NEEDS "walking page tables by BPF needs "
#define UNUSABLE "the BPF programs cannot be used: "
#define NO_LIBRARY                                                        \
	NEEDS "libbpf.so.1, which is not installed: install the package " \
	      "libbpf1"
#define OLD_LIBRARY                                          \
	"libbpf.so.1 lacks a function that this tool uses: " \
	"install a newer package libbpf1"
#define NO_BPF NEEDS "CAP_BPF, which this process does not have"
#define NO_PERFMON NEEDS "CAP_PERFMON, which this process does not have"
#define NESTED                                                          \
	NEEDS "the capabilities in the initial user namespace: this "   \
	      "process runs in another one, as in a container without " \
	      "privileges"
#define LOCKED                                                           \
	"the kernel is locked down (confidentiality): BPF may not read " \
	"its memory"
#define NO_BTF                                               \
	NEEDS "the kernel's BTF in /sys/kernel/btf/vmlinux " \
	      "(CONFIG_DEBUG_INFO_BTF), which does not exist"
#define REFUSED(why)                                                 \
	"the kernel refuses BPF programs that read its memory: " why \
	" (see /sys/kernel/security/lockdown)"
#define NOT_LOADED(why)                                                 \
	"the BPF programs that walk page tables cannot be loaded: " why \
	" (they need Linux 5.17 or later, and enough descriptors and memory)"

UNIT_TEST(programs_are_loaded_and_closed)
{
	be_kernel();
	CHECK_EQ(ptu_bpf_run_open(&run, &err), 0);
	CHECK_STR(fake.object_name, "ptaudit");
	CHECK_EQ(fake.nr_printers, 1);
	CHECK_EQ(fake.nr_left, NR_OPEN);
	CHECK_EQ(fake.nr_attached, 0);
	CHECK_EQ(fake.nr_runs, 1);
	CHECK_EQ(fake.last_program, DESCRIBE_FD);
	bss.kernel.page_bytes = 56;
	CHECK_EQ(ptu_bpf_run_kernel(run)->page_bytes, 56);
	ptu_bpf_run_close(run);
	CHECK_EQ(fake.nr_left, 0);
}

/* An error leaves nothing open. */
static void open_fails(int error, const char *text)
{
	run = NULL;
	err.text[0] = '\0';
	CHECK_EQ(ptu_bpf_run_open(&run, &err), error);
	CHECK_STR(err.text, text);
	CHECK(!run);
	CHECK_EQ(fake.nr_left, 0);
}

UNIT_TEST(the_library_must_be_installed_and_complete)
{
	be_kernel();
	fake.no_library = true;
	open_fails(-EOPNOTSUPP, NO_LIBRARY);
	fake.no_library = false;
	for (unsigned int i = 0; i < NR_FUNCTIONS; i++) {
		fake.missing = functions[i].name;
		open_fails(-EOPNOTSUPP, OLD_LIBRARY);
		CHECK_EQ(fake.nr_printers, 0);
	}
	fake.missing = NULL;
	fake.allocation_fails = 1;
	open_fails(-ENOMEM, "out of memory");
}

UNIT_TEST(programs_and_variables_must_exist)
{
	static const char *const all[] = { "find_task",	      "list_vmas",
					   "copy_tables",     "follow_deposits",
					   "describe_kernel", ".bss" };

	be_kernel();
	for (unsigned int i = 0; i < 6; i++) {
		fake.missing = all[i];
		open_fails(-ENOENT, UNUSABLE "No such file or directory");
	}
	fake.missing = NULL;
	fake.map_errno = EPERM;
	open_fails(-EPERM, UNUSABLE "Operation not permitted");
	fake.map_errno = 0;
	fake.run_error = -EACCES;
	open_fails(-EACCES,
		   "a BPF program could not be run: Permission denied");
}

/* With CAP_SYS_ADMIN, libbpf may search the types of modules. */
UNIT_TEST(types_come_from_a_file_without_cap_sys_admin)
{
	static const uint64_t others[] = { 0, BPF | PERFMON,
					   SYS_ADMIN << 1 | SYS_ADMIN >> 1,
					   SYS_ADMIN << 32 };

	be_kernel();
	fake.capabilities = SYS_ADMIN;
	CHECK_EQ(ptu_bpf_run_open(&run, &err), 0);
	CHECK(!fake.btf_path);
	ptu_bpf_run_close(run);
	for (unsigned int i = 0; i < 4; i++) {
		fake.capabilities = others[i];
		CHECK_EQ(ptu_bpf_run_open(&run, &err), 0);
		CHECK_STR(fake.btf_path, "/sys/kernel/btf/vmlinux");
		ptu_bpf_run_close(run);
	}
	fake.capabilities = SYS_ADMIN;
	fake.capget_errno = EPERM;
	CHECK_EQ(ptu_bpf_run_open(&run, &err), 0);
	CHECK_STR(fake.btf_path, "/sys/kernel/btf/vmlinux");
	ptu_bpf_run_close(run);
}

UNIT_TEST(lacking_capabilities_are_named)
{
	be_kernel();
	fake.load_error = -EPERM;
	fake.capabilities = 0;
	open_fails(-EPERM, NO_BPF);
	fake.capabilities = ~(SYS_ADMIN | BPF);
	open_fails(-EPERM, NO_BPF);
	fake.capabilities = ~(SYS_ADMIN | PERFMON);
	open_fails(-EPERM, NO_PERFMON);
	fake.capabilities = BPF;
	open_fails(-EPERM, NO_PERFMON);
	fake.capabilities = BPF | PERFMON;
	open_fails(-EPERM, REFUSED("Operation not permitted"));
	fake.capabilities = SYS_ADMIN;
	open_fails(-EPERM, REFUSED("Operation not permitted"));
	fake.capget_errno = EPERM;
	open_fails(-EPERM, NO_BPF);
}

UNIT_TEST(capabilities_do_not_count_in_another_user_namespace)
{
	be_kernel();
	fake.load_error = -EPERM;
	fake.user_namespace = 0xeffffffe;
	open_fails(-EPERM, NESTED);
	fake.capabilities = 0;
	open_fails(-EPERM, NO_BPF);
	fake.capabilities = UINT64_MAX;
	/* a kernel without user namespaces */
	fake.user_namespace = 0;
	open_fails(-EPERM, REFUSED("Operation not permitted"));
}

UNIT_TEST(lockdown_forbids_bpf_only_for_confidentiality)
{
	be_kernel();
	fake.load_error = -EPERM;
	fake.lockdown = LOCKED_DOWN;
	open_fails(-EPERM, LOCKED);
	fake.lockdown = "none [integrity] confidentiality\n";
	open_fails(-EPERM, REFUSED("Operation not permitted"));
	/* this text is shorter than the one that is left in the buffer */
	fake.lockdown = "none ";
	open_fails(-EPERM, REFUSED("Operation not permitted"));
	fake.lockdown = "";
	open_fails(-EPERM, REFUSED("Operation not permitted"));
	fake.lockdown = LOCKED_DOWN;
	fake.read_errno = EIO;
	open_fails(-EPERM, REFUSED("Operation not permitted"));
}

/* The buffer has 128 bytes. The last one is the terminating zero. */
UNIT_TEST(a_long_text_of_lockdown_is_cut_off)
{
	char text[200];

	be_kernel();
	fake.load_error = -EPERM;
	fake.lockdown = text;
	memset(text, 'x', sizeof(text));
	text[199] = '\0';
	open_fails(-EPERM, REFUSED("Operation not permitted"));
	memcpy(text + 127 - 17, "[confidentiality]", 17);
	open_fails(-EPERM, LOCKED);
}

UNIT_TEST(other_reasons_are_those_of_the_kernel)
{
	be_kernel();
	fake.no_btf = true;
	fake.load_error = -ESRCH;
	open_fails(-EOPNOTSUPP, NO_BTF);
	fake.no_btf = false;
	open_fails(-EOPNOTSUPP, NOT_LOADED("No such process"));
	fake.load_error = -EACCES;
	open_fails(-EPERM, REFUSED("Permission denied"));
	fake.load_error = 0;
	fake.open_mem_errno = EINVAL;
	open_fails(-EOPNOTSUPP, NOT_LOADED("Invalid argument"));
	fake.open_mem_errno = EPERM;
	open_fails(-EPERM, REFUSED("Operation not permitted"));
}

UNIT_MAIN
