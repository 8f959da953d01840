# Functions for scripts/test, scripts/soak and scripts/coverage, which run named steps. When a step fails, the others
# run all the same. At the end, each failure is listed with its log and the command that repeats it.
#
#   step NAME COMMAND…     runs a step; prints its seconds and its last line; its output goes to build/logs/NAME.log
#   suite NAME COMMAND…    the same for pytest with several processes; up to three failed tests are run again, alone,
#                          as scripts/swift-tests does itself
#   needed NAME COMMAND…   the same, but if the step fails, no further step is run
#   begin NAME COMMAND…    starts a step in the background, for steps that mostly wait
#   finish NAME            waits for that step, and prints its result
#   twice COMMAND…         for `begin`: runs a command that measures, and if it was too slow, once more
#   summary                prints a table of all steps: seconds, and seconds of processor time; fails if any step failed
#
# With VERBOSE=1, all output is printed as it comes.

# Warnings are errors.
export CANVAS_STRICT=1

# How the tests are built. Without optimisation, their long loops take ten times as long (measured). Preconditions and
# overflow checks stay on.
#
# The build folder is their own, because `make run` builds with other flags. In a shared folder, each of the two would
# rebuild everything.
#
# scripts/folders reads the index. No debug information is made: it takes a fifth of the compiler's time (measured), and a
# test says in its failure what differs.
optimised=(
  -c release -Xswiftc -enable-testing --enable-index-store -debug-info-format none --scratch-path .build/test
)

logs=build/logs
mkdir -p "$logs"
rm -f "$logs/unsteady"
step_names=()
step_seconds=()
step_busy=()
failures=()

seconds_since() {
  local now=${EPOCHREALTIME/./}
  printf '%d.%d' $(((now - $1) / 1000000)) $(((now - $1) / 100000 % 10))
}

# Sets `busy` to the processor time of all processes that this script has waited for, in tenths of a second.
busy_until_now() {
  local minutes seconds each
  busy=0
  times >"$logs/times"
  for each in $(tail -n 1 "$logs/times"); do
    minutes=${each%m*} seconds=${each#*m}
    seconds=${seconds%s}
    busy=$((busy + minutes * 600 + ${seconds%.*} * 10 + 10#${seconds#*.} / 100))
  done
}

step() {
  local name=$1 log=$logs/$1.log start=${EPOCHREALTIME/./} status=0 busy busy_before
  shift
  busy_until_now
  busy_before=$busy
  if [ "${VERBOSE:-0}" = 1 ]; then
    "$@" 2>&1 | tee "$log" || status=$?
  else
    "$@" >"$log" 2>&1 || status=$?
  fi
  if [ "$status" -eq 1 ] && [ "${is_suite:-0}" = 1 ] && again "$log" "$@"; then status=0; fi
  report "$name" "$(seconds_since "$start")" "$status" "$@"
}

suite() { is_suite=1 step "$@"; }

# Runs the failed tests again, one at a time. A test that passes then depends on what runs beside it. That is a fault of
# the test, but no reason to call the change wrong: the summary lists it as unsteady. With STEADY=1 it stays a failure.
export unsteady_max=3
again() {
  local log=$1 failed
  shift
  failed=$(grep -E '^(FAILED|ERROR) ' "$log") || return 1
  [ "${STEADY:-0}" != 1 ] && [ "$(wc -l <<<"$failed")" -le "$unsteady_max" ] || return 1
  "$@" --last-failed --numprocesses 0 >>"$log" 2>&1 || return 1
  echo "$failed" >>"$logs/unsteady"
}

needed() {
  local failed_before=${#failures[@]}
  step "$@"
  [ "${#failures[@]}" -eq "$failed_before" ] || summary
}

# What is measured in processor time can be disturbed once by the machine. A command that was only too slow says so by
# its status (EX_TEMPFAIL in sysexits.h), and is run again. If it passes then, the summary lists it as unsteady. Any
# other failure, such as a crash, counts at once.
too_slow=75
twice() {
  local status=0
  "$@" || status=$?
  [ "$status" -eq "$too_slow" ] && [ "${STEADY:-0}" != 1 ] || return "$status"
  "$@" || return
  echo "FAILED $* at first" >>"$logs/unsteady"
}

declare -A begun_process begun_command
begin() {
  local name=$1
  shift
  begun_command[$name]=$*
  begun_command[$name]=${begun_command[$name]#twice }
  {
    start=${EPOCHREALTIME/./} status=0
    "$@" >"$logs/$name.log" 2>&1 || status=$?
    seconds_since "$start" >"$logs/$name.seconds"
    exit "$status"
  } &
  begun_process[$name]=$!
}

finish() {
  local name=$1 status=0 busy busy_before
  busy_until_now
  busy_before=$busy
  wait "${begun_process[$name]}" || status=$?
  unset "begun_process[$name]"
  if [ "${VERBOSE:-0}" = 1 ]; then cat "$logs/$name.log"; fi
  report "$name" "$(cat "$logs/$name.seconds")" "$status" "${begun_command[$name]}"
}

# Waits for all steps that were begun, because each of them has to clean up at its end.
await_begun() {
  local name
  for name in "${!begun_process[@]}"; do
    echo "$name is still running, and is waited for"
    wait "${begun_process[$name]}" || true
  done
}

# Prints and stores the result of a step. `busy_before` is the value of `busy` before the step.
report() {
  local name=$1 seconds=$2 status=$3 log=$logs/$1.log
  shift 3
  step_names+=("$name")
  step_seconds+=("$seconds")
  busy_until_now
  busy=$((busy - busy_before))
  step_busy+=("$((busy / 10)).$((busy % 10))")
  if [ "$status" -ne 0 ]; then
    # The error lines are printed too, because the end of a long log often doesn't show the cause.
    if [ "${VERBOSE:-0}" != 1 ]; then
      tail -n 60 "$log"
      echo "--- the errors among $(wc -l <"$log") lines of $log:"
      grep -E '(^|[^a-z])error:|recorded an issue|✘|SUMMARY:' "$log" | head -n 40 || true
    fi
    failures+=("$name after $seconds s with status $status: $log. To run it alone: $*")
    echo "FAILED: ${failures[-1]}" >&2
    return
  fi
  printf '%-12s %7s s   %s\n' "$name" "$seconds" "$(grep -v '^[[:space:]]*$' "$log" | tail -n 1)"
}

summary() {
  echo
  echo "step          seconds  processors busy"
  local index
  for index in "${!step_names[@]}"; do
    printf '%-12s %8s %16s\n' "${step_names[index]}" "${step_seconds[index]}" "${step_busy[index]}"
  done
  printf '%-12s %8s\n' "all" "$(seconds_since "$all_start")"
  if [ -e "$logs/unsteady" ]; then
    printf '\nunsteady, because they failed once and then passed:\n'
    cat "$logs/unsteady"
  fi
  [ "${#failures[@]}" -gt 0 ] || exit 0
  printf '\n%s\n' "${#failures[@]} failed:" >&2
  printf '  %s\n' "${failures[@]}" >&2
  exit 1
}
all_start=${EPOCHREALTIME/./}

# Tests that wait for sockets and disks. They run one at a time, because they would miss their deadlines beside tests
# that keep all cores busy. The tests in `disks` and `lines` wait longest.
waiting='WebSocketLoopTests|RoomLogTests|EndToEndTests|HeavyWorkTests'
disks='RoomLogTests.LyingDisk'
lines='RoomLogTests.(Cut|HostName|LyingLine|RandomLine|SetBack|SilentHost|Undecided)'
