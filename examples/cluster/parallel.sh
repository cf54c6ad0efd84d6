#!/usr/bin/env bash
# The same with GNU Parallel on one machine or several: ./parallel.sh jobs.jsonl 8
set -euo pipefail

jobs=$1
parts=${2:-4}
seq "$parts" | parallel --halt soon,fail=1 shirokuro batch "$jobs" -o results-{}.jsonl --jobs 1 --shard "{}/$parts"
