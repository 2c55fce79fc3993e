# SPDX-License-Identifier: Apache-2.0
"""Constants for bench/simulate from measurements."""
import dataclasses
import statistics

import messages
import ring
import synchronous


def line_through(points):
    """(value at 0, slope) of the least squares line, neither below 0."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    x, y = statistics.fmean(xs), statistics.fmean(ys)
    spread = sum((a - x) ** 2 for a in xs)
    slope = sum((a - x) * (b - y) for a, b in points) / spread if spread > 0 else 0.0
    slope = min(max(slope, 0.0), y / x if x > 0 else 0.0)
    return max(y - slope * x, 1e-7), slope


def mean_covered(law, turns):
    """The mean number of parameters that a turn covers, over so many turns from the start of an epoch."""
    whole = max(1, round(turns))
    return statistics.fmean(law.covered(messages.ruler_prefix(t))[1] for t in range(1, whole + 1))


def turn_costs(workload, runs):
    """turn_seconds and turn_seconds_per_parameter from runs of a ring."""
    law = messages.MessageLaw(workload)
    points = [(mean_covered(law, run["link"]["exchanges"] / run["epochs"]),
               run["link"]["held_seconds"] / run["link"]["exchanges"])
              for run in runs if run["link"]["exchanges"] > 0]
    at_zero, slope = line_through(points)
    return dataclasses.replace(workload, turn_seconds=at_zero, turn_seconds_per_parameter=slope)


def message_bytes(workload, run):
    """Mean bytes of a ring's turn, without those at the end of an epoch, which the run's count includes."""
    merged = run["epochs"] * workload.parameters * workload.number_bytes * workload.arrays
    return (run["link"]["bytes"] - merged) / run["link"]["exchanges"]


def message_scale(workload, runs):
    """The factor by which messages are longer than the law says; `runs` of a ring, each with its network."""
    ratios = []
    for run, net, machines in runs:
        played = ring.simulate(workload, net, machines, epochs=1)
        _, merged = net.all_reduce(machines, workload.parameters, workload.number_bytes)
        said = (played.bytes_sent - merged * workload.arrays) / played.exchanges
        ratios.append(message_bytes(workload, run) / said)
    return dataclasses.replace(workload, message_scale=max(0.01, statistics.median(ratios)))


def own_seconds(workload, net, machines, engine, epoch_seconds):
    """The rest of an epoch's time on a network that costs little: for each meeting, or for a ring's merge."""
    if engine == "ring":
        played = ring.simulate(workload, net, machines)
        return dataclasses.replace(workload, merge_seconds=max(0.0, epoch_seconds - played.epoch_seconds))
    played = synchronous.simulate(workload, net, machines, engine)
    each = max(0.0, epoch_seconds - played.epoch_seconds) / played.exchanges
    return dataclasses.replace(workload, meeting_seconds={**workload.meeting_seconds, engine: each})
