#!/bin/sh
# In a bundle: runs every test program and ends with one line, "N passed, N failed, N skipped".
# VOX_TEST_DEVICE=cuda runs them on the GPU. CommandLine go to every program (--gtest_filter=…).
here=$(cd "$(dirname "$0")" && pwd)
export VOX_BIN="$here/bin"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0

count() { sed -n "s/^\[  $1 *\] \([0-9]*\) test.*/\1/p" "$log" | head -n 1; }

for program in "$here"/bin/vox_test_*; do
  start=$(date +%s)
  "$program" "$@" >"$log" 2>&1
  status=$?
  ok=$(count PASSED) bad=$(count FAILED) left=$(count SKIPPED)
  # A crash leaves no count of failures.
  if [ $status -ne 0 ] && [ -z "$bad" ]; then bad=1; fi
  passed=$((passed + ${ok:-0})) failed=$((failed + ${bad:-0})) skipped=$((skipped + ${left:-0}))
  echo "$(basename "$program"): ${ok:-0} passed, ${bad:-0} failed, ${left:-0} skipped, $(($(date +%s) - start)) s"
  if [ $status -ne 0 ]; then cat "$log"; echo "exit status $status"; fi
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
