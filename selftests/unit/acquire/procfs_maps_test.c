// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading mappings as text or in binary form, and the reasons why a file of a process cannot be
 * read.  The test has the text of maps and smaps, and chooses the state of the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/file.h"

#define ptu_maps_end fake_maps_end
#define ptu_maps_take fake_take
/* a function-like macro, because a struct has the same name */

/* file.h has declared the real ones already. */

#include "acquire/procfs_maps.c"

#undef ptu_maps_take
#undef ptu_maps_end
int ptu_maps_take(struct ptu_maps_parser *parser, const char *lines,
		  struct ptu_err *err);
int ptu_maps_end(struct ptu_maps_parser *parser, struct ptu_vmas *ret,
		 struct ptu_err *err);

#include "support/build.h"
#include "support/stdin.h"
#include "support/unit.h"

#define DIRFD 40
#define LINE "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
#define OTHER "7f0000000000-7f0000002000 rw-p 00000000 00:00 0 \n"
#define FIELDS                                                                 \
	"Size: 4 kB\nKernelPageSize: 4 kB\nRss: 4 kB\nPss: 4 kB\nSwap: 0 kB\n" \
	"AnonHugePages: 0 kB\nShmemPmdMapped: 0 kB\nFilePmdMapped: 0 kB\n"     \
	"Private_Hugetlb: 0 kB\nVmFlags: rd wr ht\n"

static struct {
	bool is_recording;
	const char *maps, *smaps;
	/* why a file cannot be opened or read */
	int open_error, lines_error;
	/* an error of the parser, at its end or not, and its message */
	int parse_error;
	bool at_end;
	const char *message;
	/* the state of the process, and what the kernel's ioctl returns */
	int gone, same, memory, status, query;
	bool lacks_mm;
	int geometry, recording_vmas;
	int nr_open;
	/* a copy of the descriptor that is open */
	int fd;
} fake;

static const struct ptu_proc proc = {
	.pid = 7, .tid = 7, .dirfd = DIRFD, .read_ns = 1500000000
};
static struct ptu_vmas vmas;
static struct ptu_err err;

static void set_up(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.maps = LINE;
	fake.smaps = LINE FIELDS;
	fake.gone = -ESTALE;
	fake.query = -ENOTTY;
	err.text[0] = '\0';
}

static void tear_down(void)
{
	ptu_vmas_deinit(&vmas);
	memset(&vmas, 0, sizeof(vmas));
}

bool ptu_file_is_recording(void)
{
	return fake.is_recording;
}

