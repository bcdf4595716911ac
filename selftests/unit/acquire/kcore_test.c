// SPDX-License-Identifier: GPL-2.0-only
/* Segments and symbols of a /proc/kcore and a /proc/kallsyms that the test provides. */
#include "acquire/kcore.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>

#include "acquire/file.h"
#include "support/unit.h"

/* Addresses of the direct map, and of the kernel's text, which is above it. */
#define RAM UINT64_C(0xffff888000000000)
#define TEXT UINT64_C(0xffffffff81000000)

/* A note, RAM at physical address 0x1000, a segment that has none, and the text. */
static struct image {
	Elf64_Ehdr header;
	Elf64_Phdr phdrs[4];
	char ram[32];
	char other[32];
	char text[32];
} image;
static size_t image_bytes;
static const char *symbols;
static int opening;
static struct ptu_err err;

int ptu_file_open(int dirfd, const char *name, int flags)
{
	(void)dirfd, (void)flags;
	if (strcmp(name, "kcore"))
		UNIT_FAIL("%s is opened", name);
	return opening ? opening : open("/dev/null", O_RDONLY);
}

ssize_t ptu_file_pread(int fd, void *buffer, size_t bytes, off_t offset)
{
	const size_t at = (size_t)offset;

	(void)fd;
	if (at >= image_bytes)
		return 0;
	if (bytes > image_bytes - at)
		bytes = image_bytes - at;
	memcpy(buffer, (const char *)&image + at, bytes);
	return (ssize_t)bytes;
}

int ptu_file_lines(int dirfd, const char *name,
		   int (*take)(void *arg, const char *lines), void *arg)
{
	(void)dirfd;
	if (strcmp(name, "kallsyms"))
		UNIT_FAIL("%s is read", name);
	return take(arg, symbols);
}

static Elf64_Phdr segment(uint64_t addr, uint64_t phys, const char *bytes)
{
	return (Elf64_Phdr){ .p_type = PT_LOAD,
			     .p_vaddr = addr,
			     .p_paddr = phys,
			     .p_memsz = 32,
			     .p_offset = (uint64_t)(bytes - (char *)&image) };
}

static void set_up(void)
{
	image = (struct image){
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
					 ELFCLASS64 },
			    .e_phoff = offsetof(struct image, phdrs),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 4 },
		.phdrs = { { .p_type = PT_NOTE, .p_memsz = UINT64_MAX },
			   segment(RAM + 0x1000, 0x1000, image.ram),
			   segment(RAM + 0x9000, UINT64_MAX, image.other),
			   segment(TEXT, 0x5000, image.text) },
		.ram = "0123456789abcdefghijklmnopqrstu",
		.other = "no physical address",
		.text = "the text of the kernel",
	};
	image_bytes = sizeof(image);
	symbols = "ffffffff81000010 D init_top_pgt\n"
		  "ffffffff81000020 t pgd_list_add\n"
		  "ffffffff81000030 D pgd_list\n"
		  "ffffffff81000040 d vmemmap_base\t[module]\n"
		  "ffffffff81000050 B poking_mm\n";
	opening = 0;
	err.text[0] = '\0';
}

UNIT_TEST(symbols_are_those_of_the_whole_name)
{
	struct ptu_kcore kcore;

	CHECK_EQ(ptu_kcore_open(&kcore, &err), 0);
	CHECK_EQ(kcore.init_pgd, TEXT + 0x10);
	CHECK_EQ(kcore.pgd_list, TEXT + 0x30);
	CHECK_EQ(kcore.text_poke_mm, TEXT + 0x50);
	CHECK_EQ(kcore.vmemmap_base, 0);
	ptu_kcore_close(&kcore);
}

/* Reads 4 bytes; @by_phys: at a physical address. */
static const struct {
	const char *name;
	bool by_phys;
	uint64_t at;
	const char *expected;
} reads[] = {
	{ "first_bytes", false, RAM + 0x1000, "0123" },
	{ "last_bytes", false, RAM + 0x101c, "stu" },
	{ "below_a_segment", false, RAM + 0xfff, NULL },
	{ "across_the_end", false, RAM + 0x101d, NULL },
	{ "of_the_text", false, TEXT + 4, "text" },
	{ "where_only_a_note_is", false, 0, NULL },
	{ "first_bytes_of_ram", true, 0x1000, "0123" },
	{ "last_bytes_of_ram", true, 0x101c, "stu" },
	{ "below_ram", true, 0xfff, NULL },
	{ "across_the_end_of_ram", true, 0x101d, NULL },
	{ "of_the_text_by_frame", true, 0x5004, "text" },
};

UNIT_CASES(memory_is_that_of_the_segment, reads, one)
{
	int (*const read)(const struct ptu_kcore *, uint64_t, void *,
			  size_t) = one->by_phys ? ptu_kcore_read_phys :
						   ptu_kcore_read;
	struct ptu_kcore kcore;
	char got[5] = "";

	CHECK_EQ(ptu_kcore_open(&kcore, &err), 0);
	CHECK_EQ(read(&kcore, one->at, got, 4), one->expected ? 0 : -EFAULT);
	CHECK_STR(got, one->expected ? one->expected : "");
	ptu_kcore_close(&kcore);
}

static void is_absent(void)
{
	opening = -ENOENT;
}

static void is_hidden(void)
{
	opening = -EACCES;
}

static void is_no_elf(void)
{
	image.header.e_ident[0] = 0;
}

static void is_of_32_bits(void)
{
	image.header.e_ident[EI_CLASS] = ELFCLASS32;
}

static void has_other_headers(void)
{
	image.header.e_phentsize++;
}

static void is_cut_off(void)
{
	image_bytes = offsetof(struct image, phdrs[3]);
}

static void has_no_symbol(void)
{
	symbols = "ffffffff81000030 D pgd_list\n";
}

static const struct {
	const char *name;
	void (*spoil)(void);
	int error;
	const char *says;
} refused[] = {
	{ "absent", is_absent, -ENOENT, "this kernel has no /proc/kcore" },
	{ "hidden", is_hidden, -EACCES,
	  "cannot read /proc/kcore: it needs root, and a kernel that is not locked down" },
	{ "no_elf", is_no_elf, -EBADMSG,
	  "cannot read /proc/kcore: Bad message" },
	{ "of_32_bits", is_of_32_bits, -EBADMSG,
	  "cannot read /proc/kcore: Bad message" },
	{ "other_headers", has_other_headers, -EBADMSG,
	  "cannot read /proc/kcore: Bad message" },
	{ "cut_off", is_cut_off, -EFAULT,
	  "cannot read /proc/kcore: Bad address" },
	{ "no_symbol", has_no_symbol, -ENOENT,
	  "/proc/kallsyms does not say where the kernel's PGD is" },
};

UNIT_CASES(kcore_that_cannot_be_used_is_refused, refused, one)
{
	struct ptu_kcore kcore;

	one->spoil();
	CHECK_EQ(ptu_kcore_open(&kcore, &err), one->error);
	CHECK_STR(err.text, one->says);
}

UNIT_MAIN_WITH(set_up, NULL)
