// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the map counts of page frames again; must not decide what they mean. */
#include "measure/footprint_recount.h"

#include <string.h>

#include "acquire/file.h"
#include "acquire/words.h"

int ptu_footprint_recount_all(struct ptu_footprint *footprint,
			      struct ptu_err *err)
{
	uint64_t counts[PTU_FRAME_USES_CHUNK], pfn;
	struct ptu_frame_use *chunk;
	struct ptu_words file;
	ssize_t nr = 0;
	size_t at = 0, i;
	int error;

	if (!footprint->frames.nr_chunks)
		return 0;
	error = ptu_words_open(PTU_PROC_ROOT, "kpagecount", &file);
	if (error)
		return ptu_err_set(err, error, "cannot read kpagecount: %s",
				   strerror(-error));
	while (nr >= 0 &&
	       (chunk = ptu_frame_uses_chunk(&footprint->frames, &at, &pfn))) {
		for (i = 0; i < PTU_FRAME_USES_CHUNK; i++)
			if (ptu_footprint_may_have_grown(&chunk[i]))
				break;
		if (i == PTU_FRAME_USES_CHUNK)
			continue;
		nr = ptu_words_read(&file, pfn, counts, PTU_FRAME_USES_CHUNK);
		for (i = 0; (ssize_t)i < nr; i++)
			ptu_footprint_recount(&chunk[i], counts[i]);
	}
	ptu_words_close(&file);
	return nr >= 0 ? 0 :
			 ptu_err_set(err, (int)nr, "cannot read kpagecount: %s",
				     strerror((int)-nr));
}
