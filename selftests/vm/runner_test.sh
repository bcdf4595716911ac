#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: runner_test.sh [TEST...]
#
# Tests scripts/vm: each kind of failure is injected once and must be reported with the right
# reason; a correct run must return its results unchanged. PTAUDIT_KERNEL is the kernel that it
# boots (default 6.1). Text in single quotes is for the guest's shell; a && b || fail is used on
# purpose.
# shellcheck disable=SC2016,SC2015
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
vm=$here/../../scripts/vm
kernel=${PTAUDIT_KERNEL:-6.1}

fail() {
	echo "# $*"
	sed 's/^/# | /' "$dir/err" 2>/dev/null | tail -n 15
	return 1
}

# run [OPTION...] -- COMMAND...: sets status; the output is in files out and err.
run() {
	status=0
	"$vm" --kernel "$kernel" --cpus 1 --timeout 600 "$@" >"$dir/out" 2>"$dir/err" || status=$?
}

# The VM must have failed, and its last message must match.
failed() {
	[ "$status" = 125 ] || { fail "status $status, not 125"; return; }
	tail -n 1 "$dir/err" | grep -qE "^vm: .*$1" || fail "the reason of the failure is not '$1'"
}

succeeded() {
	[ "$status" = 0 ] || fail "status $status"
}

inject() {
	run --module "$inject" "${@:2}" -- sh -c "echo $1 >/sys/module/inject/parameters/now; dmesg -C"
}

# ---- these runs must fail ----

test_panic_is_reported() {
	run --no-module -- sh -c 'echo c >/proc/sysrq-trigger'
	failed 'panicked: .*sysrq'
}

test_hang_is_reported() {
	run --no-module --timeout 15 -- sleep 1000
	failed 'not done after 15 s'
}

# Neither the guest's log level nor a cleared log may hide the warning.
test_warning_is_reported() {
	inject warn --append 'loglevel=0'
	failed 'kernel reports: WARNING: .*inject_now'
}

test_warning_on_unload_is_reported() {
	inject 'exit'
	failed 'kernel reports: WARNING: .*inject_exit'
}

test_bug_is_reported() {
	inject bug
	failed 'panicked: .*kernel BUG at'
}

test_report_in_the_log_is_found() {
	run --no-module -- sh -c 'echo "WARNING: CPU: 0 PID: 1 at foo" >/dev/kmsg'
	failed 'kernel reports: WARNING: CPU: 0 PID: 1 at foo'
}

# The log's follower is stopped, so the ring buffer overflows and could lose a report.
test_lost_part_of_the_log_is_reported() {
	run --no-module --append log_buf_len=256K -- sh -c 'follower=$(pgrep -x cat) && kill -STOP $follower || exit 1
		i=0
		while [ $i -lt 600 ]; do printf "%900s\n" x >/dev/kmsg; i=$((i + 1)); done
		kill -CONT $follower'
	failed "of the kernel's log is lost"
}

test_truncated_output_is_reported() {
	PTAUDIT_VM_INJECT=truncate run --no-module -- echo a longer line
	failed 'truncated: the guest sent 14 bytes, 3 arrived'
}

test_power_off_without_result_is_reported() {
	run --no-module -- busybox poweroff -f
	failed 'without reporting a result'
}

test_race_in_the_module_is_reported() {
	run --module "$inject" -- sh -c 'echo "BUG: KCSAN: data-race in find_vma / some_function [inject]" >/dev/kmsg'
	failed 'the kernel reports: .*KCSAN'
}

test_missing_verdict_is_reported() {
	PTAUDIT_VM_INJECT=noverdict run --no-module -- true
	failed 'without reporting a result'
}

test_malformed_verdict_is_reported() {
	PTAUDIT_VM_INJECT=badverdict run --no-module -- true
	failed 'report of its result is malformed'
}

test_module_that_does_not_load_is_reported() {
	head -c 10000 /dev/zero >"$dir/zero.ko"
	run --module "$dir/zero.ko" -- true
	failed 'module does not load'
}

