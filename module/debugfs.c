// SPDX-License-Identifier: GPL-2.0-only
/*
 * The debugfs files: parse requests and return answers.  All state belongs to
 * the open file, so readers cannot interfere.  Must not access page tables.
 */
#include "debugfs.h"

#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "arch/arch.h"
#include "level.h"
#include "ptaudit_abi.h"
#include "request.h"
#include "store.h"
#include "target.h"
#include "walk.h"

static_assert(sizeof(struct ptaudit_header) == PTAUDIT_HEADER_SIZE);
static_assert(sizeof(struct ptaudit_table) == PTAUDIT_RECORD_SIZE);

#define TEXT_BYTES 2048
#define REQUEST_BYTES 80

static struct dentry *root;

static const char *const level_names[] = PTAUDIT_LEVEL_NAMES;
static const char *const pages_names[] = PTAUDIT_PAGES_NAMES;
static_assert(ARRAY_SIZE(pages_names) == PTAUDIT_NR_PAGES_KEYS);

/**
 * struct session - one open file
 * @lock: serializes requests and reads
 * @target: .pid is NULL until there is a request
 * @request: the request
 * @answered: the request was executed: @err is set, or the answer is complete
 * @err: result of each read until the next request
 * @pages: totals, for `pages`
 * @text: the answer of `counts` or `pages`
 * @text_bytes: its length
 * @header: the answer of `tables` or `orphans`, followed by the records
 * @store: the records
 */
struct session {
	struct mutex lock;
	struct pta_target target;
	struct pta_request request;
	bool answered;
	int err;
	struct pta_pages pages;
	char text[TEXT_BYTES];
	size_t text_bytes;
	struct ptaudit_header header;
	struct pta_store store;
};

/**
 * pta_check_privilege() - May the caller use the file?
 * @file: one of the module's files
 *
 * The opener may have passed the file on, or may have dropped its privileges.
 *
 * Return: 0; -EPERM.
 */
int pta_check_privilege(const struct file *file)
{
	if (!capable(CAP_SYS_ADMIN) ||
	    !file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN))
		return -EPERM;
	return 0;
}

static int session_open(struct inode *inode, struct file *file)
{
	struct session *session;
	int err = pta_check_privilege(file);

	if (err)
		return err;
	session = kzalloc(sizeof(*session), GFP_KERNEL);
	if (!session)
		return -ENOMEM;
	mutex_init(&session->lock);
	session->request.answer = (uintptr_t)inode->i_private;
	session->request.pages = &session->pages;
	pta_store_init(&session->store);
	file->private_data = session;
	return 0;
}

static int session_release(struct inode *inode, struct file *file)
{
	struct session *session = file->private_data;

	pta_store_deinit(&session->store);
	put_pid(session->target.pid);
	mutex_destroy(&session->lock);
	kfree(session);
	return 0;
}

static void session_forget(struct session *session)
{
	lockdep_assert_held(&session->lock);
	pta_store_deinit(&session->store);
	put_pid(session->target.pid);
	session->target.pid = NULL;
	session->answered = false;
	session->err = 0;
}

/* Set the target of the next answer; extend the range to whole PTE tables. */
static void session_aim(struct session *session, struct pid *pid)
{
	struct pta_pages *pages = &session->pages;

	lockdep_assert_held(&session->lock);
	session->target.pid = pid;
	pages->start = ALIGN_DOWN(pages->start, PAGE_SIZE);
	pages->end = ALIGN(pages->end, PAGE_SIZE);
	session->request.start = ALIGN_DOWN(pages->start, PMD_SIZE);
	session->request.end = ALIGN(pages->end, PMD_SIZE);
}

/* Parse "PID" or, with @with_range, "PID START END". */
static int parse_request(char *text, bool with_range, pid_t *nr,
			 struct pta_pages *pages)
{
	char *word, *words[3];
	unsigned int nr_words = 0;

	pages->start = 0;
	pages->end = pta_user_end();
	text = strim(text);
	while ((word = strsep(&text, " ")) != NULL) {
		if (nr_words == ARRAY_SIZE(words))
			return -EINVAL;
		words[nr_words++] = word;
	}
	if (kstrtoint(words[0], 10, nr) || *nr <= 0)
		return -EINVAL;
	if (nr_words == 3) {
		if (!with_range || kstrtoul(words[1], 16, &pages->start) ||
		    kstrtoul(words[2], 16, &pages->end) ||
		    pages->start >= pages->end || pages->end > pta_user_end())
			return -EINVAL;
	} else if (nr_words != 1) {
		return -EINVAL;
	}
	return 0;
}

