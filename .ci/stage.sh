# Runs the stages of .ci/run under one deadline; this file is sourced. Every stage is a function that runs in
# a shell and a session of its own and writes a log. A stage that is not finished at the deadline is stopped
# with everything that it has started, and the end of the output names it. An unfinished stage alone is not a
# failure, but a test that has failed by then is. Often only the end of the output is seen, so it says what
# failed, and why.
#   stage NAME FUNCTION      runs a stage that may be left out if time runs out
#   required NAME FUNCTION   runs a stage that all others need: if it fails or takes too long, the run ends
#   finish                   prints the summary and exits
# Each stage ends by itself or within $budget + 20 seconds. The caller must set $logs, a folder.
budget=${VOX_CI_SECONDS:-4500}  # 75 minutes, of the 90 that a run may take
failed=() unfinished=() times=() session=

heading() { printf '\n=== %d min %02d s: %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"; }

# Lists the processes of a session. Ninja gives the commands that it runs process groups of their own, so
# process groups would not find them.
processes_of() { { ps -o pid=,stat= --sid "$1" || true; } | awk '$2 !~ /^Z/ { print $1 }'; }

# Asks all processes of a session to end, for ten seconds, and then kills them.
stop_session() {
  local signal processes
  for signal in TERM KILL; do
    for _ in {1..20}; do
      processes=$(processes_of "$1")
      [[ $processes ]] || return 0
      kill -s $signal $processes 2>/dev/null || true
      sleep 0.5
    done
  done
}
trap '[[ ! $session ]] || stop_session "$session"; exit 130' INT TERM

# Prints the lines of a log that name failures: tests, steps of a build, findings of clang-tidy and of
# sanitizers.
failures_in() {  # LOG [|PATTERN]
  grep -E '\*\*\*(Failed|Exception|Timeout)|^FAILED: |,-warnings-as-errors|^SUMMARY: '"${2:-}" "$1" | cut -c1-300 || true
}

# Prints what GoogleTest says of each failed test, whose output may lie far from the end of the log.
failed_tests_in() { grep -a -B 8 -E '^\[  FAILED  \] .* \([0-9]+ ms\)$' "$1" | cut -c1-300 || true; }  # LOG

# Sets $outcome to passed, failed, or unfinished.
run_stage() {  # NAME FUNCTION
  local log=$logs/$2.log begin=$SECONDS status=0 shown
  outcome=unfinished
  if ((SECONDS >= budget)); then
    heading "left out for lack of time: $1"
    unfinished+=("left out for lack of time: $1")
    return 0
  fi
  heading "$1"
  : >"$log"
  setsid bash -euo pipefail -c "$(declare -f)"$'\n'"$2" >"$log" 2>&1 </dev/null &
  session=$!
  tail -n +1 -f -s 0.2 --pid="$session" "$log" &
  shown=$!
  while kill -0 "$session" 2>/dev/null && ((SECONDS < budget)); do sleep 0.2; done
  if kill -0 "$session" 2>/dev/null; then
    [[ $(failures_in "$log") ]] && status=1  # before the tests are stopped, which would look like failures
    stop_session "$session"
    echo "not finished for lack of time" >>"$log"
    ((status == 1)) || unfinished+=("not finished for lack of time: $1")
    wait "$session" || true
  else
    wait "$session" || status=$?
    stop_session "$session"
    ((status != 0)) || outcome=passed
  fi
  wait "$shown" || true
  session=
  ((status == 0)) || { outcome=failed; failed+=("$1|$log|$status"); }
  times+=("$(printf '%3d min %02d s  %s' $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60)) "$1")")
}

stage() { run_stage "$@"; }

required() {
  run_stage "$@"
  [[ $outcome == unfinished ]] && failed+=("$1, for lack of time|$logs/$2.log|-")
  [[ $outcome == passed ]] || finish
}

# Prints the reasons, which fit into the last hundred lines however many stages failed.
tell_failures() {
  local entry name log status lines=$((60 / ${#failed[@]}))
  for entry in "${failed[@]}"; do
    IFS='|' read -r name log status <<<"$entry"
    heading "what failed: $name (exit status $status)"
    failures_in "$log" '|: (fatal )?error: ' | head -n $((lines / 3))
    failed_tests_in "$log" | head -n $((lines / 2))
    echo "--- the last lines of $log:"
    tail -n $((lines / 2)) "$log" 2>/dev/null | cut -c1-300 || true
  done
}

finish() {
  local line
  heading "the stages"
  for line in ${times[@]+"${times[@]}"}; do echo "$line"; done
  if ((${#failed[@]} > 0)); then tell_failures; else heading "all that was run has passed"; fi
  for line in ${unfinished[@]+"${unfinished[@]}"}; do echo "$line"; done
  for line in ${failed[@]+"${failed[@]}"}; do echo "what failed: ${line%%|*}"; done
  ((${#failed[@]} == 0)) || exit 1
}
