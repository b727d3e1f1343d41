# Runs the stages of .ci/run under one deadline; sourced. Every stage is a function that runs in a shell and a session of its
# own and writes a log. A stage that is not finished at the deadline is stopped with all that it has started, and the end names
# it: that alone is no failure, but a test that has failed by then is. Since often only the end of the output is seen, it
# says what failed, and why.
#   stage NAME FUNCTION      what is left out where there is no time for it
#   required NAME FUNCTION   what the rest is nothing worth without: where it fails or takes too long, the run ends
#   finish                   says how it went, and exits
# Each stage ends by itself or within $budget + 20 seconds. Set before: $logs, a folder.
budget=${VOX_CI_SECONDS:-4500}  # 75 minutes, of the 90 that a run may take
failed=() unfinished=() times=() session=

heading() { printf '\n=== %d min %02d s: %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"; }

# The processes of a session. Ninja puts what it runs into process groups of their own, so that those do not tell.
processes_of() { { ps -o pid=,stat= --sid "$1" || true; } | awk '$2 !~ /^Z/ { print $1 }'; }

# Asks all of a session to end, for ten seconds, then kills them.
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

# The lines of a log that name what failed: tests, edges of a build, findings of clang-tidy and of sanitizers.
failures_in() {  # LOG [|PATTERN]
  grep -E '\*\*\*(Failed|Exception|Timeout)|^FAILED: |,-warnings-as-errors|^SUMMARY: '"${2:-}" "$1" | cut -c1-300 || true
}

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
    [[ $(failures_in "$log") ]] && status=1  # looked for before tests die of being stopped
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

# The reasons fit into the last hundred lines, however many stages failed.
tell_failures() {
  local entry name log status lines=$((60 / ${#failed[@]}))
  for entry in "${failed[@]}"; do
    IFS='|' read -r name log status <<<"$entry"
    heading "what failed: $name (exit status $status)"
    failures_in "$log" '|: (fatal )?error: ' | head -n $((lines / 3))
    echo "--- the last lines of $log:"
    tail -n "$lines" "$log" 2>/dev/null | cut -c1-300 || true
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
