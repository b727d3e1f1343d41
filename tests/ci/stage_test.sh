#!/usr/bin/env bash
# Tests .ci/stage.sh with stages that pass, fail, or run out of time.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

fail() { printf 'failed: %s\n%s\n' "$1" "$said"; exit 1; }
expect_code() { [[ $code == "$1" ]] || fail "the exit code is $code, not $1"; }
expect() { tail -n 100 <<<"$said" | grep -qF -- "$1" || fail "the last 100 lines do not say '$1'"; }
runs() { [[ $(ps -o stat= --pid "$1") == [^Z]* ]]; }  # false for a zombie
expect_not() { ! grep -qF -- "$1" <<<"$said" || fail "it says '$1'"; }

# Runs stages, given as a script, with this number of seconds for all of them.
run() {  # SECONDS SCRIPT
  code=0
  said=$(VOX_CI_SECONDS=$1 bash -c "set -euo pipefail; source '$here/../../.ci/stage.sh'; $2" 2>&1) || code=$?
}

run 60 'good() { echo "from within"; }; required "first" good; stage "second" good; finish; echo summary'
expect_code 0
expect "from within"
expect "all that was run has passed"
[[ $said == *summary ]] || fail "the caller's summary is not the end"

# After a stage that fails, later stages must still run, and the end must report the failure.
run 60 'bad() { echo "tests/x.cpp:1:2: error: long [google-x,-warnings-as-errors]"; seq 1000; false; echo never; }
  good() { seq 1000 3000; }; stage "tidy" bad; stage "later" good; finish; echo summary'
expect_code 1
expect "what failed: tidy (exit status 1)"
expect "tests/x.cpp:1:2: error: long"
expect "later"
expect_not never
expect_not summary
[[ $said == *"what failed: tidy" ]] || fail "the end does not say what failed"

# No stage runs after a required one that fails.
run 60 'bad() { echo "a reason"; exit 3; }; good() { echo never; }; required "build" bad; stage "later" good; finish'
expect_code 1
expect "what failed: build (exit status 3)"
expect "a reason"
expect_not never

# Processes that a stage has started end with it, even in other process groups.
run 1 'slow() { set -m; sleep 300 & echo $! >$logs/sleeper; wait; }; good() { echo never; }
  stage "slow" slow; stage "later" good; finish'
expect_code 0
expect "not finished for lack of time: slow"
expect "left out for lack of time: later"
expect_not never
! runs "$(<"$logs/sleeper")" || fail "what the stage has started goes on"

# A test that fails before the deadline counts as failed.
run 1 'slow() { echo "1/2 Test #1: dag.Loads ....***Failed  0.10 sec"; sleep 300; }; stage "tests" slow; finish'
expect_code 1
expect "dag.Loads"
expect "what failed: tests"

run 1 'slow() { sleep 300; }; required "build" slow; finish'
expect_code 1
expect "what failed: build, for lack of time"

# Ending the run must end its stage.
code=0 said=
VOX_CI_SECONDS=60 bash -c "source '$here/../../.ci/stage.sh'; slow() { echo \$\$ >$logs/stopped; sleep 300; }
  stage slow slow" >/dev/null 2>&1 &
run=$!
until [[ -s $logs/stopped ]]; do sleep 0.1; done
kill $run
wait $run || code=$?
expect_code 130
! runs "$(<"$logs/stopped")" || fail "the stage goes on"
echo "all as expected"
