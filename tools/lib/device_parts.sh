# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # build, out, bin and gpu are set by whoever sources this
# The parts of a check that need a GPU: tests on it, compute-sanitizer, bench_device. Sourced, after parts.sh.

device_part_names=("build: devices" "devices: tests" "devices: sanitizer" "devices: speed")
expecting_it=(env HOGWILD_DEVICE_EXPECTED=1) # tests fail, and do not skip, where the device cannot be used

# A toolkit that is installed but not in PATH.
find_nvcc() {
  command -v nvcc >/dev/null && return
  if [ -x /usr/local/cuda/bin/nvcc ]; then export PATH=$PATH:/usr/local/cuda/bin; fi
}

# Why nothing can be tried on a device; empty if it can.
why_no_device() {
  if [ -z "$gpu" ]; then
    printf 'there is no GPU'
  elif ! grep -q '^CMAKE_CUDA_COMPILER:[A-Z]*=/' "$build/CMakeCache.txt"; then
    printf 'nvcc was not found, so the build has no CUDA'
  fi
}

left_out() { # reason, names of parts
  local reason=$1 name
  shift
  for name in "$@"; do record_part "$name" "left out" 0 0 "$reason"; done
}

# Runs a program under the sanitizer, with its output in the log. It also fails if the sanitizer did not reach its check
# for leaked memory.
watched() { # log, command
  local log=$1
  shift
  "$@" || return
  grep -q 'LEAK SUMMARY' "$log" || { echo "the sanitizer did not look for memory that is kept"; return 1; }
}
export -f watched

# Only the tests of real devices, NCCL's among them: under the sanitizer each takes many times as long. It checks for
# accesses outside of allocations, and for leaked memory. It finds races in shared memory only, and kernels use none;
# races of lossy updates in global memory, by relaxed accesses, are intended.
sanitize() { # seconds
  local sanitizer tests
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
  if [ -z "$sanitizer" ]; then
    left_out "compute-sanitizer is not installed" "devices: sanitizer"
    return
  fi
  tests=$(find "$build" -name device_tests -type f -perm -u+x | head -n 1)
  part "devices: sanitizer" "$1" "$out/sanitizer.txt" "${expecting_it[@]}" bash -c 'watched "$@"' _ \
    "$out/sanitizer.txt" "$sanitizer" --tool memcheck --leak-check full --error-exitcode 9 "$tests" \
    '--gtest_filter=*/device_0:*nccl_on_device_0*' || true
}

# Everything on the first device, for about so many seconds: a machine with a device is rarely at hand.
device_parts() { # seconds
  local reason room=$1
  reason=$(why_no_device)
  if [ -n "$reason" ]; then
    left_out "$reason" "${device_part_names[@]}"
    return
  fi
  if ! part "build: devices" $((room * 35 / 100)) build/log/device.log bash -c 'make_targets "$@"' _ bench_device \
    hogwild_tests_device; then
    left_out "not built" "${device_part_names[@]:1}"
    return
  fi
  # GoogleTest's output holds what tests note of their runs, for example objectives by rows in flight.
  rm -rf "$out/device_tests"
  part "devices: tests" $((room * 15 / 100)) "$out/device_tests.txt" "${expecting_it[@]}" \
    "GTEST_OUTPUT=xml:$out/device_tests/" ctest --test-dir "$build" --output-on-failure --label-regex '^device$' \
    --no-tests=error || true
  sanitize $((room * 15 / 100))
  # Three quarters, since what begins before its time is up may take longer. As many ratings as one worker can train in
  # time.
  room=$((room * 35 / 100))
  part "devices: speed" "$room" build/log/device.log "$bin/bench_device" --seconds $((room * 75 / 100)) \
    --ratings 10000000 --out "$out/device.jsonl" || true
}
