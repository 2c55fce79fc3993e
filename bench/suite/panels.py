# SPDX-License-Identifier: Apache-2.0
"""The plots of a record: sections of panels, with a table and notes below."""
import statistics

from suite import record, search_panels, tables
from suite.draw import Panel, Section
from suite.tables import number, spread
from suite.text import in_bytes


def sections(lines):
    """Sections of a bench record, one a task; of a run record and of a search, one."""
    if lines[0]["kind"] == "search":
        return [search_panels.section(lines[0])]
    if "suite" not in lines[0]:
        return [_run_record(lines)]
    tasks = dict.fromkeys(x["task"] for x in lines if x["kind"] == "run")
    return [_task(name, lines) for name in tasks] + _verdicts(lines) + _left_out(lines)


def called(line):
    return f"{line['contestant']}, {line['workers']}" + ("" if line["place"] == "here" else f", {line['place']}")


def _grouped(runs):
    groups = {}
    for run in runs:
        groups.setdefault(called(run), []).append(run)
    return groups


def _median(runs, figure):
    values = [run[figure] for run in runs if run[figure] is not None]
    return statistics.median(values) if values else None


def _typical(runs):
    """The run in the middle, by seconds to the target; runs that did not reach it come last."""
    ordered = sorted(runs, key=lambda r: (r["seconds_to_target"] is None, r["seconds_to_target"] or 0))
    return ordered[(len(ordered) - 1) // 2]


def _task(name, lines):
    runs = record.of(lines, "run", task=name)
    counted = _grouped(r for r in runs if r["state"] != "failed")
    panels = []
    if runs:
        target = runs[0]["target"]
        curves = {who: [p for p in _typical(rs)["points"] if p[2] is not None] for who, rs in counted.items()}
        for axis, what in ((0, "seconds of training"), (1, "epochs")):
            panels.append(Panel(f"{target['metric']} over {what}", what, target["metric"], target=target["value"],
                                lines={who: [(p[axis], p[2]) for p in points] for who, points in curves.items()}))
        panels += [*_times(name, lines), *_told(counted), *_grids(record.of(lines, "tried", task=name), target)]
    summaries = record.of(lines, "summary", task=name)
    table = [("contestant", "workers", "arrived", "seconds to target", "epochs", "seconds an epoch", "total seconds",
              "CPU seconds", "MB")]
    for s in summaries:
        memory = s["peak_bytes"] and s["peak_bytes"]["median"] / 1e6
        table.append((s["contestant"], str(s["workers"]), f"{s['arrived']} of {s['runs']}",
                      *(spread(s[k]) for k in ("seconds_to_target", "epochs_to_target", "epoch_seconds",
                                               "total_seconds", "cpu_seconds")), number(memory)))
    notes = [f"{called(s)}: {flag}" for s in summaries for flag in s["flags"]]
    about = "" if not runs else (f"{target['metric']} {'at most' if target['less_is_better'] else 'at least'} "
                                 f"{target['value']:.6g}: {target['found']}. Curves are those of the run in the middle.")
    return Section(name, about, [p for p in panels if p], table if summaries else [], notes)


def _times(name, lines):
    """Times to the target with their intervals, and how they change with the workers."""
    bars, gains = [], {}
    summaries = record.of(lines, "summary", task=name)
    serial = next((s["seconds_to_target"]["median"] for s in summaries
                   if s["contestant"] == "serial" and s["arrived"] == s["runs"] and s["seconds_to_target"]), None)
    for s in summaries:
        told = s["seconds_to_target"]
        if told and s["arrived"] == s["runs"]:
            bars.append((called(s), told["median"], told["low"], told["high"]))
            if serial:
                gains.setdefault(s["contestant"], []).append((s["workers"], serial / told["median"]))
    gains = {who: sorted(points) for who, points in gains.items() if len(points) > 1}
    return (Panel("time to target, 95 % interval", "seconds of training", bars=bars),
            Panel("sooner at the target than serial", "workers", "times", lines=gains, target=1.0 if gains else None,
                  across="serial"))


def _told(counted):
    for figure, title, axis in (("staleness", "staleness, median", "rows"), ("conflict_rate", "conflicts", "of all adds"),
                                ("bytes_exchanged", "exchanged in a run", "bytes")):
        yield Panel(title, axis, bars=[(who, told, None, None) for who, runs in counted.items()
                                       if (told := _median(runs, figure))])


def _grids(tried, target):
    """The trials of tuning: quality against time for each point, and how much the step matters."""
    quality, steps = {}, {}
    for point in tried:
        if point.get("seconds") and point["last_value"] is not None:
            quality.setdefault(called(point), []).append((point["seconds"], point["last_value"]))
        if point["epochs_to_target"] is not None and "step" in point["settings"]:
            at = steps.setdefault(called(point), {})
            step = point["settings"]["step"]
            at[step] = min(at.get(step, point["epochs_to_target"]), point["epochs_to_target"])
    return (Panel("quality against time, all settings tried", "seconds of training", target["metric"], lines=quality,
                  scattered=True, target=target["value"] if quality else None),
            Panel("epochs to target by step (best of the other settings)", "step", "epochs",
                  lines={who: sorted(at.items()) for who, at in steps.items()}))


LOSSES = ("objective", "train_loss", "validation_loss", "test_loss", "test_rmse", "test_cut")


def _measures(epochs):
    """Names of the losses and of the scores in the epochs: a score grows when a model gets better."""
    last = (epochs or [{}])[-1]
    scores = [n for n in last if n.startswith(("test_", "validation_")) and n not in LOSSES
              and isinstance(last[n], (int, float))]
    return [n for n in LOSSES if n in last], scores


def _curve(epochs, x, y):
    return [(e[x], e[y]) for e in epochs if e.get(y) is not None]


def _shown(name, value):
    """A figure of a result with its unit."""
    if "bytes" in name:
        return in_bytes(value)
    return number(value) if isinstance(value, float) else str(value)


def _run_record(lines):
    options, epochs = lines[0]["options"], record.of(lines, "epoch")
    losses, scores = _measures(epochs)
    panels = [Panel(f"{title} over {what}", what, title, lines={n: _curve(epochs, key, n) for n in names})
              for key, what in (("train_seconds", "seconds of training"), ("epoch", "epochs"))
              for title, names in (("loss", losses), ("score", scores)) if names]
    stale = {f"{q[1:]} % of rows": [(e["epoch"], e["staleness"][q]) for e in epochs if "staleness" in e]
             for q in ("p50", "p99")}
    panels.append(Panel("staleness", "epochs", "rows", lines=stale))
    panels.append(Panel("conflicts", "epochs", "of all adds", lines={
        "conflicts": [(e["epoch"], e["conflict_rate"]) for e in epochs if "conflict_rate" in e]}))
    result = lines[-1] if lines[-1]["kind"] == "result" else {}
    shared = result.get("ring") or result.get("meetings") or {}
    table = [("figure", "value"), *((k, _shown(k, v)) for k, v in
                                    {**result, **({"bytes exchanged": shared["bytes"]} if "bytes" in shared else {})}.items()
                                    if isinstance(v, (int, float, str)) and k != "kind")]
    title = f"{options['model']} by {options['engine']}, {options['workers']} workers"
    notes = [] if result else ["the record has no result: the run did not come to its end"]
    return Section(title, f"{lines[0]['dataset']['n']} rows, sharing {options.get('sharing')}", [p for p in panels if p],
                   table, notes)


def together(records):
    """Sections of runs of one model on the same rows: their curves in one plot, each named by the options in which it
    differs from the others."""
    groups = {}
    for lines in records:
        if lines[0]["kind"] == "context" and "suite" not in lines[0]:
            dataset = {k: v for k, v in lines[0]["dataset"].items() if k != "path"}
            groups.setdefault((lines[0]["options"]["model"], repr(sorted(dataset.items()))), []).append(lines)
    return [_overlaid(runs) for runs in groups.values() if len(runs) > 1]


def _overlaid(runs):
    names = _names_apart([lines[0]["options"] for lines in runs])
    curves = [record.of(lines, "epoch") for lines in runs]
    losses, scores = _measures(curves[0])
    panels = [Panel(f"{measure} over {what}", what, measure,
                    lines={name: _curve(epochs, key, measure) for name, epochs in zip(names, curves)})
              for measure in ([m for m in ("objective", "test_loss", "test_rmse") if m in losses] + scores)
              for key, what in (("train_seconds", "seconds of training"), ("epoch", "epochs"))]
    model, rows = runs[0][0]["options"]["model"], runs[0][0]["dataset"]["n"]
    return Section(f"{model} by {len(runs)} runs", f"{rows} rows", [p for p in panels if p], [], [])


TOLD = ("engine", "workers", "sharing", "update", "optimizer", "batch", "step", "seed")  # may tell runs apart


def _names_apart(options):
    """A name for each run: the values of the fewest options of TOLD that differ; numbers if all are the same."""
    names = ["" for _ in options]
    for key in TOLD:
        values = [str(o.get(key)) for o in options]
        if len(set(values)) > 1 and len(set(names)) < len(names):
            names = [f"{name}, {value}".removeprefix(", ") for name, value in zip(names, values)]
    return names if len(set(names)) == len(names) else [f"{n or 'run'} ({k})" for k, n in enumerate(names, 1)]


def _left_out(lines):
    told = tables.left_out(lines).splitlines()[1:]
    return [Section("left out", "What did not take part, by the reason.", [], [], [line.strip() for line in told])] \
        if told else []


def _verdicts(lines):
    found = record.of(lines, "verdict")
    table = [("claim", "verdict", "why"), *((v["claim"], v["verdict"], v["why"]) for v in found)]
    return [Section("verdicts", found[0]["paper"], [], table, [])] if found else []
