#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: packages_test.sh
#
# The RPM spec and the PKGBUILD: checks their syntax, builds the packages on this machine, and
# checks that they contain the files of `make install`. Needs no root.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 2
tmp=$(mktemp -d) || exit
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=/dev/null
. selftests/result.sh

release=$(sed -n 's/^#define PTU_VERSION "\(.*\)"$/\1/p' user/base/version.h)
spec=scripts/packaging/rpm/ptaudit.spec

# A source archive as packages use it: the files that git tracks, below a directory with the
# version.
archive() {
	git ls-files -z | tar --null -T - --transform "s,^,ptaudit-$release/," -czf "$tmp/ptaudit-$release.tar.gz"
}

spec_is_clean() {
	rpmspec -P "$spec" >/dev/null && rpmlint -c scripts/packaging/rpm/rpmlint.toml "$spec" |
		tee /dev/stderr | grep ' 0 errors, 0 warnings'
}

spec_has_the_version() {
	[ "$(rpmspec -q --srpm --qf '%{version}' "$spec")" = "$release" ]
}

# --without tests: other parts of the plan run the unit tests.
build_rpm() {
	rpmbuild -bb --nodeps --without tests --define "_topdir $tmp/rpm" --define "_sourcedir $tmp" \
		--define 'debug_package %{nil}' --define '_build_id_links none' "$spec"
}

pkgbuild_is_clean() {
	bash -n scripts/packaging/arch/PKGBUILD && shellcheck scripts/packaging/arch/PKGBUILD
}

as_user() {
	if [ "$(id -u)" = 0 ]; then
		chown -R nobody "$tmp/arch" && runuser -u nobody -- env HOME="$tmp/arch" "$@"
	else
		"$@"
	fi
}

pkgbuild_has_the_version() {
	(cd "$tmp/arch" && as_user makepkg --printsrcinfo) | grep -xP "\tpkgver = $release"
}

build_arch() {
	(cd "$tmp/arch" && as_user env PKGEXT=.pkg.tar makepkg --nodeps --nocheck --noconfirm)
}

# The files of a list; manual pages without the suffix of compression.
files() {
	grep -v '/$' | sed -E 's,^(\./|/),,; s,(/man[0-9]/.*)\.gz$,\1,' | sort
}

# same_files DIR PACKAGE: `make install` has put the same files into DIR
same_files() {
	diff <(cd "$tmp/$1" && find . ! -type d | files) "$tmp/$2"
}

chmod 755 "$tmp"
mkdir "$tmp/arch"
result_of source_archive archive
cp scripts/packaging/arch/PKGBUILD "$tmp/ptaudit-$release.tar.gz" "$tmp/arch"
make -s install DESTDIR="$tmp/usr" prefix=/usr libdir="$(rpm --eval %_libdir)" >/dev/null || exit
make -s install DESTDIR="$tmp/bin" prefix=/usr sbindir=/usr/bin >/dev/null || exit
result_of rpm_spec_is_clean spec_is_clean
result_of rpm_spec_has_the_version spec_has_the_version
result_of rpm_is_built build_rpm
rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$tmp"/rpm/RPMS/x86_64/*.rpm 2>/dev/null |
	sed -n 's/^[-l][^ ]* //p' | files >"$tmp/in-rpm"
result_of rpm_has_the_files_of_make_install same_files usr in-rpm
result_of pkgbuild_is_clean pkgbuild_is_clean
result_of pkgbuild_has_the_version pkgbuild_has_the_version
result_of arch_package_is_built build_arch
tar -tf "$tmp/arch/ptaudit-$release-1-x86_64.pkg.tar" 2>/dev/null | grep -v '^\.' | files >"$tmp/in-arch"
result_of arch_package_has_the_files_of_make_install same_files bin in-arch
finish
