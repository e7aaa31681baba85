#!/bin/sh
# A stand-in for ringlab-train in the run service's tests: writes the lines of native/PROTOCOL.md, learns nothing.
# STEPS and SECONDS_A_STEP come from the environment; the files `fail-<code>` and `hang` beside the data change how
# it ends: fail-5 exits 5 at step 3, fail-1 says what is in it and exits 1, `hang` ignores SIGTERM, `tear` ends in the middle of a line,
# `unsaved` writes no checkpoint, `noted` has a line of each, `membership` has the fields of such a line, which each rank then writes once, `timed` says how long its steps take, `paced` waits after each step for the file `seen-<step>`, `held` as long as it is there. DISK_FREE is what the monitor says of the disk.
case "$1" in monitor) printf '{"v":1,"seq":0,"t":1,"kind":"sample","cpu_percent":1%s}\n' "${DISK_FREE:+,\"disk_free_bytes\":$DISK_FREE}" >>metrics.jsonl; exit 0 ;; esac
# Its supervisor starts nothing again: what the app does where supervisors are gone is tested with it.
case "$1" in supervise) while [ "$1" != -- ]; do shift; done; shift ;; esac
for word in "$@"; do data=$word; done
while [ $# -gt 1 ]; do
  case "$1" in
  --rank) rank=$2 ;; --epochs) epochs=$2 ;; --resume) resume=$2 ;;
  esac
  shift
done
stopped= told=
trap 'stopped=1' TERM
[ -e "$data/hang" ] && trap '' TERM
seq=0 step=0
[ -s metrics.jsonl ] && seq=$(wc -l <metrics.jsonl)
# In a folder that is new the checkpoint alone knows the step.
[ -n "$resume" ] && step=$(cat step 2>/dev/null || tail -c 20 "$resume" | sed -n 's/.*of step //p')
line() { printf '{"v":1,"seq":%s,"t":%s,"kind":"%s",%s}\n' "$seq" "$(date +%s)" "$1" "$2" >>metrics.jsonl; seq=$((seq + 1)); }
hold() {
  while [ -e "$data/held" ]; do sleep 0.02; done
  [ -s "$data/membership" ] && [ -z "$told" ] && { told=1; line membership "$(cat "$data/membership")"; }
}
# A whole checkpoint, and behind it what it stands for.
put() { { cat "$data/small.pth.tar"; echo "$2"; } >"$1.tmp"; mv -f "$1.tmp" "$1"; }
finish() { line end "\"reason\":\"$1\",\"exit_code\":$2,\"epochs_completed\":$((step / STEPS)),\"step\":$step,\"best_top1\":60"; exit "$2"; }
echo "stand-in trainer, rank $rank"
timed=
[ -e "$data/timed" ] && timed=",\"step_seconds\":$SECONDS_A_STEP"
line start "\"rank\":$rank,\"start_epoch\":$((step / STEPS)),\"start_step\":$step"
while [ "$step" -lt $((epochs * STEPS)) ]; do
  sleep "${SECONDS_A_STEP:-0.1}"
  line step "\"epoch\":$((step / STEPS)),\"step\":$step,\"loss\":1.5,\"top1\":10$timed"
  while [ -e "$data/paced" ] && [ ! -e "$data/seen-$step" ]; do sleep 0.02; done
  hold
  step=$((step + 1))
  # Renamed: a kill between truncating and writing would leave an empty file.
  echo "$step" >step.tmp && mv -f step.tmp step
  [ "$rank" = 0 ] && [ ! -e "$data/unsaved" ] && { put checkpoint.pth.tar "checkpoint of step $step"; put model_best.pth.tar "best of step $step"; }
  [ "$rank" = 0 ] && [ -e "$data/noted" ] && line checkpoint "\"file\":\"checkpoint\",\"step\":$step"
  if [ "$rank" = 1 ] && [ "$step" -ge 3 ]; then
    [ -e "$data/fail-5" ] && { echo "loss is nan"; line error '"code":"diverged","message":"the loss is nan","step":3'; finish failed 5; }
    [ -e "$data/fail-1" ] && { cat "$data/fail-1"; finish failed 1; }
    [ -e "$data/fail-4" ] && { echo "peer lost"; finish failed 4; }
  fi
  # It may have been put there, with a stop, since this step began.
  if [ -n "$stopped" ]; then hold; finish stopped 7; fi
  if [ $((step % STEPS)) = 0 ]; then
    [ "$rank" = 0 ] && line eval "\"epoch\":$((step / STEPS - 1)),\"step\":$step,\"loss\":1,\"top1\":60,\"top5\":90"
    line epoch "\"epoch\":$((step / STEPS - 1)),\"step\":$step,\"loss\":1,\"best_top1\":60"
  fi
done
[ -e "$data/short" ] && { step=$((step - STEPS)); }
finish finished 0
