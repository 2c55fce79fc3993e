# SPDX-License-Identifier: Apache-2.0
"""Summaries of a contestant's runs on a task, and how many times sooner one reached the target than another."""
import math

from suite import quality, statistics

WHO = ("task", "contestant", "workers", "place")


def of_runs(task, runs, serial, ceiling=None):
    """The summary of the run lines of one contestant; `serial`: those of the serial reference."""
    counted = [r for r in runs if r["state"] != "failed"]
    arrived = [r for r in counted if r["state"] == "measured"]

    def told(figure, lines=counted):
        values = [figure(r) for r in lines]
        return statistics.interval([v for v in values if v is not None])
    # A run that did not reach the target has no time, but it is a sample: it counts as later than all that did.
    to_target = statistics.interval([r["seconds_to_target"] if r["state"] == "measured" else math.inf for r in counted])
    epochs = [r["epochs_to_target"] for r in arrived]
    # An epoch of other programs is not the same as ours; only our runs report rows.
    beside = serial if any(r["examples"] is not None for r in runs) else []
    flags = quality.flags(task, runs[0]["contestant"], epochs, [r["epochs_to_target"] for r in beside
                                                                if r["state"] == "measured"])
    flags += sorted({r["reason"] for r in runs if r["state"] == "failed"})
    if short := [r for r in counted if r["state"] == "short"]:
        flags.append(f"{len(short)} of {len(runs)} runs did not arrive: {short[0]['reason']}")
    if runs[0]["contestant"] == "serial" and not arrived:
        flags.append("no serial run reached the target, so nothing is compared with them: take more epochs, or a "
                     "target that is nearer")
    rate = told(lambda r: r["nonzeros"] / r["train_seconds"] if r["nonzeros"] and r["train_seconds"] else None)
    return {**{k: runs[0][k] for k in WHO}, "runs": len(runs), "arrived": len(arrived),
            "failed": len(runs) - len(counted), "seconds_to_target": to_target,
            "epochs_to_target": statistics.interval(epochs),
            "epoch_seconds": told(lambda r: r["points"][-1][0] / r["points"][-1][1] if r["points"] else None),
            "total_seconds": told(lambda r: r["total_seconds"]), "cpu_seconds": told(lambda r: r["cpu_seconds"]),
            "peak_bytes": told(lambda r: r["peak_bytes"]), "nonzeros_per_second": rate,
            "of_ceiling": rate["median"] * BYTES_OF_NONZERO / ceiling if rate and ceiling else None, "flags": flags}


BYTES_OF_NONZERO = 8  # a column number and a value, four bytes each


def ratios(task, summaries):
    """How many times sooner each contestant reaches the target than the serial one, at the same quality.

    None unless all runs of both reached it. The interval is that of the quotients' ends.
    """
    serial = next((s for s in summaries if s["contestant"] == "serial"), None)
    for s in summaries:
        both = [x and x["arrived"] == x["runs"] and x["seconds_to_target"] for x in (serial, s)]
        if s is serial or not all(both):
            continue
        upper, lower = serial["seconds_to_target"], s["seconds_to_target"]
        ends = (upper["low"], upper["high"], lower["low"], lower["high"])
        low, high = (upper["low"] / lower["high"], upper["high"] / lower["low"]) if None not in ends else (None, None)
        yield {"task": task.name, "name": "sooner at the target than serial", "of": s["contestant"],
               "of_workers": s["workers"], "to": "serial", "to_workers": 1, "place": s["place"],
               "value": {"median": upper["median"] / lower["median"], "low": low, "high": high,
                         "runs": min(upper["runs"], lower["runs"])}}
