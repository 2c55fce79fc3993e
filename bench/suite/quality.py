# SPDX-License-Identifier: Apache-2.0
"""Decides when a run has reached its target, and whether its own figures are credible."""
import statistics

FEWEST_MEASUREMENTS = 8  # of a serial run before the target
LEFT_OUT = 0.005  # fraction of the rows that a run may fail to train
SLACK = 0.01  # fraction of the metric by which a run may end outside the band of the serial runs
UNTOLD_SECONDS = 0.2  # by which starting and ending may take longer than in the reference


def to_target(points, target):
    """(seconds, epochs) at which the metric passed, interpolated between measurements; None if it did not."""
    before = None
    for p in points:
        if target.passed(p.value):
            if before is None or before.value is None or before.value == p.value:
                return p.seconds, p.epochs
            part = (target.value - before.value) / (p.value - before.value)
            return (before.seconds + part * (p.seconds - before.seconds),
                    before.epochs + part * (p.epochs - before.epochs))
        before = p
    return None


def judge(task, outcome, references, workers=1, quiet=False):
    """(state, reason) of a run. `references`: outcomes of serial runs of hogwild on this task. `quiet`: nobody else
    used the CPUs, so that seconds depend on the run alone.

    measured: it reached the target; short: it did not; failed: its figures do not count.
    """
    if outcome.error:
        return "failed", outcome.error
    epochs = outcome.points[-1].epochs
    if outcome.rows and outcome.examples is not None:
        rows = max([outcome.rows, *(r.rows for r in references if r.rows)])  # as many as a serial run found
        part = outcome.examples / (rows * epochs)
        if part < 1 - LEFT_OUT:
            return "failed", f"it trained {part:.1%} of the rows of its epochs"
    reason = untold_time(outcome, references, workers, quiet)
    if reason:
        return "failed", reason
    if to_target(outcome.points, task.target):
        reason = lost_again(task.target, outcome, references)
        return ("failed", reason) if reason else ("measured", "")
    last = outcome.points[-1].value
    if outcome.rows and epochs < task.epochs:
        return "failed", f"it stopped after {epochs:g} of {task.epochs} epochs without the target"
    return "short", f"{task.target.metric} is {last if last is None else format(last, '.6g')} after {epochs:g} epochs"


def lost_again(target, outcome, references):
    """Why a run that passed the target ends differently from serial runs; empty if it does not.

    It may end past the target, or no farther on its wrong side than serial runs do. These have a band: from the best to
    the worst, as much again, and one per cent.
    """
    ends = [r.points[-1].value for r in references if r.points and r.points[-1].value is not None]
    last = outcome.points[-1].value if outcome.points else None
    if target.passed(last) or not ends:
        return ""
    best, worst = (min(ends), max(ends)) if target.less_is_better else (max(ends), min(ends))
    sign = 1 if target.less_is_better else -1
    if last is not None and sign * (last - worst) <= abs(worst - best) + SLACK * abs(worst):
        return ""
    return (f"it passed the target, but ends with {target.metric} {last if last is None else format(last, '.6g')}, "
            f"and serial runs with {worst:.6g} or better")


def untold_time(outcome, references, workers, quiet):
    """Why the training time that a run reports cannot be right; empty if it can.

    Training takes no more CPU time than its workers have in the reported time. The rest of the CPU time is for reading
    and measuring: half as much again as in the reference, a quarter of the training, and the time of starting. Other
    programs start and read differently, so they are not checked (their rows are not known here). Runs that report less
    training time than that, some 0.3 s, are not checked. The same holds for wall time, which also detects waiting. If
    others use the CPUs nothing can be checked: workers that wait actively for one without a CPU take CPU time, too.
    """
    if not quiet or outcome.rows is None or outcome.train_seconds is None or not references:
        return ""

    def rest(o, spent, each):
        return max(0.0, spent - each * o.train_seconds)
    epochs, told = outcome.points[-1].epochs, workers * outcome.train_seconds

    def most(figure, each):
        seconds = statistics.median(rest(r, figure(r), 1) / r.points[-1].epochs for r in references)
        return 1.5 * seconds * epochs + 0.25 * each * outcome.train_seconds + UNTOLD_SECONDS
    if outcome.cpu_seconds is not None and rest(outcome, outcome.cpu_seconds, workers) > most(
            lambda r: r.cpu_seconds, workers):
        return (f"it says that it trained for {outcome.train_seconds:.3g} s, at most {told:.3g} s of CPU time, "
                f"and took {outcome.cpu_seconds:.3g} s of it, of which reading and measuring take few")
    if rest(outcome, outcome.total_seconds, 1) > most(lambda r: r.total_seconds, 1):
        return (f"it says that it trained for {outcome.train_seconds:.3g} s of the {outcome.total_seconds:.3g} s that "
                "passed, of which reading and measuring take few")
    return ""


def flags(task, contestant, found, serial):
    """Why figures are to be read with care; `found`, `serial`: epochs to the target of runs that reached it."""
    told = []
    if contestant == "serial" and found and statistics.median(found) < FEWEST_MEASUREMENTS:
        told.append(f"coarse: the target comes after {statistics.median(found):.3g} measurements, not "
                    f"{FEWEST_MEASUREMENTS}")
    if contestant != "serial" and found and serial:
        if statistics.median(found) < 0.95 * min(serial):
            told.append(f"fewer epochs than serial runs need: {statistics.median(found):.3g}, not {min(serial):.3g}")
    return told
