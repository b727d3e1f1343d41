#!/usr/bin/env bash
# Runs compute-sanitizer's four tools over the tests on a GPU, and writes a table of what they found to docs/gpu-sanitizers.md.
#   tests/gpu_sanitizers.sh [ROOM...]         build/release must have been built with CUDA
# SECONDS_EACH=N ends a tool on a room's tests after N seconds, 600 unless given: the table then says so. The tests compute with small
# sizes already; a sanitizer makes a kernel 10 to 100 times as slow. Logs are in build/gpu-sanitizers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
logs=build/gpu-sanitizers table=docs/gpu-sanitizers.md sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
export VOX_TEST_DEVICE=cuda VOX_BIN=$PWD/build/release VOX_SHARED=$PWD/../shared
mkdir -p "$logs"
(($#)) || set -- device hash dag scene spatial painting voxelize bricks edit render match build engine

one() {  # TOOL ROOM: prints what was found
  local log=$logs/$1-$2.log status=0
  timeout "${SECONDS_EACH:-600}" "$sanitizer" --tool "$1" --error-exitcode 99 --kernel-regex kns=vox \
    "build/release/tests/vox_test_$2" --gtest_brief=1 >"$log" 2>&1 || status=$?
  case $status in
    0) echo "nothing" ;;
    99) grep -m 1 "ERROR SUMMARY\|RACECHECK SUMMARY" "$log" || echo "errors" ;;
    124) echo "nothing in ${SECONDS_EACH:-600} s" ;;
    *) echo "the tests fail ($status)" ;;
  esac
}

{
  echo "# Sanitizers on a GPU"
  echo
  echo "Written by \`tests/gpu_sanitizers.sh\` on $(date -u +%F), $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1),"
  echo "$("$sanitizer" --version | tail -n 1), commit $(git rev-parse --short HEAD)."
  echo
  echo "| room | memcheck | racecheck | initcheck | synccheck |"
  echo "|---|---|---|---|---|"
  for room in "$@"; do
    row="| $room |"
    for tool in memcheck racecheck initcheck synccheck; do row+=" $(one $tool "$room") |"; done
    echo "$row"
  done
} | tee "$table.tmp"
mv "$table.tmp" "$table"
! grep -q "ERROR SUMMARY\|RACECHECK SUMMARY\|errors\|fail" "$table"