int ptu_file_open(int dirfd, const char *name, int flags)
{
	if (dirfd != DIRFD || strcmp(name, "maps") || flags)
		UNIT_FAIL("%s is opened", name);
	if (fake.open_error)
		return fake.open_error;
	return fake.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int ptu_file_lines(int dirfd, const char *name,
		   int (*take)(void *arg, const char *lines), void *arg)
{
	const char *text = strcmp(name, "maps") ? fake.smaps : fake.maps;

	if (dirfd != DIRFD || (strcmp(name, "maps") && strcmp(name, "smaps")))
		UNIT_FAIL("%s is read", name);
	if (fake.lines_error)
		return fake.lines_error;
	return *text ? take(arg, text) : 0;
}

int fake_take(struct ptu_maps_parser *parser, const char *lines,
	      struct ptu_err *ret_err)
{
	if (!fake.parse_error || fake.at_end)
		return ptu_maps_take(parser, lines, ret_err);
	return fake.message ? ptu_err_set(ret_err, fake.parse_error, "%s",
					  fake.message) :
			      fake.parse_error;
}

int fake_maps_end(struct ptu_maps_parser *parser, struct ptu_vmas *ret,
		  struct ptu_err *ret_err)
{
	int error = ptu_maps_end(parser, ret, ret_err);

	if (!fake.parse_error || error)
		return error;
	ptu_vmas_deinit(ret);
	return fake.parse_error;
}

int ptu_maps_query(int fd, const struct ptu_vmas *known, struct ptu_vmas *ret)
{
	if (fd != fake.fd || (known->nr_vmas && known != &vmas))
		UNIT_FAIL("another file is queried, or compared with others");
	*ret = (struct ptu_vmas){ 0 };
	if (fake.query == 1)
		*ret = (struct ptu_vmas){ .vmas = calloc(3, sizeof(*ret->vmas)),
					  .nr_vmas = 3 };
	return fake.query;
}

int ptu_proc_geometry(struct ptu_geometry *ret, struct ptu_err *ret_err)
{
	*ret = four_levels;
	return fake.geometry;
}

int ptu_proc_gone(const struct ptu_proc *of, struct ptu_err *ret_err)
{
	return ptu_err_set(ret_err, fake.gone, "gone");
}

int ptu_proc_has_memory(const struct ptu_proc *of, struct ptu_err *ret_err)
{
	return fake.memory ? ptu_err_set(ret_err, fake.memory, "no memory") : 0;
}

int ptu_proc_status(const struct ptu_proc *of, struct ptu_proc_status *ret,
		    struct ptu_err *ret_err)
{
	ret->has_mm = !fake.lacks_mm;
	return fake.status ? ptu_err_set(ret_err, fake.status, "no status") : 0;
}

int ptu_proc_same(const struct ptu_proc *of, struct ptu_err *ret_err)
{
	return fake.same == -ESRCH || fake.same == -ESTALE ?
		       ptu_err_set(ret_err, fake.same, "not the same") :
		       fake.same;
}

int ptu_recording_vmas(const struct ptu_vmas *of,
		       const struct ptu_geometry *geo, struct ptu_err *ret_err)
{
	if (geo->nr_entries[PTAUDIT_PTE] != 512)
		UNIT_FAIL("the geometry is unknown");
	return fake.recording_vmas;
}

/* The error that the user gets for a file. */
#define REFUSED(name, error, expected, message)                                \
	do {                                                                   \
		err.text[0] = '\0';                                            \
		CHECK_EQ(ptu_proc_refuse(&proc, name, error, &err), expected); \
		CHECK_STR(err.text, message);                                  \
	} while (0)

UNIT_TEST(the_reason_of_a_refusal_is_named)
{
	REFUSED("maps", -ENOMEM, -ENOMEM, "");
	REFUSED("pagemap", -ETIMEDOUT, -ETIMEDOUT,
		"process 7: reading pagemap took more than 1.5 seconds (the estimators scan and written skip empty ranges)");
	REFUSED("pagemap", -EACCES, -EACCES,
		"process 7: not allowed to read pagemap: run as its owner, or as root with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH; a security module can still forbid it");
	REFUSED("smaps", -EPERM, -EACCES,
		"process 7: not allowed to read smaps: run as its owner, or as root with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH; a security module can still forbid it");
	REFUSED("smaps", -ENOENT, -ENOENT,
		"process 7: this kernel has no /proc/PID/smaps (CONFIG_PROC_PAGE_MONITOR)");
	REFUSED("smaps", -EIO, -EIO,
		"process 7: cannot read smaps: Input/output error");
}

UNIT_TEST(the_end_of_a_process_comes_before_other_reasons)
{
	fake.same = -ESRCH;
	REFUSED("maps", -EACCES, -ESRCH, "not the same");
	REFUSED("maps", -ENOENT, -ESRCH, "not the same");
	fake.same = -ESTALE;
	REFUSED("maps", -EACCES, -ESTALE, "not the same");
	/* without a free descriptor, it is unknown whether the process still exists */
	fake.same = -EMFILE;
	REFUSED("maps", -EPERM, -EACCES,
		"process 7: not allowed to read maps: run as its owner, or as root with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH; a security module can still forbid it");
}

UNIT_TEST(a_task_without_memory_ends_or_has_called_exec)
{
	REFUSED("pagemap", -ESRCH, -EAGAIN,
		"process 7: it ended or started another program while it was read");
	/* the task exits; it is not dead yet */
	fake.lacks_mm = true;
	REFUSED("pagemap", -ESRCH, -ESTALE, "gone");
	fake.status = -ESRCH;
	REFUSED("pagemap", -ESRCH, -ESRCH, "no status");
}

UNIT_TEST(maps_is_read_although_standard_input_is_closed)
{
	int copy, some, same;

	fake.query = 1;
	copy = stdin_close();
	some = ptu_proc_some_maps(&proc, &vmas, &err);
	close(STDIN_FILENO);
	fake.fd = -1;
	same = ptu_proc_maps_same(&proc, &vmas, &err);
	stdin_restore(copy);
	CHECK_EQ(some, 0);
	CHECK_EQ(vmas.nr_vmas, 3);
	CHECK_EQ(same, -EAGAIN);
	CHECK_EQ(fake.fd, 0);
}

UNIT_TEST(maps_and_smaps_are_text)
{
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), 0);
	CHECK_EQ(vmas.nr_vmas, 1);
	CHECK_EQ(vmas.vmas[0].end, UINT64_C(0x7f0000001000));
	CHECK(!vmas.vmas[0].has_flags);
	tear_down();
	CHECK_EQ(ptu_proc_smaps(&proc, &vmas, &err), 0);
	CHECK_EQ(vmas.nr_vmas, 1);
	CHECK(vmas.vmas[0].has_flags);
	CHECK_EQ(vmas.vmas[0].flags, PTU_VM_HUGETLB);
}

UNIT_TEST(a_file_that_cannot_be_read_is_refused)
{
	fake.lines_error = -EIO;
	CHECK_EQ(ptu_proc_smaps(&proc, &vmas, &err), -EIO);
	CHECK_STR(err.text, "process 7: cannot read smaps: Input/output error");
}

