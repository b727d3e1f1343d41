#!/usr/bin/env bash
# Runs libFuzzer on targets, or on all of them, for some seconds each, and prints how many inputs each has read.
#   tests/fuzz/run.sh SECONDS [TARGET...]
# JOBS=N runs N at once, one for each core unless given. Equal SEED=N try equal changes. build/fuzz/corpus keeps the inputs that
# reach new code, build/fuzz/found the logs, and the inputs that break a reader: then the script prints the end of the log and
# fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export program=build/fuzz/tests/vox_fuzz corpus=build/fuzz/corpus found=build/fuzz/found seconds=$1
shift
(($#)) || set -- $(VOX_FUZZ_TARGET=list $program)
mkdir -p $found

one() {
  local folder=$corpus/$1 log=$found/$1.log status=0
  mkdir -p "$folder"
  VOX_FUZZ_TARGET=$1 VOX_FUZZ_SEEDS=$folder nice $program -seed="${SEED:-0}" -max_total_time=$seconds -timeout=60 \
    -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 -artifact_prefix="$found/$1-" "$folder" >"$log" 2>&1 || status=1
  awk -v name="$1" '/number_of_executed_units/ { inputs = $2 } /slowest_unit_time_sec/ { slowest = $2 }
    END { printf "%-16s %9d inputs, the slowest took %d s\n", name, inputs, slowest }' "$log"
  ((status == 0)) || { echo "FAILED: $1"; grep -m 1 -A 12 'ERROR\|what was read is wrong\|runtime error' "$log" || tail -n 20 "$log"; }
  return $status
}
export -f one
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'one "$1"' fuzz {}
