#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: arm64.sh [BOOT...]
#
# Builds the tool for arm64, boots kernels of Debian in an emulated machine, and runs
# arm64/estimate_test.c there: `ptaudit estimate` against tables that follow from addresses, and
# against VmPTE. The boots are 6.1, 6.12, 6.12-48, 6.12-16k and 6.12-16k-47, see boot(); the default
# is all of them. A skipped test fails unless boot() expects it. The guest has no network and loads
# no module of this project. The last line is `N passed, N failed`. The environment variable
# PTAUDIT_TOOL names a tool that was built for arm64; otherwise the script builds one. The console
# output of each boot is in build/selftests/arm64.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/build/selftests/arm64
seconds=1800 # for a boot
passed=0 failed=0 tmp='' qemu=''
reports='WARNING: |BUG: |BUG at |Oops|Call trace:|Kernel panic|INFO: (task|rcu)'
reports+='|Bad (page|rss)|bad p(gd|4d|ud|md|te)[ :]'

fail() {
	echo "not ok $*"
	failed=$((failed + 1))
}

# shellcheck disable=SC2317 # by trap
cleanup() {
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || :
	rm -rf "$tmp"
}

needs() {
	local command
	for command in aarch64-linux-gnu-gcc qemu-system-aarch64 cpio pkg-config; do
		command -v "$command" >/dev/null || {
			echo "arm64.sh: there is no $command; scripts/setup selftests/arm64.sh installs it" >&2
			exit 2
		}
	done
}

# A copy, because the objects in the tree are those of the host. pkg-config puts the sysroot before
# the paths of headers and libraries.
build() {
	local cross=aarch64-linux-gnu-
	if [ -n "${PTAUDIT_TOOL:-}" ]; then
		cp "$PTAUDIT_TOOL" "$tmp/ptaudit"
	else
		mkdir "$tmp/tree"
		cp -R "$root/Makefile" "$root/module" "$root/user" "$tmp/tree"
		PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig \
			make -s -j "$(nproc)" -C "$tmp/tree" user CC=${cross}gcc AR=${cross}ar
		cp "$tmp/tree/user/ptaudit" "$tmp/ptaudit"
	fi
	# Static and at a fixed address: all of it is in the reach of one PTE table.
	${cross}gcc -O2 -Wall -static -no-pie -fno-pie -I"$sysroot/usr/include" -o "$tmp/estimate_test" \
		"$root"/selftests/arm64/*.c -L"$sysroot/usr/lib/aarch64-linux-gnu" -ljansson
}

# make_initramfs MODULES: with the tool, the libraries that it names, and brd of the kernel.
make_initramfs() {
	local dir=$tmp/initramfs name brd
	rm -rf "$dir"
	mkdir -p "$dir"/{bin,dev,proc,sys,lib/aarch64-linux-gnu}
	cp "$sysroot/bin/busybox" "$dir/bin"
	cp "$tmp/ptaudit" "$tmp/estimate_test" "$root/selftests/arm64/init" "$dir"
	cp -L "$sysroot/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1" "$dir/lib"
	for name in $(aarch64-linux-gnu-readelf -d "$tmp/ptaudit" |
		sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		[ -e "$dir/lib/$name" ] || cp -L "$(find "$sysroot" -name "$name")" "$dir/lib/aarch64-linux-gnu"
	done
	brd=$(find "$1" -name 'brd.ko*')
	case $brd in
	*.xz) xz -dc "$brd" ;;
	*) cat "$brd" ;;
	esac >"$dir/brd.ko"
	(cd "$dir" && find . -mindepth 1 | cpio -o -H newc -R 0:0 --quiet) >"$tmp/initrd"
}

# boot NAME: prints the lines of the guest, and adds to the totals.
boot() {
	local kernel cpu=max,pauth-impdef=on bits estimator=written expected status=0 vars report p f
	local name vmlinuz modules # set by eval
	local no_p4d='pages one entry of a PGD above P4D tables apart # SKIP no tables of level p4d'
	local no_pud='pages one entry of a P4D table or of the PGD apart # SKIP no tables of level pud'
	local no_64k='hugetlb of 64 KiB # SKIP no huge pages of 64 KiB'
	local no_folios='folios of 64 KiB # SKIP no folios of 64 KiB'
	case $1 in
	6.1) kernel=6.1-arm64 bits=48 estimator=pagemap expected=("$no_p4d" "$no_folios") ;;
	6.12) kernel=6.12-arm64 bits=52 expected=() ;;
	6.12-48) kernel=6.12-arm64 bits=48 cpu+=,lpa2=off expected=("$no_p4d") ;;
	6.12-16k) kernel=6.12-arm64-16k bits=52 expected=("$no_p4d" "$no_64k") ;;
	6.12-16k-47)
		kernel=6.12-arm64-16k bits=47 cpu+=,lpa2=off expected=("$no_pud" "$no_p4d" "$no_64k")
		;;
	*)
		echo "arm64.sh: there is no boot $1" >&2
		exit 2
		;;
	esac
	vars=$("$root/scripts/kernel" "$kernel") || {
		fail "$1: scripts/kernel cannot provide $kernel"
		return
	}
	eval "$vars"
	make_initramfs "$modules"
	timeout -k 5 "$seconds" qemu-system-aarch64 -nodefaults -no-user-config -display none -no-reboot \
		-M virt -accel tcg -cpu "$cpu" -smp 1 -m 3G -kernel "$vmlinuz" -initrd "$tmp/initrd" \
		-append "console=ttyAMA0 quiet loglevel=4 panic=-1 oops=panic $hugepages bits=$bits \
estimator=$estimator" \
		-serial "file:$out/$1" </dev/null >"$tmp/qemu" 2>&1 &
	qemu=$!
	wait "$qemu" || status=$?
	qemu=''
	tr -d '\r' <"$out/$1" | sed "s|^|$1: |" >"$tmp/lines"
	cat "$tmp/lines"
	p=$(grep -cE "^$1: ok [0-9]+ " "$tmp/lines") || :
	f=$(grep -cE "^$1: not ok [0-9]+ " "$tmp/lines") || :
	passed=$((passed + p)) failed=$((failed + f))
	[ "$status" = 0 ] || fail "$1: QEMU ended with status $status: $(cat "$tmp/qemu")"
	# The plan is the program's last line, so a machine that ends early prints none.
	grep -qx "$1: 1\.\.$((p + f))" "$tmp/lines" ||
		fail "$1: the guest printed no total, or not that of its $((p + f)) results"
	report=$(grep -m 1 -aE "$reports" "$tmp/lines") && fail "$1: the kernel reports: $report"
	diff <(printf '%s\n' ${expected[@]+"${expected[@]}"}) \
		<(sed -n "s/^$1: ok [0-9]* \(.* # SKIP .*\)/\1/p" "$tmp/lines" | grep . || echo) >"$tmp/skips" || {
		cat "$tmp/skips"
		fail "$1: other tests are skipped than expected"
	}
}

# With 4 KiB pages, 32 of 64 KiB fill a PTE table; with 16 KiB pages, 16 of 2 MiB.
hugepages='hugepagesz=1G hugepages=1 hugepagesz=32M hugepages=2 hugepagesz=2M hugepages=20'
hugepages+=' hugepagesz=64K hugepages=40'
[ $# -gt 0 ] || set -- 6.1 6.12 6.12-48 6.12-16k 6.12-16k-47
needs
tmp=$(mktemp -d)
trap cleanup EXIT
trap 'exit 1' INT TERM HUP
mkdir -p "$out"
sysroot=$("$root/scripts/kernel" --sysroot-arm64)
build
for name; do
	boot "$name"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
