/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine, as the kernel's own files describe it. */
#ifndef LIVE_SYSTEM_H
#define LIVE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

struct system {
	char release[65];
	unsigned int version; /* major * 1000 + minor */
	unsigned int levels;
	bool pti;
};

const struct system *live_system(void);

/* Are this the kernel, the number of levels and the KPTI state that were booted? */
int live_check_environment(void);

/* Read the start of a file; "" if it cannot be read. */
const char *live_file(const char *path, char *text, size_t text_bytes);
int live_set(const char *path, const char *text);
/* "transparent huge pages" if the kernel has none (PREEMPT_RT); NULL: it has them. */
const char *live_thp_missing(void);
/* The same after a builder failed with @err; NULL also for an error that has another cause. */
const char *live_build_missing(int err);
/* Sum of a field of smaps over the VMAs inside the range, in kB. */
uint64_t live_smaps_kib(pid_t pid, const char *field, uint64_t start,
			uint64_t end);
uint64_t live_vmpte_bytes(pid_t pid);
/* Flags of a page frame; 0 if they cannot be read. */
uint64_t live_page_flags(uint64_t pfn);
/* How many times slower than a stock kernel this one may be. */
unsigned int live_time_factor(void);
/* Does the clock count nanoseconds?  False: it counts timer ticks. */
bool live_clock_counts_ns(void);
/* CLOCK_MONOTONIC, and that time plus @seconds; slow kernels get more seconds. */
uint64_t live_now_ns(void);
uint64_t live_deadline_ns(unsigned int seconds);
/* Evaluate the condition until it is true.  The value is false if it stays false for 125 s, or longer on slow kernels. */
#define live_until(condition)                                                \
	({                                                                   \
		const uint64_t until_ns = live_deadline_ns(25);              \
		bool is_true;                                                \
                                                                             \
		while (!(is_true = (condition)) && live_now_ns() < until_ns) \
			usleep(5000);                                        \
		is_true;                                                     \
	})
/*
 * Wait for an RCU grace period, and for its callbacks if the kernel has the parameter for it.  Until
 * then, freed page tables keep their frames, and newer kernels count them.
 */
void live_grace_period(void);
void live_quiet(bool quiet);
void live_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
