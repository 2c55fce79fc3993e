# SPDX-License-Identifier: Apache-2.0
"""Better, worse or noise: compares the runs of two records line by line. A line is one contestant on one task."""
import dataclasses
import math

from suite import record, statistics

FIGURES = ("seconds_to_target", "epochs_to_target", "epoch_seconds", "train_seconds", "parse_seconds", "total_seconds",
           "cpu_seconds", "peak_bytes", "bytes_exchanged")  # less is better in all


@dataclasses.dataclass
class Line:
    """`a` and `b` are the figures of the runs that count; relative to anchors if the calls differ."""
    task: str
    contestant: str
    workers: int
    place: str
    a: list[float]
    b: list[float]
    difference: statistics.Difference | None = None
    p: float | None = None  # corrected for the number of lines
    verdict: str = "undecided"  # better, worse, noise: B against A
    why: str = ""  # why it is undecided, or how far noise reaches


def compare(a, b, figure, anchors=()):
    """Lines of two records. Those of one call are paired by turn; others are compared relative to anchors: contestants
    that both have in the same version, or that the caller names because they did not change."""
    in_turns = a[0]["began"] == b[0]["began"]
    samples = [_samples(x, figure) for x in (a, b)]
    names = set() if in_turns else _anchors(a[0], b[0], anchors)
    lines = []
    for key in sorted(samples[0].keys() | samples[1].keys()):
        if not all(key in x for x in samples):
            lines.append(Line(*key, [], [], why=f"only {'A' if key in samples[0] else 'B'} has runs of it"))
        elif key[1] not in names:
            lines.append(_line(key, samples, names, in_turns))
    failures = {(x["task"], x["contestant"], x["workers"], x["place"]): f"a run of {side} failed: {x['reason']}"
                for side, of in (("A", a), ("B", b)) for x in record.of(of, "run", state="failed")}
    for line in lines:
        line.why = failures.get((line.task, line.contestant, line.workers, line.place), line.why)
    if not in_turns and not _same_machine(a[0], b[0]):
        for line in lines:
            line.why = "the records are of different machines"
    _decide(lines, in_turns)
    return lines


def value(run, figure):
    """The figure of a run; infinite if it did not reach the target, None if it is unknown."""
    if figure.endswith("_to_target") and run["state"] == "short":
        return math.inf
    if figure == "epoch_seconds":
        epochs = run["points"][-1][1] if run["points"] else 0
        return run["train_seconds"] / epochs if run["train_seconds"] and epochs else None
    return run[figure]


def _samples(lines, figure):
    """{(task, contestant, workers, place): {turn: figure}} of the runs."""
    found = {}
    for run in record.of(lines, "run"):
        told = None if run["state"] == "failed" else value(run, figure)
        if told is not None and told <= 0:  # no ratio can be formed with it
            told = None
        turns = found.setdefault((run["task"], run["contestant"], run["workers"], run["place"]), {})
        if told is not None:
            turns[run["turn"]] = told
    return found


def _anchors(a, b, named):
    """Contestants whose code is the same in both records."""
    same = {name for name, version in a["peers"].items() if b["peers"].get(name) == version}
    return same | set(named)


def _same_machine(a, b):
    return all(a["machine"].get(x) == b["machine"].get(x) for x in ("cpu_model", "usable_cpus"))


def _line(key, samples, names, in_turns):
    if in_turns:
        turns = sorted(samples[0][key].keys() & samples[1][key].keys())
        a, b = ([x[key][turn] for turn in turns] for x in samples)
        return Line(*key, a, b, why="" if turns else "no turn has a run of both")
    common = [k for k in samples[0].keys() & samples[1].keys()
              if k[0] == key[0] and k[3] == key[3] and k[1] in names and k[1] != key[1]]
    if not common:
        return Line(*key, [], [], why="no contestant on this task is in both records in the same version; measure "
                                      "both builds in one call, or name one that did not change with --anchor")
    a, b = (_relative(x[key], [x[k] for k in common]) for x in samples)
    return Line(*key, a, b, why="" if a and b else "no turn has a run of it and of all anchors")


def _relative(turns, anchors):
    """Figures divided by the geometric mean of the anchors' in the same turn: effects of the machine on both cancel."""
    result = []
    for turn, value in sorted(turns.items()):
        beside = [x.get(turn, math.inf) for x in anchors]
        if math.inf not in beside:
            result.append(value / math.exp(sum(map(math.log, beside)) / len(beside)))
    return result


def _decide(lines, in_turns):
    told = [line for line in lines if not line.why]
    for line in told:
        line.difference = (statistics.in_turns(line.a, line.b) if in_turns
                           else statistics.difference([(line.a, line.b)]))
    for line, p in zip(told, statistics.corrected([line.difference.p for line in told])):
        line.p = p
        ratio, low, high = line.difference.ratio, line.difference.low, line.difference.high
        if p < statistics.P and max(ratio, 1 / ratio if ratio else math.inf) >= statistics.EFFECT:
            line.verdict = "worse" if ratio > 1 else "better"
        elif len(told) * line.difference.least_p >= statistics.P:
            line.why = (f"{min(len(line.a), len(line.b))} runs a side cannot reach p < {statistics.P} with "
                        f"{len(told)} lines; {statistics.runs_needed(len(told))} can")
        else:
            line.verdict = "noise"
            if low is None or low < 1 / statistics.EFFECT or high > statistics.EFFECT:
                line.why = f"more than {statistics.EFFECT - 1:.0%} is not excluded; more runs would tell"
