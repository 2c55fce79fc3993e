# SPDX-License-Identifier: Apache-2.0
"""Bench records as tables for the terminal."""
import statistics

from suite import places, record
from suite.terms import Unavailable


def number(value):
    return "-" if value is None else f"{value:.3g}"


def spread(interval):
    """A median with its interval, if there is one."""
    if not interval:
        return "-"
    ends = "" if interval["low"] is None else f" [{number(interval['low'])}, {number(interval['high'])}]"
    return number(interval["median"]) + ends


def aligned(rows):
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def settings(lines, task, place="here"):
    """The settings of each contestant with the least and the largest that were tried, if they were tuned."""
    groups = {}
    for line in record.of(lines, "tried", task=task, place=place):
        groups.setdefault((line["contestant"], line["workers"]), []).append(line)
    for (contestant, workers), tried in groups.items():
        best = next(line for line in tried if line["best"])
        told = []
        for name, x in best["settings"].items():
            known = sorted({line["settings"][name] for line in tried})
            told.append(f"{name} {_as_given(x)}" +
                        (f" ({_as_given(known[0])} to {_as_given(known[-1])})" if len(known) > 1 else ""))
        edge = "; the best lies on the edge of what was tried" if best["on_edge"] else ""
        yield f"{contestant}, {workers}: {', '.join(told)}; {len(tried)} settings were tried{edge}"


def _as_given(value):
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def of_task(task, lines):
    """Summaries of one task, how many times sooner than serial each was, and what is to be read with care."""
    sign = "<=" if task.target.less_is_better else ">="
    ratios = {(r["of"], r["of_workers"]): r["value"] for r in record.of(lines, "ratio", task=task.name)}
    rows, notes = [("contestant", "workers", "arrived", "s to target", "epochs", "s/epoch", "CPU s", "MB",
                    "% of ceiling", "sooner than serial")], []
    for s in record.of(lines, "summary", task=task.name):
        memory = s["peak_bytes"] and {k: v / 1e6 if k != "runs" and v is not None else v
                                      for k, v in s["peak_bytes"].items()}
        rows.append((s["contestant"], str(s["workers"]), f"{s['arrived']}/{s['runs']}", spread(s["seconds_to_target"]),
                     *(number(s[k] and s[k]["median"]) for k in ("epochs_to_target", "epoch_seconds", "cpu_seconds")),
                     number(memory and memory["median"]), number(s["of_ceiling"] and 100 * s["of_ceiling"]),
                     spread(ratios.get((s["contestant"], s["workers"])))))
        notes += [f"  {s['contestant']}, {s['workers']}: {flag}" for flag in s["flags"]]
    head = f"{task.name}: {task.target.metric} {sign} {task.target.value:.6g} ({task.target.found})"
    of_each = [f"  {line}" for place in dict.fromkeys(s["place"] for s in record.of(lines, "summary", task=task.name))
               for line in settings(lines, task.name, place)]
    begun = "settings: the best of those tried in this call, beside the least and the largest" if of_each else \
        f"settings: {task.found}"
    return "\n".join([head, begun, *of_each, *aligned(rows), *notes, ""])


def of_runs(lines):
    """The results of a paper's runs: a row for each configuration, medians over its seeds with the least and the
    largest. Empty if there are no runs."""
    groups = {}
    for run in record.of(lines, "run"):
        groups.setdefault((run["task"], run["contestant"], run["workers"]), []).append(run)
    rows = [("data", "configuration", "workers", "seeds", "metric", "at the end", "s/epoch", "s to target",
             "epochs to target")]
    for (task, contestant, workers), runs in groups.items():
        good = [r for r in runs if r["state"] != "failed" and r["points"]]
        if not good:
            rows.append((task, contestant, str(workers), f"0 of {len(runs)}", "-", "-", "-", "-", runs[0]["reason"][:60]))
            continue
        arrived = [r for r in good if r["seconds_to_target"] is not None]
        rows.append((task, contestant, str(workers), f"{len(good)} of {len(runs)}", good[0]["target"]["metric"],
                     _between(r["points"][-1][2] for r in good),
                     _between(r["points"][-1][0] / r["points"][-1][1] for r in good if r["points"][-1][1]),
                     _between(r["seconds_to_target"] for r in arrived) + _of(arrived, good),
                     _between(r["epochs_to_target"] for r in arrived)))
    return aligned(rows) if groups else []


def _between(values):
    """A median with the least and the largest value."""
    known = [v for v in values if v is not None]
    if not known:
        return "-"
    return f"{statistics.median(known):.4g} [{min(known):.4g}, {max(known):.4g}]"


def _of(arrived, good):
    return f" ({len(arrived)} of {len(good)})" if 0 < len(arrived) < len(good) else ""


def left_out(lines):
    """A line for each reason why something was left out: the contestants, and the tasks unless these are all."""
    tasks = dict.fromkeys(x["task"] for x in lines if x["kind"] in ("run", "skipped", "summary") and x["task"])
    reasons = {}
    for s in record.of(lines, "skipped"):
        reasons.setdefault(s["reason"], []).append(s)
    told = []
    for reason, of in reasons.items():
        names = list(dict.fromkeys(s["contestant"] for s in of if s["contestant"]))
        on = list(dict.fromkeys(s["task"] for s in of if s["task"]))
        where = "" if not on else " on all tasks" if len(on) == len(tasks) > 1 else f" on {', '.join(on)}"
        told.append(f"  {', '.join(names) or 'all'}{where}: {reason}")
    return "\n".join(["Left out:", *told]) if told else ""


def listed(place, tasks, contestants):
    """Tasks with their targets and contestants, places, and what each lacks here."""
    text = ["Tasks:"]
    for name, task in tasks.items():
        try:
            task.data(place)
            missing = ""
        except Unavailable as reason:
            missing = f"; missing: {reason}"
        text.append(f"  {name} ({task.family}; {', '.join(task.suites) or 'full'}){missing}")
    text.append("Contestants:")
    for c in contestants:
        text.append(f"  {c.name}" + (f"; missing: {reason}" if (reason := c.missing(place)) else ""))
    text.append("Places:")
    for name in places.NAMES:
        text.append(f"  {name}" + (f"; missing: {reason}" if (reason := places.missing(name, place)) else ""))
    return "\n".join(text)
