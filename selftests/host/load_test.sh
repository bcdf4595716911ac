#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The walk by BPF and the estimate beside programs that change: one that changes its
# mappings without rest, and Redis, which forks and saves.
exec "$(dirname "$0")/../foreign/servers.py" --plan --truth bpf --seconds 4 mutator redis