static ssize_t session_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *ppos)
{
	struct session *session = file->private_data;
	const struct pta_request *request = &session->request;
	char text[REQUEST_BYTES];
	struct pid *pid;
	pid_t nr;
	int err = pta_check_privilege(file);

	if (err)
		return err;
	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	text[count] = '\0';
	if (strlen(text) != count)
		return -EINVAL;

	err = mutex_lock_killable(&session->lock);
	if (err)
		return err;
	session_forget(session);
	err = parse_request(text, request->answer != PTA_COUNTS, &nr,
			    &session->pages);
	if (!err)
		err = pta_target_find(nr, &pid);
	if (!err) {
		session_aim(session, pid);
		*ppos = 0;
	}
	mutex_unlock(&session->lock);
	return err ? err : count;
}

/* Append text to the answer. */
static __printf(2, 3) void add_text(struct session *session, const char *format,
				    ...)
{
	va_list args;

	va_start(args, format);
	session->text_bytes += vscnprintf(session->text + session->text_bytes,
					  TEXT_BYTES - session->text_bytes,
					  format, args);
	va_end(args);
}

/* Append the last lines of `counts` and `pages`: costs and identity of the mm. */
static void add_end(struct session *session)
{
	const struct ptaudit_header *header = &session->header;

	add_text(session, "lock_windows %u\nhold_ns_max %llu\nwalk_ns %llu\n",
		 header->lock_windows, header->hold_ns_max,
		 header->clock_after_ns - header->clock_before_ns);
	add_text(session, "tgid %d\ntid %d\n", header->tgid, header->tid);
	add_text(session, "ns_pid %d\nns_tgid %d\nns_tid %d\n", header->ns_pid,
		 header->ns_tgid, header->ns_tid);
	add_text(session, "start_boottime_ns %llu\nstart_ticks %llu\n",
		 header->start_boottime_ns, header->start_ticks);
}

static void counts_text(struct session *session,
			const struct pta_counts *counts)
{
	const struct ptaudit_header *header = &session->header;
	const u64 *tables = counts->tables;

	add_text(session, "pid %d\nmm 0x%016llx\n", header->pid, header->mm);
	add_text(session, "pgd %llu\np4d %llu\npud %llu\npmd %llu\npte %llu\n",
		 tables[PTAUDIT_PGD], tables[PTAUDIT_P4D], tables[PTAUDIT_PUD],
		 tables[PTAUDIT_PMD], tables[PTAUDIT_PTE]);
	add_text(session, "leaf_pud %llu\nleaf_pmd %llu\ndeposited %llu\n",
		 counts->leaves[PTAUDIT_PUD], counts->leaves[PTAUDIT_PMD],
		 counts->deposited);
	add_text(session, "pgtables_bytes %llu\n",
		 header->pgtables_bytes_after);
	add_end(session);
}

static void pages_text(struct session *session)
{
	const struct ptaudit_header *header = &session->header;
	const struct pta_pages *pages = &session->pages;
	int key;

	add_text(session, "pid %d\nmm 0x%016llx\nstart 0x%lx\nend 0x%lx\n",
		 header->pid, header->mm, pages->start, pages->end);
	for (key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++)
		if (pta_pages_key_known(key))
			add_text(session, "%s %llu\n", pages_names[key],
				 pages->nr[key]);
	add_end(session);
}

/* Build the whole answer; after an error nothing of it is kept. */
static int build_answer(struct session *session)
{
	const struct pta_request *request = &session->request;
	struct ptaudit_header *header = &session->header;
	struct pta_counts counts = {};
	struct mm_struct *mm;
	int err, changed;

	session->text_bytes = 0;
	memset(header, 0, sizeof(*header));
	memset(session->pages.nr, 0, sizeof(session->pages.nr));
	header->magic = PTAUDIT_MAGIC;
	header->abi = PTAUDIT_ABI;
	header->header_size = PTAUDIT_HEADER_SIZE;
	header->record_size = PTAUDIT_RECORD_SIZE;
	header->range_start = request->start;
	header->range_end = request->end;
	header->flags = pta_pti() ? PTAUDIT_H_PTI : 0;

	err = pta_target_grab(&session->target, header);
	if (err)
		return err;
	mm = session->target.mm;
	header->pgtables_bytes_before = mm_pgtables_bytes(mm);
	header->clock_before_ns = ktime_get_ns();
	if (request->answer == PTA_ORPHANS) {
		header->flags |= PTAUDIT_H_ORPHANS;
		err = pta_orphans(mm, request, header, &counts,
				  &session->store);
	} else {
		err = pta_walk(mm, request, header, &counts,
			       pta_keeps_records(request) ? &session->store :
							    NULL);
	}
	header->clock_after_ns = ktime_get_ns();
	header->pgtables_bytes_after = mm_pgtables_bytes(mm);
	changed = pta_target_check(&session->target);
	pta_target_drop(&session->target);
	if (changed)
		err = changed;
	if (err) {
		pta_store_deinit(&session->store);
		return err;
	}
	header->nr_records = session->store.nr_records;
	if (session->request.answer == PTA_PAGES)
		pages_text(session);
	else if (session->request.answer == PTA_COUNTS)
		counts_text(session, &counts);
	return 0;
}

