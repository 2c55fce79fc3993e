# SPDX-License-Identifier: Apache-2.0
"""Runs in turns, each at a moment in which nobody else uses the machine, if there is one."""
import time

INTERVAL, ENOUGH = 0.1, 0.9


def idle_fraction():
    """The idle fraction of the time of all CPUs, over a tenth of a second."""
    def read():
        with open("/proc/stat", encoding="ascii") as file:
            numbers = [int(x) for x in file.readline().split()[1:9]]
        return numbers[3] + numbers[4], sum(numbers)
    idle, total = read()
    time.sleep(INTERVAL)
    idle_later, total_later = read()
    return (idle_later - idle) / max(1, total_later - total)


def wait(most_seconds):
    """Waits until the CPUs are idle, or for at most so long. Returns the last idle fraction, None if it was not
    measured."""
    if most_seconds <= 0:
        return None
    end = time.monotonic() + most_seconds
    fraction = idle_fraction()
    while fraction < ENOUGH and time.monotonic() < end:
        fraction = idle_fraction()
    return round(min(1.0, max(0.0, fraction)), 3)


def in_turns(runs, repeats, wait_seconds):
    """Calls each of `runs` with the number of its turn; each turn begins with another run. `repeats`: how often each is
    called.

    Yields (turn, position in `runs`, fraction idle before, result of the call).
    """
    for turn in range(max(repeats, default=0)):
        for which in ((turn + k) % len(runs) for k in range(len(runs))):
            if turn >= repeats[which]:
                continue
            idle = wait(wait_seconds)
            yield turn, which, idle, runs[which](turn)
