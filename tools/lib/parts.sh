# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # out and seconds are set by whoever sources this
# Parts of a check that has to end in time: each has a budget, and its state is recorded. Sourced, after setup.sh.
# Expects `out`, the folder of the records, and `seconds`, the limit for everything together.

started=$SECONDS
failed_parts=0

left() { printf '%d' $((started + seconds - SECONDS)); }

quoted() { # text: as a JSON string
  printf '"%s"' "$(printf '%s' "$1" | tr '\n\t' '  ' | sed 's/[\\"]/\\&/g')"
}

record_part() { # name, state, seconds, budget, note
  printf '{"kind":"part","name":%s,"state":%s,"seconds":%d,"budget_seconds":%d,"note":%s}\n' \
    "$(quoted "$1")" "$(quoted "$2")" "$3" "$4" "$(quoted "$5")" >>"$out/check.jsonl"
  say "$(printf '%-28s %-9s %4d s of %4d  %s' "$1" "$2" "$3" "$4" "$5")"
}

# Runs a command for at most its budget, or the rest of the whole. States: done, cut (its time was up), failed, left out
# (no time for it). Returns 0 if it is done.
part() { # name, budget in seconds, log file, command
  local name=$1 budget=$2 log=$3 begin=$SECONDS status=0
  shift 3
  if [ "$(left)" -lt "$budget" ]; then budget=$(left); fi
  if [ "$budget" -lt 5 ]; then
    record_part "$name" "left out" 0 0 "no time was left"
    return 1
  fi
  timeout --kill-after=5 "$budget" "$@" >>"$log" 2>&1 </dev/null || status=$?
  case $status in
    0) record_part "$name" "done" $((SECONDS - begin)) "$budget" "" ;;
    124 | 137) record_part "$name" cut $((SECONDS - begin)) "$budget" "its time was up" ;;
    *)
      failed_parts=$((failed_parts + 1))
      record_part "$name" failed $((SECONDS - begin)) "$budget" "ended with $status: $(tail -n 1 "$log" | cut -c1-200)"
      ;;
  esac
  return "$status"
}
