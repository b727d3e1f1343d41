#!/bin/sh
# Runs every test program of a bundle and ends with one line, "N passed, N failed, N skipped".
#   run-tests.sh [-j JOBS] [-t SECONDS] [ARGUMENT...]
# With -j, the tests of each program are divided into JOBS parts, those of the tools into three times as many because they
# take longest, and JOBS parts run side by side. With -t, parts that have not ended by then are stopped, and counted as failed.
# VOX_TEST_DEVICE=cuda runs them on the GPU. Arguments are passed to every program (--gtest_filter=…).
here=$(cd "$(dirname "$0")" && pwd)
export VOX_BIN="$here/bin"
jobs=1 end_after=0
if [ "$1" = -j ]; then jobs=$2; shift 2; fi
if [ "$1" = -t ]; then end_after=$2; shift 2; fi

# Runs one part of one program. GoogleTest takes the part from the environment.
run_part() {  # NAME:PART:PARTS LOGS ARGUMENT...
  name=${1%%:*} part=${1#*:} logs=$2
  export GTEST_TOTAL_SHARDS="${part#*:}" GTEST_SHARD_INDEX="${part%:*}"
  part=$GTEST_SHARD_INDEX
  shift 2
  start=$(date +%s)
  "$VOX_BIN/$name" "$@" >"$logs/$name.$part" 2>&1
  echo $? $(($(date +%s) - start)) >"$logs/$name.$part.end"
}
if [ "$1" = --part ]; then
  shift
  run_part "$@"
  exit
fi

logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT

parts_of() {  # NAME
  if [ "$1" = vox_test_tools ] && [ "$jobs" -gt 1 ]; then echo $((3 * jobs)); else echo "$jobs"; fi
}

# Parts of different programs stand side by side, since the tests of one program need about the same of the machine.
for job in $(seq 0 $((jobs - 1))); do
  for program in "$here"/bin/vox_test_*; do
    name=$(basename "$program")
    parts=$(parts_of "$name")
    seq -f "$name:%g:$parts" $((job * parts / jobs)) $(((job + 1) * parts / jobs - 1))
  done
done | timeout "$end_after" xargs -P "$jobs" -I{} sh "$0" --part {} "$logs" "$@"

count() { sed -n "s/^\[  $1 *\] \([0-9]*\) test.*/\1/p" "$2" | head -n 1; }
passed=0 failed=0 skipped=0
for program in "$here"/bin/vox_test_*; do
  name=$(basename "$program")
  ok=0 bad=0 left=0 seconds=0
  for part in $(seq 0 $(($(parts_of "$name") - 1))); do
    log=$logs/$name.$part
    if [ ! -e "$log.end" ]; then
      bad=$((bad + 1))
      echo "$name, part $part: not ended"
      continue
    fi
    read -r status took <"$log.end" || status=1 took=0
    broken=$(count FAILED "$log")
    # A program that crashes prints no number of failures.
    if [ "$status" -ne 0 ] && [ -z "$broken" ]; then broken=1; fi
    passes=$(count PASSED "$log") skips=$(count SKIPPED "$log")
    ok=$((ok + ${passes:-0})) bad=$((bad + ${broken:-0})) left=$((left + ${skips:-0})) seconds=$((seconds + took))
    if [ "$status" -ne 0 ]; then cat "$log"; echo "$name, part $part: exit status $status"; fi
  done
  echo "$name: $ok passed, $bad failed, $left skipped, $seconds s"
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left))
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