UNIT_TEST(text_that_cannot_be_parsed_is_an_error)
{
	fake.parse_error = -EINVAL;
	fake.message = "no line of maps";
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), -EINVAL);
	CHECK_STR(err.text, "process 7: maps: no line of maps");
	err.text[0] = '\0';
	fake.at_end = true;
	CHECK_EQ(ptu_proc_smaps(&proc, &vmas, &err), -EINVAL);
	CHECK_STR(err.text, "process 7: smaps: Invalid argument");
}

UNIT_TEST(text_of_a_recording_cannot_have_changed)
{
	fake.parse_error = -EAGAIN;
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, NULL), -EAGAIN);
	fake.is_recording = true;
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, NULL), -EINVAL);
	/* other errors are kept */
	fake.parse_error = -ENOMEM;
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, NULL), -ENOMEM);
}

UNIT_TEST(some_maps_are_read_in_binary_form_if_possible)
{
	fake.query = 1;
	CHECK_EQ(ptu_proc_some_maps(&proc, &vmas, &err), 0);
	CHECK_EQ(vmas.nr_vmas, 3);
	CHECK(fcntl(fake.fd, F_GETFD) < 0);
	tear_down();
	fake.query = -ENOTTY;
	CHECK_EQ(ptu_proc_some_maps(&proc, &vmas, &err), 0);
	CHECK_EQ(vmas.nr_vmas, 1);
	tear_down();
	/* a process without mappings is no error here */
	fake.maps = "";
	CHECK_EQ(ptu_proc_some_maps(&proc, &vmas, &err), 0);
	CHECK_EQ(vmas.nr_vmas, 0);
	fake.open_error = -EACCES;
	CHECK_EQ(ptu_proc_some_maps(&proc, &vmas, &err), -EACCES);
	CHECK(strstr(err.text, "not allowed to read maps"));
}

UNIT_TEST(the_same_mappings_are_recognized_in_binary_form)
{
	/* the text differs, and is not read */
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), 0);
	fake.maps = OTHER;
	fake.query = 0;
	CHECK_EQ(ptu_proc_maps_same(&proc, &vmas, &err), 0);
	CHECK(fcntl(fake.fd, F_GETFD) < 0);
	fake.maps = LINE;
	fake.query = 1;
	CHECK_EQ(ptu_proc_maps_same(&proc, &vmas, &err), -EAGAIN);
}

UNIT_TEST(the_same_mappings_are_recognized_in_text)
{
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), 0);
	CHECK_EQ(ptu_proc_maps_same(&proc, &vmas, &err), 0);
	fake.maps = OTHER;
	CHECK_EQ(ptu_proc_maps_same(&proc, &vmas, &err), -EAGAIN);
	fake.lines_error = -EIO;
	CHECK_EQ(ptu_proc_maps_same(&proc, &vmas, &err), -EIO);
	err.text[0] = '\0';
	fake.open_error = -EPERM;
	CHECK_EQ(ptu_proc_maps_same(&proc, &vmas, &err), -EACCES);
	CHECK(strstr(err.text, "not allowed to read maps"));
}

UNIT_TEST(flags_are_taken_from_smaps)
{
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), 0);
	CHECK_EQ(ptu_proc_flags(&proc, &vmas, &err), 0);
	CHECK(vmas.vmas[0].has_flags);
	CHECK_EQ(vmas.vmas[0].flags, PTU_VM_HUGETLB);
	fake.lines_error = -EIO;
	CHECK_EQ(ptu_proc_flags(&proc, &vmas, &err), -EIO);
	CHECK_STR(err.text, "process 7: cannot read smaps: Input/output error");
}

UNIT_TEST(the_reason_why_a_process_has_no_mappings_is_named)
{
	fake.maps = "";
	/* exec() has replaced the memory */
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), -EAGAIN);
	CHECK_STR(err.text,
		  "process 7: it ended or started another program while it was read");
	err.text[0] = '\0';
	fake.lacks_mm = true;
	fake.gone = -ESRCH;
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), -ESRCH);
	CHECK_STR(err.text, "gone");
	err.text[0] = '\0';
	fake.status = -EIO;
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), -EIO);
	CHECK_STR(err.text, "no status");
	err.text[0] = '\0';
	fake.same = -ESTALE;
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), -ESTALE);
	CHECK_STR(err.text, "not the same");
	err.text[0] = '\0';
	fake.memory = -EINVAL;
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), -EINVAL);
	CHECK_STR(err.text, "no memory");
	CHECK(!vmas.vmas);
}

UNIT_TEST(mappings_of_a_recording_are_checked)
{
	fake.is_recording = true;
	/* the process of the recording may be a zombie by now */
	fake.memory = -EINVAL;
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), 0);
	CHECK_EQ(vmas.nr_vmas, 1);
	tear_down();
	fake.recording_vmas = -EBADMSG;
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, &err), -EBADMSG);
	CHECK(!vmas.vmas);
	fake.recording_vmas = 0;
	fake.geometry = -EPROTO;
	CHECK_EQ(ptu_proc_smaps(&proc, &vmas, &err), -EPROTO);
}

UNIT_MAIN_WITH(set_up, tear_down)
