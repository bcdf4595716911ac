// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file kpagemap, in the layout that was proposed for /proc/kpagemap in 2007: flags
 * and reference count of each page frame.  Must not access any process or page table.
 */
#include "debugfs.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "arch/arch.h"
#include "compat.h"

/* The two words of a page frame in the file. */
struct entry {
	unsigned long flags;
	unsigned long count;
};

/* Frames read between two checks for signals and rescheduling. */
#define BATCH (PAGE_SIZE / sizeof(struct entry))

/* A page cannot have all flags, so this value in both words marks a hole. */
#define HOLE (~0UL)

static struct entry header(void)
{
	struct entry ret = {};
	u8 *bytes = (u8 *)&ret.flags;

	bytes[0] = 1; /* little-endian */
	bytes[1] = PAGE_SHIFT;
	bytes[2] = sizeof(unsigned long);
	bytes[3] = sizeof(struct entry);
	return ret;
}

/*
 * Races are accepted: the page may be freed, split or merged meanwhile.  The
 * result of compound_head() is a struct page in any case.
 */
static struct entry look_at(unsigned long pfn)
{
	struct entry ret = { HOLE, HOLE };
	struct page *page;

	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "the memory may go offline");
	page = pfn_to_online_page(pfn);
	if (!page)
		return ret;
	ret.flags = READ_ONCE(*pta_flag_bits(page));
	/* uninitialized: compound_head() would return an invalid pointer */
	if (ret.flags == PAGE_POISON_PATTERN)
		return ret;
	ret.count = page_count(page);
	return ret;
}

/*
 * Read entries from @index on; entry 0 is the header.  A page frame that is
 * online at the start keeps its struct page until the end: offline() waits.
 */
static unsigned long read_batch(struct entry *batch, u64 index)
{
	const u64 nr_entries = (u64)pta_max_pfn() + 1;
	unsigned long i;

	rcu_read_lock();
	for (i = 0; i < BATCH && index + i < nr_entries; i++)
		batch[i] = index + i ? look_at(index + i - 1) : header();
	rcu_read_unlock();
	return i;
}

/* Any offset and length are accepted, as for a regular file. */
static ssize_t kpagemap_read(struct file *file, char __user *buf, size_t count,
			     loff_t *ppos)
{
	ssize_t done = 0, err = pta_check_privilege(file);
	struct entry *batch;

	if (err)
		return err;
	if (*ppos < 0)
		return -EINVAL;
	batch = kmalloc(BATCH * sizeof(*batch), GFP_KERNEL_ACCOUNT);
	if (!batch)
		return -ENOMEM;
	while (done < count) {
		unsigned long into = *ppos % sizeof(*batch);
		size_t bytes;

		if (signal_pending(current)) {
			err = -ERESTARTSYS;
			break;
		}
		bytes = read_batch(batch, *ppos / sizeof(*batch)) *
			sizeof(*batch);
		if (bytes <= into)
			break;
		bytes = min(bytes - into, count - done);
		if (copy_to_user(buf + done, (char *)batch + into, bytes)) {
			err = -EFAULT;
			break;
		}
		done += bytes;
		*ppos += bytes;
		cond_resched();
	}
	kfree(batch);
	return done ? done : err;
}

static loff_t kpagemap_llseek(struct file *file, loff_t offset, int whence)
{
	return fixed_size_llseek(file, offset, whence,
				 ((loff_t)pta_max_pfn() + 1) *
					 sizeof(struct entry));
}

static int kpagemap_open(struct inode *inode, struct file *file)
{
	return pta_check_privilege(file);
}

const struct file_operations pta_kpagemap_fops = {
	.owner = THIS_MODULE,
	.open = kpagemap_open,
	.read = kpagemap_read,
	.llseek = kpagemap_llseek,
};

/* This kernel's names of the flag bits; several names may share a bit. */
static const struct {
	unsigned int bit;
	const char *name;
} names[] = {
#define PTA_PAGE_FLAG(flag) { PG_##flag, #flag },
	PTA_PAGE_FLAGS
#undef PTA_PAGE_FLAG
};

static int kpagemap_flags_show(struct seq_file *seq, void *unused)
{
	unsigned int bit, i;

	for (bit = 0; bit < BITS_PER_LONG; bit++)
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (names[i].bit == bit)
				seq_printf(seq, "%u %s\n", bit, names[i].name);
	return 0;
}

static int kpagemap_flags_open(struct inode *inode, struct file *file)
{
	int err = pta_check_privilege(file);

	return err ? err : single_open(file, kpagemap_flags_show, NULL);
}

static ssize_t kpagemap_flags_read(struct file *file, char __user *buf,
				   size_t count, loff_t *ppos)
{
	int err = pta_check_privilege(file);

	return err ? err : seq_read(file, buf, count, ppos);
}

const struct file_operations pta_kpagemap_flags_fops = {
	.owner = THIS_MODULE,
	.open = kpagemap_flags_open,
	.release = single_release,
	.read = kpagemap_flags_read,
	.llseek = seq_lseek,
};

/*
 * After this, offline memory may lose its struct pages. Wait for batches that
 * saw it online, and for readers in pages.c that saw it mapped.
 */
static int offline(struct notifier_block *block, unsigned long what, void *arg)
{
	if (what == MEM_OFFLINE)
		synchronize_rcu();
	return NOTIFY_OK;
}

static struct notifier_block offline_block = { .notifier_call = offline };

/**
 * pta_kpagemap_init() - Register for notices of memory that goes offline.
 *
 * Context: before the files are created.
 *
 * Return: 0; -errno.
 */
int pta_kpagemap_init(void)
{
	return register_memory_notifier(&offline_block);
}

/**
 * pta_kpagemap_exit() - Call this after the files were removed.
 */
void pta_kpagemap_exit(void)
{
	unregister_memory_notifier(&offline_block);
}
