/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs unit tests.  A test file has any number of UNIT_TEST(name) { CHECK(...); } and
 * UNIT_CASES, and ends with UNIT_MAIN or UNIT_MAIN_WITH.  It needs only a compiler, unlike
 * kselftest.
 *
 * A test ends at its first failed check.  Expected values are written in the test, never
 * computed by the code under test.  A test fails if it leaves descriptors open.
 */
#ifndef UNIT_H
#define UNIT_H

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A test, or one for each element of @cases. */
struct unit_test {
	const char *name;
	void (*run)(const void *one);
	const char *cases;
	size_t nr_cases, case_bytes;
	struct unit_test *next;
};

static struct unit_test *unit_first;
static struct unit_test **unit_end = &unit_first;
static bool unit_failed;
static char unit_why[512];

static inline void unit_add(struct unit_test *test)
{
	*unit_end = test;
	unit_end = &test->next;
}

/* Constructors run in the order of the source file. */
#define UNIT_REGISTER(test_name, cases, nr_cases, case_bytes)          \
	static struct unit_test unit_##test_name = {                   \
		#test_name, run_##test_name, (const void *)cases,      \
		nr_cases,   case_bytes,	     NULL                      \
	};                                                             \
	__attribute__((constructor)) static void add_##test_name(void) \
	{                                                              \
		unit_add(&unit_##test_name);                           \
	}

#define UNIT_TEST(test_name)                          \
	static void test_name(void);                  \
	static void run_##test_name(const void *none) \
	{                                             \
		test_name();                          \
	}                                             \
	UNIT_REGISTER(test_name, NULL, 1, 0)          \
	static void test_name(void)

/*
 * A test for each element of the array @cases, which the test calls @one.  Its first
 * member is its name, which is printed behind that of the test.
 */
#define UNIT_CASES(test_name, cases, one)                                   \
	static void test_name(const typeof((cases)[0]) *one);               \
	static void run_##test_name(const void *one)                        \
	{                                                                   \
		test_name(one);                                             \
	}                                                                   \
	UNIT_REGISTER(test_name, cases, sizeof(cases) / sizeof((cases)[0]), \
		      sizeof((cases)[0]))                                   \
	static void test_name(const typeof((cases)[0]) *one)

/* Give the reason why the running test failed, as a printf format; the first one counts. */
#define UNIT_FAIL(...) unit_fail(__FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 3, 4))) static inline void
unit_fail(const char *file, int line, const char *format, ...)
{
	const char *slash = strrchr(file, '/');
	va_list args;
	int n;

	if (unit_failed)
		return;
	unit_failed = true;
	n = snprintf(unit_why, sizeof(unit_why), " # %s:%d ",
		     slash ? slash + 1 : file, line);
	va_start(args, format);
	vsnprintf(unit_why + n, sizeof(unit_why) - (size_t)n, format, args);
	va_end(args);
}

#define CHECK(condition)                             \
	do {                                         \
		if (!(condition)) {                  \
			UNIT_FAIL("%s", #condition); \
			return;                      \
		}                                    \
	} while (0)

/* Compare two integers and print both if they differ. */
#define CHECK_EQ(got, expected)                                               \
	do {                                                                  \
		unsigned long long unit_got = (unsigned long long)(got);      \
		unsigned long long unit_expected =                            \
			(unsigned long long)(expected);                       \
		if (unit_got != unit_expected) {                              \
			UNIT_FAIL("%s is 0x%llx, not 0x%llx", #got, unit_got, \
				  unit_expected);                             \
			return;                                               \
		}                                                             \
	} while (0)

#define CHECK_STR(got, expected)                                              \
	do {                                                                  \
		const char *unit_got = (got);                                 \
		if (strcmp(unit_got, (expected))) {                           \
			UNIT_FAIL("%s is \"%s\", not \"%s\"", #got, unit_got, \
				  (expected));                                \
			return;                                               \
		}                                                             \
	} while (0)

/* Number of open descriptors. */
static inline int unit_descriptors(void)
{
	int fd, nr = 0;

	for (fd = 0; fd < 256; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

static inline int unit_run(void (*setup)(void), void (*teardown)(void))
{
	unsigned int nr_passed = 0;
	unsigned int nr_failed = 0;
	struct unit_test *test;

	/* a shell ignores these signals in a background job, but tests send them */
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	/* line buffering: a test that crashes has already printed its output */
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (test = unit_first; test; test = test->next) {
		for (size_t i = 0; i < test->nr_cases; i++) {
			const char *one = test->cases;
			const int unit_open = unit_descriptors();

			if (one)
				one += i * test->case_bytes;
			unit_failed = false;
			unit_why[0] = '\0';
			if (setup)
				setup();
			test->run(one);
			if (teardown)
				teardown();
			if (unit_descriptors() > unit_open)
				UNIT_FAIL("%d descriptors are left open",
					  unit_descriptors() - unit_open);
			printf("%s %u %s%s%s%s\n",
			       unit_failed ? "not ok" : "ok",
			       nr_passed + nr_failed + 1, test->name,
			       one ? ": " : "",
			       one ? *(const char *const *)one : "", unit_why);
			if (unit_failed)
				nr_failed++;
			else
				nr_passed++;
		}
	}
	printf("# %u passed, %u failed\n", nr_passed, nr_failed);
	return nr_failed || !nr_passed;
}

#define UNIT_MAIN                            \
	int main(void)                       \
	{                                    \
		return unit_run(NULL, NULL); \
	}

/*
 * For tests that start with the same objects, which are static variables of the file.
 * setup() runs before each test.  teardown() runs after each test, even if it failed.
 */
#define UNIT_MAIN_WITH(setup, teardown)           \
	int main(void)                            \
	{                                         \
		return unit_run(setup, teardown); \
	}

#endif
