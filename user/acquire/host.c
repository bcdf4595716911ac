// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read kernel, machine and time of a measurement; must not look at processes. */
#include "acquire/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>

#include "acquire/file.h"
#include "base/escape.h"

static int read_system(struct ptu_host *ret, struct ptu_err *err)
{
	struct ptu_host host = { .page_bytes = getauxval(AT_PAGESZ) };
	time_t now = time(NULL);
	struct utsname name;
	struct tm utc;

	if (uname(&name))
		return ptu_err_set(err, -errno, "uname: %s", strerror(errno));
	if (!gmtime_r(&now, &utc) ||
	    !strftime(host.time, sizeof(host.time), "%Y-%m-%dT%H:%M:%SZ", &utc))
		return ptu_err_set(err, -ERANGE, "the clock is out of range");
	snprintf(host.release, sizeof(host.release), "%s", name.release);
	snprintf(host.machine, sizeof(host.machine), "%s", name.machine);
	*ret = host;
	return 0;
}

unsigned int ptu_host_address_bits(uint64_t page_bytes)
{
	static const unsigned int known[] = { 52, 48, 47, 42, 39, 36 };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		/* the lowest address that needs all of these bits */
		void *want = (void *)(uintptr_t)(UINT64_C(1) << (known[i] - 1));
		void *got = mmap(want, page_bytes, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS |
					 MAP_FIXED_NOREPLACE,
				 -1, 0);

		if (got != MAP_FAILED)
			munmap(got, page_bytes);
		if (got == want || (got == MAP_FAILED && errno == EEXIST))
			return known[i];
	}
	return 0;
}

void ptu_host_write(const struct ptu_host *host, FILE *out)
{
	fprintf(out,
		"ptaudit-recording %d\nrelease %s\nmachine %s\npage_size %" PRIu64
		"\ntime %s\n",
		PTU_RECORDING, host->release, host->machine, host->page_bytes,
		host->time);
}

int ptu_host_read(struct ptu_host *ret, struct ptu_err *err)
{
	struct ptu_host host = { 0 };
	char *about, *again = NULL;
	char shown[PTU_ESCAPE_BYTES(512)];
	size_t again_bytes;
	int error, version = 0, fields;
	FILE *out;

	if (!ptu_file_is_recording())
		return read_system(ret, err);
	error = ptu_file_read(PTU_PROC_ROOT, "about", 0, &about);
	if (error)
		return ptu_err_set(err, error,
				   "cannot read the recording's about: %s",
				   strerror(-error));
	fields = sscanf(about,
			"ptaudit-recording %d\nrelease %64s\nmachine %64s\n"
			"page_size %" SCNu64 "\ntime %31s",
			&version, host.release, host.machine, &host.page_bytes,
			host.time);
	if (fields < 1 || version != PTU_RECORDING) {
		free(about);
		return ptu_err_set(err, -EPROTO,
				   "the recording is of version %d, this tool reads %d",
				   version, PTU_RECORDING);
	}
	/* the text must be identical to the written form, or the file is damaged */
	out = open_memstream(&again, &again_bytes);
	if (out) {
		ptu_host_write(&host, out);
		error = fclose(out);
	}
	if (!out || error || !again)
		error = ptu_err_set(err, -ENOMEM, "no memory for `about`");
	else if (fields != 5 || strcmp(about, again) ||
		 /* it is printed without escaping: refuse control characters */
		 strcmp(about,
			ptu_escape_sentence(about, shown, sizeof(shown))))
		error = ptu_err_set(err, -EBADMSG,
				    "the recording is damaged: the file `about` does not have the format that record writes");
	free(about);
	free(again);
	if (!error)
		*ret = host;
	return error;
}