test_module_that_does_not_unload_is_reported() {
	inject pin
	failed 'module does not unload'
}

test_qemu_that_does_not_start_is_reported() {
	run --no-module --qemu-arg --no-such-option -- true
	failed 'QEMU ended with status 1'
}

# stand_in COMMAND: a QEMU that only runs this command.
stand_in() {
	mkdir "$dir/bin"
	printf '#!/bin/sh\n%s\n' "$1" >"$dir/bin/qemu-system-x86_64"
	chmod 755 "$dir/bin/qemu-system-x86_64"
}

# The kernel kills QEMU if memory is short. This must not be taken for the time limit.
test_killed_qemu_is_reported() {
	stand_in 'kill -9 $$'
	PATH=$dir/bin:$PATH run --no-module --accel tcg -- true
	failed 'QEMU was killed'
}

test_missing_qemu_is_reported() {
	mkdir "$dir/bin"
	ln -s /bin/* /sbin/* "$dir/bin" 2>/dev/null
	rm "$dir/bin/qemu-system-x86_64"
	PATH=$dir/bin run --no-module -- true
	failed 'qemu-system-x86_64 is not installed'
}

# The status of a command of the script must not be taken for that of the guest.
test_unusable_cache_is_reported() {
	PTAUDIT_CACHE=/proc/none run --no-module -- true
	failed 'status 1$'
}

test_missing_drivers_are_reported() {
	mkdir -p "$dir/lib/modules/none"
	: >"$dir/lib/modules/none/modules.dep"
	eval "$("$here/../../scripts/kernel" "$kernel")"
	# shellcheck disable=SC2154 # from those lines
	run --image "$vmlinuz" --modules "$dir/lib/modules/none" --no-module -- true
	failed 'lacks the modules'
}

# ---- these runs must succeed ----

# QEMU only warns if KVM lacks a feature, and the kernel would boot with 4 levels.
# shellcheck disable=SC2034,SC2317 # for run_qemu
test_five_levels_without_la57_are_emulated() {
	eval "$(sed -n '/^run_qemu() {$/,/^}$/p' "$vm")"
	kvm_works() { :; }
	grep() { return 1; } # the CPU's flags
	timeout() { echo "$*" >"$dir/arguments"; }
	tmp=$dir accel=auto features=la57=on cpus=1 memory=1G seconds=9 image=x append='' share='' qemu_args=()
	run_qemu
	command grep -q -- '-accel tcg' "$dir/arguments" || fail "$(cat "$dir/arguments")"
}

# A kernel of one's own that prints nothing, as one that bisection tries, says nothing about KVM.
# shellcheck disable=SC2034 # for kvm_works
test_kernel_that_prints_nothing_does_not_switch_kvm_off() {
	: >"$dir/kvm-device"
	stand_in 'case $* in *good*) for arg; do case $arg in file:*) echo Linux version >"${arg#file:}" ;; esac; done ;; esac'
	PATH=$dir/bin:$PATH
	eval "$(sed -n '/^kvm_works() {$/,/^}$/p' "$vm" | sed "s|/dev/kvm|$dir/kvm-device|")"
	tmp=$dir/tmp cache=$dir/cache
	mkdir "$tmp" "$cache"
	image=$dir/silent
	! kvm_works || { fail 'KVM works with a kernel that prints nothing'; return; }
	image=$dir/good
	kvm_works || { fail 'KVM does not work with the next kernel'; return; }
	image=$cache/silent
	rm "$cache/kvm" "$tmp/kvm"
	! kvm_works && [ -s "$cache/kvm" ] || fail 'the answer of a kernel of the tests is not kept'
}

# The tree of a kernel, or the cache, may be in such a directory.
# shellcheck disable=SC2034,SC2317 # for boot_modules
test_drivers_are_found_in_a_directory_with_a_blank() {
	eval "$(sed -n '/^boot_modules() {$/,/^}$/p' "$vm")"
	modules="$dir/a b/lib/modules/c"
	modprobe() { printf 'insmod %s \n' "$modules/first.ko.xz" "$modules/${*: -1}.ko option=1"; }
	boot_modules >"$dir/list"
	printf "$modules/%s\n" first.ko.xz {virtio_pci,virtio_console,9pnet_virtio,9p,overlay}.ko | cmp - "$dir/list" || fail "$(cat "$dir/list")"
}

# As CONFIG_MODULE_COMPRESS_GZIP, _XZ and _ZSTD compress them.
# shellcheck disable=SC2034,SC2317 # for make_initramfs
test_compressed_drivers_are_unpacked() {
	eval "$(sed -n '/^make_initramfs() {$/,/^}$/p' "$vm")"
	for compress in gzip xz 'zstd -q'; do
		echo "of $compress" >"$dir/${compress%% *}.ko"
		$compress "$dir/${compress%% *}.ko"
	done
	boot_modules() { printf '%s\n' "$dir"/*.ko.*; }
	pack() { [ "$1" != "$dir/initramfs" ] || cat "$1"/modules/*.ko >"$dir/drivers"; }
	cpio_node() { :; }
	quote() { :; }
	tmp=$dir cache=$dir/cache here=$(dirname "$vm") modules='' module=none share='' command=()
	make_initramfs
	printf 'of %s\n' gzip xz 'zstd -q' | cmp - "$dir/drivers" || fail 'the drivers are not unpacked'
}

test_arguments_output_and_status_are_unchanged() {
	# A process left behind must neither delay the end nor keep the module busy.
	run --module "$inject" -- sh -c 'sleep 1000 </dev/null & printf "<%s>\n" "$@" "$(pwd)" "$(id -u)"; echo err >&2; exit 3' \
		sh "a  b" "it's" '"$HOME" `x` \n *' '' $'two\nlines'
	[ "$status" = 3 ] || { fail "status $status, not 3"; return; }
	printf '<%s>\n' "a  b" "it's" '"$HOME" `x` \n *' '' $'two\nlines' "$PWD" 0 err | sed 's/^<err>$/err/' |
		cmp - "$dir/out" || fail "the output differs: $(cat "$dir/out")"
}

test_process_without_its_main_thread_is_killed() {
	run --no-module --timeout 300 -- sh -c '/usr/bin/python3 -c "
import ctypes, _thread, time
_thread.start_new_thread(time.sleep, (1000,))
ctypes.CDLL(None).syscall(60, 0)  # exit, of the main thread alone" &
		until grep -q "^State:.*Z" /proc/$!/status; do sleep 0.1; done; echo the main thread has exited'
	succeeded && [ "$(cat "$dir/out")" = 'the main thread has exited' ] || fail "$(cat "$dir/out")"
}

test_race_of_the_kernel_itself_is_ignored() {
	run --module "$inject" -- sh -c 'echo "BUG: KCSAN: data-race in find_vma / other [brd]" >/dev/kmsg'
	succeeded
}

# For 30 s, as when the host is suspended. If the VM was not stopped, it does not end.
test_stopped_vm_is_no_lockup() {
	local stopper qemu="^qemu-system.*$dir/share"
	mkdir "$dir/share"
	{
		until [ -e "$dir/share/begun" ]; do sleep 0.1; done
		pkill -STOP -f "$qemu" && sleep 30 && pkill -CONT -f "$qemu" && : >"$dir/share/end"
	} &
	stopper=$!
	run --no-module --timeout 300 --share-dir "$dir/share" -- \
		sh -c ': >"$1/begun"; until [ -e "$1/end" ]; do :; done' sh "$dir/share"
	kill "$stopper" 2>"$dir/kill"
	succeeded
}

test_much_output_is_complete() {
	run --no-module -- sh -c 'seq 500000 | tee /dev/stderr | sha256sum >/dev/shm/sum; cat /dev/shm/sum; modprobe brd && ip -br link show lo'
	succeeded || return
	seq 500000 | cmp - <(head -n 500000 "$dir/out") || fail "the output differs"
	tail -n 1 "$dir/out" | grep -q 'UP' || fail "the loopback interface is down"
}

# The last lines of the guest's script write to the 9p device itself, around all mounts.
test_host_is_unchanged() {
	local before
	mkdir "$dir/host"
	echo kept >"$dir/host/file"
	chmod 640 "$dir/host/file"
	before=$(find "$dir/host" -printf '%p %s %m %T@\n')
	(cd "$dir/host" && run --no-module -- sh -c '
		touch new && rm file && echo other >file && chmod 777 file && cat file || exit 1
		host=/proc/1/root/host
		mount -o remount,rw "$host" && grep -q " $host\| /host .*rw" /proc/1/mounts || exit 2
		cd "$host$PWD" || exit 3
		cat file
		for try in "touch direct" "rm file" "chmod 777 file" "mkdir d" "ln file link" "mv file moved"; do
			! $try || echo "could: $try"
		done
		echo more >>file
		exit 7')
	[ "$(tail -n 1 "$dir/err")" = '' ] || cat "$dir/err"
	[ "$(head -n 2 "$dir/out")" = $'other\nkept' ] || { fail "the guest does not see its changes of the file: $(cat "$dir/out")"; return; }
	[ "$(grep -c 'Read-only file system' "$dir/out")" = 7 ] || { fail "$(cat "$dir/out")"; return; }
	! grep -q '^could' "$dir/out" || { fail "$(cat "$dir/out")"; return; }
	[ "$(find "$dir/host" -printf '%p %s %m %T@\n')" = "$before" ] || { fail 'the host has changed'; return; }
	[ "$(cat "$dir/host/file")" = kept ] || fail 'a file of the host has changed'
}

test_guest_writes_only_to_the_shared_directory() {
	mkdir "$dir/a share"
	run --no-module --share-dir "$dir/a share" -- sh -c 'echo result >"$1/file"; touch "$1/../file"' sh "$dir/a share"
	succeeded || return
	[ "$(cat "$dir/a share/file")" = result ] || { fail "the shared directory has no result"; return; }
	[ ! -e "$dir/file" ] || fail "the guest wrote outside of the shared directory"
}

# killed LEVELS COMMAND...: kills the command once its VM runs, that many processes below it. The
# VM has an initrd; the QEMU that finds out about KVM has none.
killed() {
	local levels=$1 pid above child
	shift
	"$@" >"$dir/out" 2>"$dir/err" &
	pid=$!
	for _ in $(seq 6000); do
		above=$pid
		for _ in $(seq "$levels"); do
			above=$(pgrep -d , -P "${above:-0}")
		done
		child=$(pgrep -P "${above:-0}" -f '^timeout .* -initrd ') && break
		[ -e "/proc/$pid" ] || break
		sleep 0.1
	done
	[ -n "$child" ] || { kill "$pid"; fail "no VM was started: $(cat "$dir/out" "$dir/err")"; return; }
	kill "$pid"
	wait "$pid"
	for _ in $(seq 300); do
		[ -e "/proc/$child" ] || return 0
		sleep 0.1
	done
	fail 'QEMU is still running'
}

test_killed_runner_leaves_nothing() {
	killed 0 "$vm" --kernel "$kernel" --no-module -- sleep 1000
}

test_killed_test_run_leaves_no_vm() {
	PTAUDIT_PROGRAMS="schema.sh examples.sh" killed 2 "$here/../run-vm.sh" "$kernel"
}

# The tree is below /tmp, which the guest mounts empty, and the caller is in a subdirectory.
test_tree_is_there_from_a_subdirectory_below_tmp() {
	local scripts=$here/../../scripts
	mkdir -p "$dir/tree/scripts" "$dir/tree/part"
	cp "$scripts/vm" "$scripts/vm-init" "$scripts/kernel" "$dir/tree/scripts"
	echo here >"$dir/tree/tool"
	vm=$dir/tree/scripts/vm
	cd "$dir/tree/part" || return
	run --no-module -- sh -c 'cat ../tool "$0"' "$dir/tree/tool"
	succeeded && [ "$(cat "$dir/out")" = "here
here" ] || fail 'the guest does not see the file of the tree'
}

# The guest hides the host's /tmp, but a command may load modules that were built in the cache.
test_cache_below_tmp_is_there() {
	local vars
	vars=$("$here/../../scripts/kernel" "$kernel") || { fail 'there is no kernel'; return; }
	eval "$vars"
	mkdir -p "$dir/cache/ptaudit" "$dir/cwd"
	echo cached >"$dir/cache/ptaudit/file"
	ln -s "$dir/cache" "$dir/cwd/link"
	cd "$dir/cwd" || return
	# shellcheck disable=SC2154 # from those lines
	PTAUDIT_CACHE=$dir/cwd/link run --image "$vmlinuz" --modules "$modules" --no-module -- cat "$dir/cwd/link/ptaudit/file"
	succeeded && [ "$(cat "$dir/out")" = cached ] || fail 'the guest does not see the file of the cache'
}

test_damaged_cache_is_made_again() {
	local file
	eval "$("$here/../../scripts/kernel" "$kernel")"
	# shellcheck disable=SC2154 # from those lines
	build_inject() {
		file=$(PTAUDIT_CACHE=$dir CC=$cc "$here/../../scripts/kernel" --module "$build" '' "$here/inject" 2>"$dir/err")
	}
	build_inject || { fail 'the module inject was not built'; return; }
	build_inject && [ ! -s "$dir/err" ] || { fail 'the second build did not use the cache'; return; }
	printf x | dd of="$file" bs=1 seek=100 conv=notrunc status=none
	build_inject && grep -q 'is incomplete' "$dir/err" || { fail 'the damaged file was not detected'; return; }
	modinfo "$file" >/dev/null && [ "$(head -c 101 "$file" | tail -c 1)" != x ] || fail 'the damaged file was not built again'
}

# Tests of live/ change settings of the machine. kselftest/run.sh runs them on real machines, too.
test_kselftest_restores_the_settings() {
	local pages=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages choice=/sys/kernel/mm/transparent_hugepage/enabled
	mkdir "$dir/bin"
	echo fake_test >"$dir/programs"
	cp /bin/true "$dir/ptaudit"
	cp "$here/../kselftest/run.sh" "$dir/fake_test"
	printf '%s\n' '#!/bin/sh' "echo 2 >$pages" "echo never >$choice" "cat $pages $choice" 'exit 3' >"$dir/bin/fake_test"
	chmod 755 "$dir/bin/fake_test"
	cd "$dir" || return
	run -- sh -c "echo 5 >$pages; echo always >$choice; ./fake_test; echo \$?; cat $pages $choice"
	succeeded && [ "$(cat out)" = $'2\nalways madvise [never]\n3\n5\n[always] madvise never' ] || fail "$(cat out)"
}

one_test() {
	dir=$(mktemp -d)
	if "test_$1"; then
		echo "ok $1"
	else
		echo "not ok $1"
	fi
	rm -rf "$dir"
}

if [ "${1:-}" = --one ]; then
	one_test "$2" >"$3/$2" 2>&1
	exit
fi

results=$(mktemp -d) || exit
trap 'rm -rf "$results"' EXIT
inject=$("$here/../../scripts/kernel" --module "$kernel" '' "$here/inject" 2>"$results/build") || {
	cat "$results/build" >&2
	exit 2
}
export inject
tests=("$@")
[ ${#tests[@]} -gt 0 ] || mapfile -t tests < <(declare -F | sed -n 's/^declare -f test_//p')
echo "TAP version 13"
echo "1..${#tests[@]}"
printf '%s\n' "${tests[@]}" | xargs -P "$(nproc)" -I {} "$0" --one {} "$results"
passed=0 failed=0
for name in "${tests[@]}"; do
	number=$((passed + failed + 1))
	if grep -qx "ok $name" "$results/$name" 2>/dev/null; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
	sed "s/^\(not ok\|ok\) /\1 $number /" "$results/$name"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