/*
 * Execute the request at the first read.  An error is kept like an answer, so
 * that the next read does not ask about a changed process. Exception: if the
 * reader was killed, another reader of the same open file may try again.
 */
static int session_answer(struct session *session)
{
	int err;

	lockdep_assert_held(&session->lock);
	if (!session->target.pid)
		return -EINVAL;
	if (session->answered)
		return session->err;
	err = build_answer(session);
	session->answered = err != -EINTR;
	session->err = err;
	return err;
}

/* Copy from the header, then block by block from the records. */
static ssize_t read_tables(struct session *session, char __user *buf,
			   size_t count, loff_t *ppos)
{
	size_t done = 0;

	lockdep_assert_held(&session->lock);
	while (done < count) {
		u64 offset_bytes = *ppos;
		const void *from;
		size_t bytes;

		if (offset_bytes < sizeof(session->header)) {
			from = (const char *)&session->header + offset_bytes;
			bytes = sizeof(session->header) - offset_bytes;
		} else {
			from = pta_store_at(&session->store,
					    offset_bytes -
						    sizeof(session->header),
					    &bytes);
			if (!from)
				break;
		}
		bytes = min(bytes, count - done);
		if (copy_to_user(buf + done, from, bytes))
			return done ? done : -EFAULT;
		done += bytes;
		*ppos += bytes;
	}
	return done;
}

static ssize_t read_text(struct session *session, char __user *buf,
			 size_t count, loff_t *ppos)
{
	lockdep_assert_held(&session->lock);
	return simple_read_from_buffer(buf, count, ppos, session->text,
				       session->text_bytes);
}

static ssize_t session_read(struct file *file, char __user *buf, size_t count,
			    loff_t *ppos)
{
	struct session *session = file->private_data;
	ssize_t ret = pta_check_privilege(file);

	if (ret)
		return ret;
	if (*ppos < 0)
		return -EINVAL;
	ret = mutex_lock_killable(&session->lock);
	if (ret)
		return ret;
	ret = session_answer(session);
	if (!ret && pta_keeps_records(&session->request))
		ret = read_tables(session, buf, count, ppos);
	else if (!ret)
		ret = read_text(session, buf, count, ppos);
	mutex_unlock(&session->lock);
	return ret;
}

static const struct file_operations session_fops = {
	.owner = THIS_MODULE,
	.open = session_open,
	.release = session_release,
	.read = session_read,
	.write = session_write,
	.llseek = default_llseek,
};

static int geometry_show(struct seq_file *seq, void *unused)
{
	int level;

	seq_printf(seq, "abi %d\npage_size %lu\n", PTAUDIT_ABI, PAGE_SIZE);
	for (level = PTAUDIT_PGD; level >= PTAUDIT_PTE; level--)
		if (!pta_level_folded(level))
			seq_printf(seq, "level %s shift %u entries %u\n",
				   level_names[level], pta_level_shift(level),
				   pta_level_entries(level));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(geometry);

static const struct {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
	enum pta_answer answer; /* if .fops is &session_fops: what is built */
} files[] = {
	{ "geometry", 0400, &geometry_fops },
	{ "counts", 0600, &session_fops, PTA_COUNTS },
	{ "tables", 0600, &session_fops, PTA_TABLES },
	{ "orphans", 0600, &session_fops, PTA_ORPHANS },
	{ "pages", 0600, &session_fops, PTA_PAGES },
	{ "kpagemap", 0400, &pta_kpagemap_fops },
	{ "kpagemap_flags", 0400, &pta_kpagemap_flags_fops },
};

/**
 * pta_debugfs_init() - Create the files.
 *
 * Return: 0; -errno, with nothing left behind.
 */
int pta_debugfs_init(void)
{
	struct dentry *file;
	unsigned int i;

	root = debugfs_create_dir("ptaudit", NULL);
	if (IS_ERR(root))
		return PTR_ERR(root);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		file = debugfs_create_file(files[i].name, files[i].mode, root,
					   (void *)(uintptr_t)files[i].answer,
					   files[i].fops);
		if (IS_ERR(file)) {
			debugfs_remove(root);
			return PTR_ERR(file);
		}
	}
	return 0;
}

/**
 * pta_debugfs_exit() - Remove the files; waits for calls in progress.
 */
void pta_debugfs_exit(void)
{
	debugfs_remove(root);
}
