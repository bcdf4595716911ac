#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares the BPF walk with the estimate for programs that change: one maps and unmaps constantly;
# the other one is Redis, which forks to save.
exec "$(dirname "$0")/../foreign/servers.py" --plan --truth bpf --seconds 4 mutator redis
