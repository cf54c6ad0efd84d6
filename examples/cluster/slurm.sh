#!/usr/bin/env bash
# An array of eight parts on a shared disk, no server: sbatch slurm.sh jobs.jsonl
# A part that is killed or requeued goes on where it was. Afterwards: cat results-*.jsonl
#SBATCH --job-name=shirokuro
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --requeue
set -euo pipefail

jobs=$1
part=${SLURM_ARRAY_TASK_ID:-1}
parts=${SLURM_ARRAY_TASK_COUNT:-1}
exec shirokuro batch "$jobs" -o "results-$part.jsonl" --jobs "${SLURM_CPUS_PER_TASK:-1}" --shard "$part/$parts"
