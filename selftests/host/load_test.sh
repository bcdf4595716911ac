#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The BPF walk and the estimate of programs that change: one that maps and unmaps constantly, and
# Redis, which forks to save.
exec "$(dirname "$0")/../foreign/servers.py" --plan --truth bpf --seconds 4 mutator redis
