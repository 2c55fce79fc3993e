# SPDX-License-Identifier: Apache-2.0
"""Lines of bench records about a call, its runs, and who takes part."""
import dataclasses
import datetime
import importlib
import json
import pathlib
import subprocess

from suite import life, quality, record, turns
from suite.engine import ENGINES

PROBE = ("--stream-bytes", "67108864", "--turns", "1", "--lines", "1", "--pairs-of", "1")  # half a second


def context(place, given, peers, probes=True):
    """The first line of a record: version and machine as in a run's own record."""
    rows, told = place.work / "context.svm", place.work / "context.jsonl"
    rows.write_text("1 1:1\n-1 2:1\n", encoding="ascii")
    life.run([place.hogwild, "train", rows, "--no-cache", "--epochs", 1, "--step", 0.1, "--quiet", "--record", told],
             check=True)
    line = record.lines_of(told)[0]
    kept = {k: line[k] for k in ("version", "commit", "build_type", "compiler", "machine")}
    began = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    return {"schema": record.SCHEMA, **kept, "suite": pathlib.Path(given.suite).name, "seeds": given.seeds,
            "began": began, "peers": peers, "ceiling": ceiling(place) if probes and given.suite != "tiny" else None}


def ceiling(place):
    """Bytes a second that bench_hardware beside the program reads, by number of CPUs; None if it is missing."""
    try:
        told = life.run([place.hogwild.parent / "bench_hardware", *PROBE], check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        print("no ceiling is known: there is no bench_hardware beside the program, or it failed\n", flush=True)
        return None
    streams = record.of([json.loads(line) for line in told.splitlines()], "stream")
    return {str(s["threads"]): s["read_bytes_per_second"] for s in streams} or None


def contestants():
    """All by name: the engines, and the programs of others in bench/contestants."""
    folder = pathlib.Path(__file__).resolve().parents[1] / "contestants"
    peers = {p.stem: importlib.import_module(f"contestants.{p.stem}").contestant for p in folder.glob("*.py")}
    return dict(sorted({**ENGINES, **peers}.items()))


def entries(task, contestants, place, workers, kept):
    """(contestant, workers) that take part in a task; records the others as skipped. The serial one comes first."""
    for c in sorted(contestants, key=lambda c: c.name != "serial"):
        reason = place.refuses(c) or c.missing(place) or c.refuses(task)
        if reason:
            kept.put("skipped", task=task.name, contestant=c.name, reason=reason)
            continue
        for w in dict.fromkeys(c.workers or workers):
            if w < (least := place.least(c)):
                kept.put("skipped", task=task.name, contestant=c.name, reason=f"needs {least} workers, not {w}")
            else:
                yield c, w


def run_line(task, who, settings, turn, idle, outcome, references):
    """The line of one run, with its verdict."""
    # On machines of a network starting takes long, and CPU time is unknown.
    quiet = idle is not None and idle >= turns.ENOUGH and who["place"] == "here"
    state, reason = quality.judge(task, outcome, references, who["workers"], quiet)
    return of_outcome(who, settings, turn, idle, outcome, task.target, state, reason)


def of_outcome(who, settings, turn, idle, outcome, target, state, reason):
    reached = quality.to_target(outcome.points, target) if state == "measured" else None
    kept = {f: getattr(outcome, f) for f in (
        "parse_seconds", "train_seconds", "total_seconds", "cpu_seconds", "peak_bytes", "examples", "nonzeros",
        "bytes_exchanged", "staleness", "conflict_rate")}
    return {**who, "seed": turn + 1, "turn": turn, "settings": settings, "state": state, "reason": reason,
            "target": dataclasses.asdict(target), "points": [[p.seconds, p.epochs, p.value] for p in outcome.points],
            "seconds_to_target": reached[0] if reached else None, "epochs_to_target": reached[1] if reached else None,
            **kept, "idle_before": idle}
