#!/usr/bin/env bash
# Runs compute-sanitizer's four tools over the tests on a GPU, several side by side, and writes a table of what they found.
#   tests/gpu_sanitizers.sh [-j JOBS] [-o TABLE.md] [ROOM...]
# VOX_BIN is the folder of the tools and tests, build/release unless given; it must have been built with CUDA.
# SECONDS_EACH=N ends a tool on a room's tests after N seconds, 600 unless given: the table then says so. The tests
# compute with small sizes already; a sanitizer makes a kernel 10 to 100 times as slow. Logs are in build/gpu-sanitizers.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=(memcheck racecheck initcheck synccheck)
jobs=4 table=$here/docs/gpu-sanitizers.md
while getopts j:o: option; do
  case $option in
    j) jobs=$OPTARG ;;
    o) table=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
(($#)) || set -- device hash dag scene spatial painting voxelize bricks edit render match build measure engine
export VOX_TEST_DEVICE=cuda VOX_BIN=${VOX_BIN:-$here/build/release} VOX_SHARED=${VOX_SHARED:-$here/../shared}
export SECONDS_EACH=${SECONDS_EACH:-600} logs=$here/build/gpu-sanitizers
export sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
mkdir -p "$logs"

one() {  # TOOL ROOM: writes what was found to a file
  local log=$logs/$1-$2.log status=0 test=$VOX_BIN/vox_test_$2
  [[ -x $test ]] || test=$VOX_BIN/tests/vox_test_$2
  local ours=(--kernel-name kns=vox)  # not CUB's kernels; initcheck has to see what these write
  [[ $1 != initcheck ]] || ours=()
  timeout "$SECONDS_EACH" "$sanitizer" --tool "$1" --error-exitcode 99 ${ours[@]+"${ours[@]}"} "$test" --gtest_brief=1 \
    >"$log" 2>&1 || status=$?
  local errors found="Invalid\|Uninitialized\|Host API memory\|Misaligned\|Error\|Race\|Barrier\|Program hit\|Warning: Race"
  errors=$(grep "^========= \($found\)" "$log" | grep -cv "Target application terminated before" || true)
  if grep -q "Target application terminated before" "$log" && [[ $errors == 0 ]]; then status=unused; fi
  case $errors-$status in
    0-unused) echo "uses no GPU" ;;
    0-0) echo "nothing" ;;
    0-124) echo "nothing in $SECONDS_EACH s" ;;
    0-99) echo "errors" ;;
    0-*) echo "the tests fail ($status)" ;;
    *) echo "$errors errors" ;;
  esac >"$logs/$1-$2.found"
}
export -f one

for room in "$@"; do
  for tool in "${tools[@]}"; do echo "$tool $room"; done
done | xargs -P "$jobs" -L 1 bash -c 'one "$@"' one

{
  echo "# Sanitizers on a GPU"
  echo
  echo "Written by \`tests/gpu_sanitizers.sh\` on $(date -u +%F): $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1),"
  echo "$("$sanitizer" --version | grep -o "Version.*" | head -n 1)."
  echo
  echo "| room | memcheck | racecheck | initcheck | synccheck |"
  echo "|---|---|---|---|---|"
  for room in "$@"; do
    row="| $room |"
    for tool in "${tools[@]}"; do row+=" $(<"$logs/$tool-$room.found") |"; done
    echo "$row"
  done
} | tee "$table.tmp"
mv "$table.tmp" "$table"
! grep -q "errors\|fail" "$table"
