#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: planted.sh [--kernel NAME] [--build-only] [FAULT...]
#
# Are faults found? Plants one at a time in a copy of the module, boots a debug kernel
# (default 7.2-debug) with it, and wants the tests to fail as the fault's line below
# says. One fault a boot: lockdep is off after its first report. By hand, some minutes
# each; --build-only shows that each fault can be planted. The last line is
# `N passed, N failed`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$root/build/selftests/live
kernel=7.2-debug build_only=
passed=0 failed=0

# NAME FILE PROGRAMS PATTERN, then sed expressions up to an empty line. PATTERN is
# what has to be said by the kernel or by a test. Every expression has to change the file.
faults() {
	cat <<-'END'
		clean - all -

		lock_left_out walk.c debugfs_test WARNING:.*(pta_walk|walk_hold|find_vma)
		s/ret = mmap_read_lock_killable(walk->mm);/ret = 0;/
		/^		mmap_read_unlock(walk->mm);$/d

		orphans_lock_left_out orphans.c debugfs_test WARNING:.*(pta_orphans|descend|find_vma)
		s/err = mmap_write_lock_killable(walk->mm);/err = 0;/
		/^		mmap_write_unlock(walk->mm);$/d

		orphans_lock_shared orphans.c debugfs_test WARNING:.*(pta_orphans|descend)
		s/mmap_write_lock_killable(walk->mm)/mmap_read_lock_killable(walk->mm)/
		s/mmap_write_unlock(walk->mm)/mmap_read_unlock(walk->mm)/

		i_mmap_left_out walk.c hugetlb_test WARNING:.*pta_assert_mapping_held
		s/if (!pta_mapping_trylock(mapping)) {/if (0) {/
		/^	pta_mapping_unlock(walk->mapping);$/d

		i_mmap_left_before_entries walk.c locks_test WARNING:.*(count_pmds|pta_assert_mapping_held|pta_assert_open_held)
		s/^	count_pmds(walk, step_end);/	pta_mapping_unlock(walk->mapping);\n	walk->mapping = NULL;\n&/

		i_mmap_left_before_pages walk.c locks_test WARNING:.*(visit_pmd|pta_assert_mapping_held|pta_assert_open_held)
		s/^		return visit_pmds(.*/		{\n		if (walk->request->pages) {\n			pta_mapping_unlock(walk->mapping);\n			walk->mapping = NULL;\n		}\n&\n		}/

		orphans_i_mmap_left_before_entries orphans.c locks_test WARNING:.*(visit_pmd|pta_assert_mapping_held)
		/^static int descend(/,/^}/s/^	do {$/	pta_mapping_unlock(mapping);\n&/
		/^static int step(/,/^}/{/^	pta_mapping_unlock(mapping);$/d}

		i_mmap_left_early walk.c hugetlb_test,shared_test WARNING:.*pta_assert_mapping_held
		s/^	return step(walk, vma, min(vma->vm_end, walk->end));/	int err = step(walk, vma, min(vma->vm_end, walk->end));\n\n	pta_mapping_unlock(walk->mapping);\n	walk->mapping = NULL;\n	return err;/

		orphans_i_mmap_left_out orphans.c hugetlb_test WARNING:.*pta_assert_mapping_held
		s/if (!pta_mapping_trylock(mapping)) {/if (0) {/
		/^	pta_mapping_unlock(mapping);$/d

		i_mmap_waited_for_under_mmap_lock vma.c signals_test ^not ok .*busy_file[.].*[.](target_goes_on|reader_can_be_killed)
		s/if (!down_read_trylock(&mapping->i_mmap_rwsem))/down_read(\&mapping->i_mmap_rwsem);\n	if (0)/

		i_mmap_wait_not_killable vma.c signals_test ^not ok .*busy_file[.].*[.]reader_can_be_killed
		s/err = down_read_killable(sem);/down_read(sem);\n	err = 0;/

		i_mmap_never_taken vma.c locks_test ^not ok .*hugetlb_shared[.]
		s/^	return vma->vm_file->f_mapping;/	return NULL;/

		i_mmap_by_wrong_flag vma.c locks_test ^not ok .*hugetlb_shared_read_only[.]
		s/VM_MAYSHARE/VM_SHARED/

		ldt_lock_for_writing compat.h locks_test ^not ok .*ldt_lock_is_taken_for_reading
		s/down_read_killable(&mm->context.ldt_usr_sem)/down_write_killable(\&mm->context.ldt_usr_sem)/
		s/up_read(&mm->context.ldt_usr_sem)/up_write(\&mm->context.ldt_usr_sem)/

		ldt_lock_left_out walk.c debugfs_test WARNING:.*(pta_walk_ldt|step)
		s/^	err = pta_ldt_lock(mm);/	err = 0;/
		/^		pta_ldt_unlock(mm);$/d

		pmd_lock_left_out entry.c debugfs_test WARNING:.*(length_of_list|pta_count_deposits)
		s/^	ptl = pmd_lock(mm, pmds);/	ptl = pmd_lockptr(mm, pmds);/
		/^	spin_unlock(ptl);$/d

		session_lock_left_out debugfs.c debugfs_test WARNING:.*session_
		s/mutex_lock_killable(&session->lock)/0/
		/^	mutex_unlock(&session->lock);$/d

		session_lock_left_early debugfs.c debugfs_test WARNING:.*(read_text|read_tables|session_read)
		/^static ssize_t session_read/,/^}/{/^	mutex_unlock/d}
		s/^	ret = session_answer(session);/&\n	mutex_unlock(\&session->lock);/

		session_aimed_without_lock debugfs.c debugfs_test WARNING:.*(session_aim|session_write)
		s/^		session_aim(.*/		mutex_unlock(\&session->lock);\n&\n		mutex_lock(\&session->lock);/

		ldt_lock_left_early walk.c debugfs_test WARNING:.*(pta_visit_uncovered|pta_close_tables)
		/^		pta_ldt_unlock(mm);/d
		s/^		err = step(walk, NULL, .*/&\n		pta_ldt_unlock(mm);/

		mm_held_too_late target.c debugfs_test WARNING:.*(hold_mm|pta_assert_pinned|pta_target_grab)|Invalid wait context
		s/^		hold_mm(mm);/		pta_unpin(mm);\n&/
		/^	rcu_read_unlock();/,/^	put_task/{/^	if (mm)/d;/^		pta_unpin(mm);/d}

		stale_table_looked_at visit.c stress_test WARNING:.*(assert_reached|pta_visit_uncovered)
		s/if (open->hold == walk->hold)/if (1)/

		hold_not_counted walk.c stress_test WARNING:.*(assert_reached|pta_visit_uncovered)
		/^		walk->hold++;/d

		stale_table_kept walk.c stress_test WARNING:.*(assert_reached|pta_visit_uncovered)
		/^		open->entries = entries;/d

		task_lock_left_out target.c debugfs_test WARNING:.*(compare_mm|pta_target_check)
		/^	task_lock(task);$/d
		/^	task_unlock(task);$/d

		lock_kept walk.c debugfs_test lock held when returning to user space
		/^		mmap_read_unlock(walk->mm);$/d

		address_space_pinned walk.c debugfs_test lock held when returning to user space
		/^	pta_unpin(walk->mm);$/d

		address_space_leaked target.c leak_test mm_struct: .*left behind
		/^void pta_unpin/,/^}/{/^	mmput(mm);$/d}

		mm_leaked target.c leak_test mm_struct: .*left behind
		/^	mmdrop(target->mm);$/d

		address_space_leaked_by_killed walk.c leak_test mm_struct: .*left behind|lock held when returning
		s/^	ret = mmap_read_lock_killable(walk->mm);/&\n	if (ret)\n		return ret;/

		address_space_leaked_at_ldt walk.c leak_test mm_struct: .*left behind|still has locks held
		s/^	err = pta_ldt_lock(mm);/&\n	if (err)\n		goto out;/

		mm_leaked_on_error debugfs.c leak_test mm_struct: .*left behind
		s/^	changed = pta_target_check(/	if (err)\n		return err;\n&/

		mm_leaked_on_change debugfs.c leak_test mm_struct: .*left behind
		s/^	changed = pta_target_check(.*/&\n	if (changed)\n		return changed;/

		task_leaked_on_change target.c leak_test task_struct: .*left behind
		/^int pta_target_check/,/^}/s/^	put_task_struct(task);$/	if (err)\n		return err;\n&/

		mm_taken_without_task_lock target.c locks_test ^not ok .*mm_is_taken
		s/^	mm = get_task_mm(task);$/	mm = READ_ONCE(task->mm);/
		/^static struct mm_struct \*pin_task_mm/,/^}/s/^	if (mm)$/	if (mm \&\& !mmget_not_zero(mm))\n		mm = NULL;\n&/

		task_leaked_on_error target.c leak_test task_struct: .*left behind
		/^int pta_target_grab/,/^}/s/^	put_task_struct(task);$/	if (!mm)\n		return -ESRCH;\n&/

		pid_leaked debugfs.c leak_test pid: .*left behind|unreferenced object
		/^	put_pid(session->target.pid);$/d

		pid_leaked_on_error target.c leak_test pid: .*left behind|unreferenced object
		/^	if (!mm) {$/,/^	}$/{/^		put_pid(pid);$/d}

		task_leaked target.c leak_test task_struct: .*left behind
		/^	put_task_struct(task);$/d

		pid_leaked_by_the_next debugfs.c debugfs_test unreferenced object
		/^static void session_forget/,/^}/{/^	put_pid(session->target.pid);$/d}

		pid_leaked_by_the_last debugfs.c debugfs_test unreferenced object
		/^static int session_release/,/^}/{/^	put_pid(session->target.pid);$/d}

		session_leaked debugfs.c debugfs_test unreferenced object
		/^	kfree(session);$/d

		batch_leaked kpagemap.c kpagemap_test unreferenced object
		/^	kfree(batch);$/d

		walk_leaked walk.c debugfs_test unreferenced object
		/^	kfree(walk);$/d

		mm_not_held target.c debugfs_test KASAN:|BUG:|WARNING:
		/^	mmgrab(mm);$/d

		notifier_of_what_is_gone kpagemap.c tool_test KASAN:|BUG:|unable to handle|WARNING:.*notifier_chain_register
		/^	unregister_memory_notifier(/d

		notifier_left_behind main.c fail_test KASAN:|BUG:|^not ok .*insertion|unable to handle
		/^	if (err)$/{N;/pta_kpagemap_exit/d}

		records_leaked debugfs.c debugfs_test unreferenced object
		/^static int session_release/,/^}/{/^	pta_store_deinit(&session->store);$/d}

		interrupts_left_on walk.c debugfs_test WARNING:.*(pta_assert_same_section|pta_count_ptes)
		/local_irq_save(flags);/d
		/local_irq_restore(flags);/d

		orphans_interrupts_left_on orphans.c debugfs_test WARNING:.*(pta_assert_same_section|pta_count_ptes)
		/local_irq_save(flags);/d
		/local_irq_restore(flags);/d

		interrupts_off_too_late walk.c debugfs_test WARNING:.*(pta_assert_same_section|pta_count_ptes)
		/^	local_irq_save(flags);/d
		s/^	entry = pta_read_entry(PTAUDIT_PMD, open->entries, index);/&\n	local_irq_save(flags);/

		pages_interrupts_on_between walk.c pagesfile_test WARNING:.*(pta_assert_same_section|pta_pages_copy)
		s/^		pta_pages_copy(/		local_irq_restore(flags);\n		local_irq_save(flags);\n&/

		orphans_interrupts_off_too_late orphans.c debugfs_test WARNING:.*(pta_assert_same_section|pta_count_ptes)
		/^	local_irq_save(flags);/d
		s/^	if (entry.kind == PTAUDIT_K_CHILD) {/	local_irq_save(flags);\n&/

		leaf_rcu_left_out walk.c pagesfile_test the pages may go
		/^		rcu_read_\(un\)\?lock();/d

		leaf_rcu_too_late walk.c pagesfile_test the pages may go
		/^		rcu_read_lock();/d
		s/^		entry = pta_read_entry(level, entries, index);/&\n		rcu_read_lock();/

		pages_rcu_left_out walk.c pagesfile_test the pages may go
		/^	rcu_read_\(un\)\?lock();/d

		pages_rcu_too_late walk.c pagesfile_test the pages may go
		/^	rcu_read_lock();/d
		/^static struct pta_entry count_pmd/,/^}/s/^	local_irq_restore(flags);/&\n	rcu_read_lock();/

		leader_rcu_too_late target.c debugfs_test the leader may go
		/^int pta_target_grab/,/^}/{/^	rcu_read_lock();/d}
		/^int pta_target_grab/,/^}/s/^	mm = pin_group_mm(task, &used);/&\n	rcu_read_lock();/

		leader_rcu_left_out target.c debugfs_test the leader may go
		/^	rcu_read_\(un\)\?lock();/d

		kpagemap_rcu_left_out kpagemap.c kpagemap_test the memory may go offline
		/^	rcu_read_\(un\)\?lock();/d

		interrupts_left_off walk.c debugfs_test WARNING:|BUG: 
		/local_irq_restore(flags);/d

		used_after_mmput target.c lifetime_test KASAN: (slab-)?use-after-free
		s/^static u64 mm_identity(.*/static struct mm_struct *planted;\n\n&/
		s/^	\*ret = pid;/	planted = mm;\n&/
		/^int pta_target_grab/,/^}/s/^	if (!task)$/	header->mm = READ_ONCE(planted->total_vm);\n&/

		address_space_revived target.c vanish_test KASAN:|BUG:|WARNING:
		s/^	if (!mmget_not_zero(mm))/	mmget(mm);\n	if (0)/

		recheck_left_out debugfs.c vanish_test ^not ok .*leaves[.].*_shared_mm
		/^	if (changed)$/{N;d}

		esrch_lost target.c ended_test ^not ok .*ended[.]
		s/return task->mm ? -ESTALE : -ESRCH;/return task->mm ? -ESTALE : 0;/

		esrch_lost_without_task target.c vanish_test ^not ok .*leaves[.].*no_task_stays
		/^int pta_target_check/,/^}/s/return -ESRCH;/return 0;/

		recheck_left_out_of_counts debugfs.c ended_test ^not ok .*ended[.](counts|pages)
		s/^	if (changed)$/	if (changed \&\& !session->request.counts_only)/

		estale_lost debugfs.c vanish_test ^not ok .*leaves[.].*_own_mm
		s/^	if (changed)$/	if (changed \&\& !err)/

		walked_after_unpin walk.c debugfs_test WARNING:.*pta_assert_pinned|possible recursive locking
		/^	pta_unpin(walk->mm);$/d
		s/^		ret = walk_hold(walk);/		pta_unpin(walk->mm);\n&/

		session_used_after_free debugfs.c debugfs_test KASAN: (slab-)?use-after-free
		/^static int session_release/,/^}/s/^	put_pid(session->target.pid);/	kfree(session);\n&/
		/^static int session_release/,/^}/{/^	mutex_destroy/,/^	kfree/d}

		allocation_with_interrupts_off walk.c debugfs_test BUG: sleeping function
		s/^	local_irq_save(flags);/&\n	kfree(kmalloc(64, GFP_KERNEL));/

		allocation_under_pmd_lock entry.c debugfs_test BUG: sleeping function
		s/^	nr = length_of_list(mm, pmds);/	kfree(kmalloc(64, GFP_KERNEL));\n&/
		s/^#include <linux\/mm.h>/&\n#include <linux\/slab.h>/

		allocation_under_pin walk.c locks_test ^not ok .*nothing_is_allocated
		s/^	ret = mmap_read_lock_killable(walk->mm);/	kfree(kmalloc(64, GFP_KERNEL));\n&/

		allocation_under_mmap_lock walk.c locks_test ^not ok .*nothing_is_allocated
		s/^		ret = walk_hold(walk);/		kfree(kmalloc(64, GFP_KERNEL));\n&/

		reserved_under_pin walk.c debugfs_test WARNING:.*(pta_assert_not_pinned|pta_store_reserve)
		s/^	ret = mmap_read_lock_killable(walk->mm);/	pta_store_reserve(walk->store, HOLD_RECORDS);\n&/

		allocation_under_i_mmap walk.c hugetlb_test possible (recursive|circular) locking
		s/^	return step(walk, vma,/	kfree(kmalloc(64, GFP_KERNEL));\n&/

		orphans_allocation_under_i_mmap orphans.c hugetlb_test possible (recursive|circular) locking
		s/^	err = descend(walk, mapping);/	kfree(kmalloc(64, GFP_KERNEL));\n&/

		sleep_under_pmd_lock entry.c debugfs_test BUG: sleeping function|scheduling while atomic
		s/^	nr = length_of_list(mm, pmds);/	msleep(1);\n&/
		s/^#include <linux\/mm.h>/&\n#include <linux\/delay.h>/

		sleep_with_interrupts_off orphans.c debugfs_test BUG: sleeping function|scheduling while atomic|warn_bogus_irq_restore
		s/^	local_irq_restore(flags);/	msleep(1);\n&/
		s/^#include <linux\/mm.h>/&\n#include <linux\/delay.h>/

		waiters_not_heard walk.c budget_test ^not ok .*contended[.]tables
		s/mmap_lock_is_contended(walk->mm)/false/

		orphans_waiters_not_heard orphans.c budget_test ^not ok .*contended[.]orphans
		s/mmap_lock_is_contended(walk->mm)/false/

		waiters_heard_before_a_step walk.c budget_test ^not ok .*contended[.](tables|pages)[.]holds_make_a_step_each
		/^	return walk->looked_at &&$/{N;s/walk->looked_at &&//}

		records_not_looked_after walk.c budget_test ^not ok .*records[.]tables
		s/walk->store->nr_free < STEP_RECORDS)/false)/

		orphans_records_not_looked_after orphans.c budget_test ^not ok .*records[.]orphans
		s/walk->store->nr_free < ENTRY_RECORDS/false/

		moved_left_out_where_replaced walk.c moved_test ^not ok .*tables_replaced
		/^		} else if (open->table->pfn != pfn) {$/{n;d}

		moved_left_out_where_torn_down walk.c moved_test ^not ok .*tables_torn_down
		/^			\/\* was followed before the lock was dropped \*\/$/{n;d}

		orphans_moved_left_out_where_replaced orphans.c moved_test ^not ok .*orphans_replaced
		/^		if (record->pfn != pfn)$/{N;d}

		orphans_moved_left_out_where_torn_down orphans.c moved_test ^not ok .*orphans_torn_down
		/^		else if (entry.kind != PTAUDIT_K_CHILD)$/{N;N;d}

		pages_of_no_cost walk.c holds_test ^not ok .*pages_of_128_mib_in_use
		s/^	walk->looked_at += nr \* PTA_MISS_ENTRIES;/	;/

		vmas_of_no_cost walk.c holds_test ^not ok .*tables_of_16384_vmas
		s/^		walk->looked_at += PTA_MISS_ENTRIES \*/		walk->looked_at += 0 */

		orphans_vmas_of_no_cost orphans.c holds_test ^not ok .*orphans_of_16384_vmas
		s/^	walk->looked_at += PTA_MISS_ENTRIES \*/	walk->looked_at += 0 */

		deposits_of_no_cost visit.c holds_test ^not ok .*tables_of_32_gib_of_leaves
		/^		walk->looked_at += nr \* PTA_MISS_ENTRIES;/d

		nothing_without_budget visit.c holds_test ^not ok .*tables_of_512_gib_of_(nothing|islands)
		/^	walk->looked_at += open->next - from;$/d

		upper_leaves_without_budget walk.c holds_test ^not ok .*tables_of_160_gib_of_pfn_leaves
		/^static int visit_pmd(/,/^}/{/^	walk->looked_at++;$/d}

		orphans_entries_without_budget orphans.c holds_test ^not ok .*orphans_of_256_gib_of_islands
		/^	local_irq_restore(flags);$/,/^	err = /{/^	walk->looked_at++;$/d}

		store_miscounts store.c budget_test WARNING:.*pta_store_add
		s/nr_free += BLOCK_RECORDS;/nr_free += BLOCK_RECORDS + 1;/

		records_not_charged store.c records_test ^not ok .*records_are_charged
		s/GFP_KERNEL_ACCOUNT/GFP_KERNEL/

		records_without_limit store.c records_test ^not ok .*records_beyond_the_limit_are_efbig
		s/if (store->nr_blocks >= max_blocks)/if (0)/

		error_forgotten debugfs.c leader_test ^not ok .*execve_of_the_thread_is_estale_until_the_next_request
		s/session->answered = err != -EINTR;/session->answered = !err;/

		file_without_owner kpagemap.c tool_test ^not ok .*each_open_file_keeps|BUG: unable to handle
		/^const struct file_operations pta_kpagemap_fops/{n;d}

		offset_cut_off debugfs.c debugfs_test ^not ok .*nothing_is_behind_the_end
		s/u64 offset_bytes = \*ppos;/u32 offset_bytes = *ppos;/

		offset_in_records_cut_off store.c debugfs_test ^not ok .*nothing_is_behind_the_end
		s/^	list_for_each_entry(block, &store->blocks, link) {/	offset_bytes = (u32)offset_bytes;\n&/

		position_before_copy debugfs.c debugfs_test ^not ok .*read_with_room_for_a_part
		/^		\*ppos += bytes;$/d
		s/^		if (copy_to_user(buf + done, from, bytes))/		*ppos += bytes;\n&/

		part_lost debugfs.c debugfs_test ^not ok .*read_with_room_for_a_part
		s/return done ? done : -EFAULT;/return -EFAULT;/

		kpagemap_position_before_copy kpagemap.c kpagemap_test ^not ok .*any_offset_and_length
		/^		\*ppos += bytes;$/d
		s/^		if (copy_to_user(/		*ppos += bytes;\n&/

		kpagemap_part_lost kpagemap.c kpagemap_test ^not ok .*any_offset_and_length
		s/return done ? done : err;/return err ? err : done;/

		range_not_rounded debugfs.c pagesfile_test ^not ok .*ranges
		s/ALIGN_DOWN(range->start, PAGE_SIZE)/range->start/

		pages_without_budget walk.c holds_test ^not ok .*pages_of_1_gib
		/^		nr += pta_pages_ptes(pages/{n;d}

		lock_not_killable walk.c signals_test ^not ok .*waits[.](counts|tables|pages)
		s/mmap_read_lock_killable(walk->mm)/(mmap_read_lock(walk->mm), 0)/

		orphans_lock_not_killable orphans.c signals_test ^not ok .*waits[.]orphans
		s/mmap_write_lock_killable(walk->mm)/(mmap_write_lock(walk->mm), 0)/

		ldt_lock_not_killable compat.h signals_test ^not ok .*waits[.].*_of_ldt[.]can_be_killed
		s/return down_read_killable(&mm->context.ldt_usr_sem);/down_read(\&mm->context.ldt_usr_sem);\n	return 0;/

		ldt_lock_interruptible compat.h signals_test ^not ok .*waits[.].*_of_ldt[.]outlast_a_signal
		s/down_read_killable(&mm->context.ldt_usr_sem)/down_read_interruptible(\&mm->context.ldt_usr_sem)/

		kpagemap_ends_at_a_signal kpagemap.c signals_kpagemap_test ^not ok .*signal_before_a_read
		/^			err = -ERESTARTSYS;$/d

		signals_end_a_walk walk.c signals_test ^not ok .*waits[.](counts|tables|pages)[.]outlast_a_signal
		s/fatal_signal_pending(current)/signal_pending(current)/

		orphans_signals_end_a_walk orphans.c signals_test ^not ok .*waits[.]orphans[.]outlast_a_signal
		s/fatal_signal_pending(current)/signal_pending(current)/

		session_lock_interruptible debugfs.c signals_test ^not ok .*waits[.].*[.]outlast_a_signal
		s/mutex_lock_killable(&session->lock)/mutex_lock_interruptible(\&session->lock)/

		waiting_counts_as_holding walk.c signals_test ^not ok .*waits[.](counts|tables|pages)[.]outlast_a_signal
		/^		before = ktime_get_ns();$/d
		s/^	ret = mmap_read_lock_killable(walk->mm);/	before = ktime_get_ns();\n&/

		orphans_waiting_counts_as_holding orphans.c signals_test ^not ok .*waits[.]orphans[.]outlast_a_signal
		/^		before = ktime_get_ns();$/d
		s/^	err = mmap_write_lock_killable(walk->mm);/	before = ktime_get_ns();\n&/

		ldt_in_ranges walk.c edges_test ^not ok .*ldt[.](tables|orphans)[.]is_in_no_answer_of_a_range
		s/ || request->end != pta_user_end()//

		leader_start_of_thread target.c identity_test ^not ok .*header_says_who_it_is
		s/READ_ONCE(task->group_leader)->start_boottime/task->start_boottime/

		number_of_the_caller_s_namespace target.c identity_test ^not ok .*asked_for_in_a_pid_namespace
		s/pid_nr(pid)/pid_vnr(pid)/

		number_of_the_initial_namespace target.c identity_test ^not ok .*asked_for_in_a_pid_namespace
		s/pid_vnr(pid)/pid_nr(pid)/

		start_without_time_namespace target.c identity_test ^not ok .*start_is_told_in_the_reader_s_time_namespace
		s/timens_add_boottime_ns(start_ns)/start_ns/

		leader_alone_is_asked target.c leader_test ^not ok .*process_is_walked_through_its_living_thread
		s/^		mm = pin_task_mm(thread);/		mm = NULL;/

		mm_is_its_address target.c identity_test ^not ok .*is_never_used_again
		s/return mm->context.ctx_id;/return (unsigned long)mm * 3;/

		records_of_failed_answer debugfs.c records_test ^not ok .*refused_records_are_given_back_at_once
		/^	if (err) {$/,/^	}$/{/pta_store_deinit/d}

		uninitialised_header kpagemap.c kpagemap_test ^not ok .*[.]header
		s/struct entry ret = {};/struct entry ret;/

		uncovered_one_left_out visit.c orphans_test ^not ok .*planted[.]right_before_a_vma[.]
		s/while (open->next < index && !err)/while (open->next + 1 < index \&\& !err)/

		uncovered_behind_left_out visit.c orphans_test ^not ok .*planted[.]behind_the_last_vma[.]
		s/^			err = pta_visit_uncovered(walk, level, last);/			err = 0;/

		uncovered_before_left_out visit.c orphans_test ^not ok .*planted[.]before_the_first_vma[.]
		s/^	open->next = 0;/	open->next = pta_entry_index(level, walk->cursor);/

		entry_that_a_range_ends_in_left_out visit.c range_test ^not ok .*entry_that_a_range_ends_in_counts
		s/last = pta_entry_index(level, walk->end - 1) + 1;/last = pta_entry_index(level, walk->end);/

		leaf_of_1g_from_where_the_range_starts walk.c pagesfile_shared_test ^not ok .*leaf_of_1g[.]pfnmap[.]range_has_the_part_that_it_meets
		s/walk->cursor & ~(reach - 1), entry,/walk->cursor \& PMD_MASK, entry,/
		/^	unsigned long reach = pta_entry_reach(level);$/d

		sharers_not_asked_for pages.c pagesfile_shared_test ^not ok .*sharers[.]page_in_a_shared_table_is_not_mapped_once
		s/if (!shared && pta_page_mapcount/if (pta_page_mapcount/
		s/bool shared = /bool __maybe_unused shared = /

		outside_of_upper_left_out orphans.c range_test ^not ok .*orphans[.]range_beside_mappings
		/^	if (!vma && level != PTAUDIT_PGD)$/{N;d}

		vma_behind_covers vma.c orphans_test ^not ok .*planted[.]right_before_a_vma[.]
		s/vma->vm_start < end ?/vma->vm_start <= end ?/

		poison_is_other compat.h pagesfile_shared_test ^not ok .*pages[.]poison[.]
		s/softleaf_is_marker(entry) ? PTAUDIT_P_POISON : PTAUDIT_P_OTHER/softleaf_is_marker(entry) ? PTAUDIT_P_OTHER : PTAUDIT_P_POISON/

		poison_is_uffd_wp compat.h uffd_fault_test,pagesfile_shared_test ^not ok .*[.]poison(ed)?[.]
		s/softleaf_is_uffd_wp_marker(entry)/softleaf_is_marker(entry)/

		hwpoison_is_other compat.h pagesfile_test ^not ok .*pages[.]failed_memory[.]
		s/if (softleaf_is_hwpoison(entry))/if (0)/

		poison_of_hugetlb_is_uffd_wp pages.c pagesfile_shared_test ^not ok .*pages[.]poison_of_hugetlb[.]
		s/entry->kind == PTAUDIT_K_UFFD_WP ?/entry->kind != PTAUDIT_K_MIGRATION ?/

		other_is_guard entry.c uffd_fault_test ^not ok .*layout[.]poisoned[.]
		/PTAUDIT_K_OTHER\] = /s/, other)/, guard)/

		leaf_not_in_pfnmap walk.c pfn_leaf_test ^not ok .*layout[.]pfn_leaf[.]records_are_exact
		s/^					      vma->vm_flags & VM_PFNMAP ?/					      0 ?/

		leaf_of_1g_not_in_pfnmap walk.c pfn_leaf_test ^not ok .*layout[.]pfn_leaves_of_1g[.]records_are_exact
		s/^				flags = PTAUDIT_T_PFNMAP;/				flags = 0;/

		orphans_leaf_not_in_pfnmap orphans.c pfn_leaf_test ^not ok .*layout[.]pfn_leaf[.]records_are_exact
		s/^			flags = PTAUDIT_T_PFNMAP;/			flags = 0;/

		pfnmap_not_counted visit.c pfn_leaf_test ^not ok .*layout[.]pfn_leaf[.]records_are_exact
		s/^		open->table->pfnmap++;/		;/

		run_of_both store.c pfn_leaf_test ^not ok .*layout[.]pfn_leaves_among_others[.]records_are_exact
		s/ && record->flags == flags//

		pfn_leaf_is_of_pages pages.c pagesfile_shared_test ^not ok .*pages[.]pfnmap_leaves[.]module_is_exact
		s/^	if (level != PTAUDIT_PMD || vma->vm_flags & VM_PFNMAP ||/	if (level != PTAUDIT_PMD ||/

		special_leaf_of_no_level pages.c pagesfile_shared_test ^not ok .*pages[.]pfnmap_leaves[.]module_is_exact
		/^		count(pages, PTAUDIT_P_SPECIAL_PMD, nr);/s/nr/0/

		page_not_counted entry.c ptdump_test present [0-9]+ and [0-9]+
		s/^		nr_present++;/		nr_present += i != 77;/

		table_not_recorded walk.c ptdump_test only the dump has it
		s/^	table = pta_store_add(walk->store);/	if (entry.pfn % 16 == 3)\n		return 0;\n&/

		enomem_not_said store.c fail_test allocation [0-9]+ .*failed
		s/^			return -ENOMEM;/			return 0;/

		file_missing debugfs.c fail_test ^not ok .*insertion_says_enomem
		/^	if (!IS_ERR(file))$/{N;/"counts"/s/^[^\n]*\n//}

		walk_leaked_on_failure walk.c fail_test unreferenced object
		/^int pta_walk(/,/^}/s/^	kfree(walk);/	if (ret >= 0)\n		kfree(walk);/
	END
}

# plant NAME FILE EXPRESSION...: a copy with the fault, its module in $tmp/$name
plant() {
	local name=$1 file=$2 expression
	shift 2
	mkdir "$tmp/$name"
	cp -R "$root/Kbuild" "$root/module" "$tmp/$name"
	for expression; do
		cp "$tmp/$name/module/$file" "$tmp/before"
		sed -i "$expression" "$tmp/$name/module/$file"
		! cmp -s "$tmp/before" "$tmp/$name/module/$file" || {
			echo "# $expression changes nothing in $file"
			return 1
		}
	done
	"$root/scripts/kernel" --module "$kernel" "$tmp/$name/out" "$tmp/$name" >"$tmp/build" 2>&1 || {
		cat "$tmp/build"
		echo "# the copy does not build"
		return 1
	}
}

# All programs that a fault is judged by.
all_programs() {
	faults | awk -v RS= '$3 != "all" { print $3 }' | tr , '\n' | sort -u | paste -sd ,
}

# try NAME FILE PROGRAMS PATTERN EXPRESSION...
try() {
	local name=$1 file=$2 programs=$3 pattern=$4 status=0
	shift 4
	plant "$name" "$file" "$@" || { echo "not ok $name: not planted"; failed=$((failed + 1)); return; }
	if [ -n "$build_only" ]; then
		echo "ok $name: planted"
		passed=$((passed + 1))
		return
	fi
	[ "$programs" != all ] || programs=$(all_programs)
	# What KTAP says is judged here by one line alone; the VM judges the kernel's log. A panic at
	# the first warning, because some faults warn with each walk; all of it on the console, as a
	# panic leaves no time to read the log.
	# shellcheck disable=SC2086,SC2154 # a list; release is from scripts/kernel
	"$root/scripts/vm" --kernel "$kernel" --module "$tmp/$name/out/ptaudit.ko" --memory 3G --timeout 3600 \
		--append "pti=on panic_on_warn=1 ignore_loglevel" -- env PTAUDIT_EXPECT_RELEASE="$release" PTAUDIT_EXPECT_LEVELS=4 \
		PTAUDIT_EXPECT_PTI=on PTAUDIT_TOOL="$root/user/ptaudit" PTAUDIT_STRESS_SECONDS=20 \
		PTAUDIT_TIME_FACTOR="$factor" \
		PTAUDIT_MODULE="$tmp/$name/out/ptaudit.ko" PTAUDIT_HOLD_MODULE="$hold" PTAUDIT_PLANT="$plant" \
		"$here/../live/guest.sh" 1800 "$out" ${programs//,/ } witnesses.sh >"$tmp/output" 2>&1 || status=$?
	grep -E '^not ok |^vm: |^# .*(before|wrong|left behind|only the|present [0-9]+ and)' "$tmp/output" | head -n 12 | sed 's/^/# /'
	if [ "$name" = clean ]; then
		if [ "$status" = 0 ] && ! grep -q '^not ok' "$tmp/output" && grep -q '^### done' "$tmp/output"; then
			echo "ok $name: without a fault, nothing is found"
			passed=$((passed + 1))
			return
		fi
	elif grep -aEq "$pattern" "$tmp/output" && { [ "$status" != 0 ] || grep -q '^not ok' "$tmp/output"; }; then
		echo "ok $name: found: $(grep -aE -m 1 "$pattern" "$tmp/output")"
		passed=$((passed + 1))
		return
	fi
	cp "$tmp/output" "$root/build/planted-$name"
	echo "not ok $name: status $status, see build/planted-$name"
	failed=$((failed + 1))
}

[ "${1:-}" != --kernel ] || { kernel=$2; shift 2; }
[ "${1:-}" != --build-only ] || { build_only=yes; shift; }
wanted=" $* "
# Not below /tmp, where the guest has its own.
mkdir -p "$root/build"
tmp=$(mktemp -d "$root/build/planted.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
case $kernel in *-debug | *-kcsan) factor=10 ;; *) factor=1 ;; esac
vars=$("$root/scripts/kernel" "$kernel")
eval "$vars"
KSELFTEST_DIR=${KSELFTEST_DIR:-$("$root/scripts/kernel" --source 6.1)}
make -s -C "$root" user
make -s -C "$here/../live" KSELFTEST_DIR="$KSELFTEST_DIR"
make -s -C "$here" KSELFTEST_DIR="$KSELFTEST_DIR"
hold=$("$root/scripts/kernel" --module "$kernel" '' "$here/../live/hold" 2>/dev/null)
plant=$("$root/scripts/kernel" --module "$kernel" '' "$here/../live/plant" 2>/dev/null)
mapfile -t lines < <(faults; echo)
tried=0 words=()
for line in "${lines[@]}"; do
	if [ ${#words[@]} = 0 ]; then
		read -r name file programs pattern <<<"$line"
		words=("$name" "$file" "$programs" "$pattern")
	elif [ -n "$line" ]; then
		words+=("$line")
	else
		if [ "$wanted" = '  ' ] || [[ $wanted == *" ${words[0]} "* ]]; then
			try "${words[@]}"
			tried=$((tried + 1))
		fi
		words=()
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$tried" -gt 0 ]
