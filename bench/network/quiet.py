# SPDX-License-Identifier: Apache-2.0
"""Waits for a moment in which nobody else uses the machine."""
import time

INTERVAL, ENOUGH = 0.5, 0.9


def idle_fraction():
    """Of all CPUs, over half a second."""
    def read():
        with open("/proc/stat", encoding="ascii") as file:
            numbers = [int(x) for x in file.readline().split()[1:9]]
        return numbers[3] + numbers[4], sum(numbers)
    idle, total = read()
    time.sleep(INTERVAL)
    idle_later, total_later = read()
    return (idle_later - idle) / max(1, total_later - total)


def wait(most_seconds):
    """Until the CPUs are idle, or so long; returns the fraction that was idle last."""
    end = time.monotonic() + most_seconds
    fraction = idle_fraction()
    while fraction < ENOUGH and time.monotonic() < end:
        fraction = idle_fraction()
    return round(fraction, 3)
