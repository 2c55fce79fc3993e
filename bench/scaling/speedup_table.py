#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes Markdown tables from records of bench_scaling: what workers gain, and how rivals do on the same rows.

Usage: speedup_table.py RECORD...          (each a scaling.jsonl)
"""
import json
import sys

MEASURED = "measured"
WHO = ["model", "engine", "workers", "update", "sharing", "reproducible", "exchange"]  # which configuration


def read(path):
    with open(path, encoding="utf-8") as record:
        return [json.loads(line) for line in record]


def of_kind(lines, kind):
    return [line for line in lines if line["kind"] == kind]


def name_of(lines):
    context = of_kind(lines, "context")[0]
    return context["options"].get("set", context["dataset"]["name"])


def way_of(line):
    if "exchange" in line:
        return line["exchange"]
    return "reproducible" if line["reproducible"] else line["sharing"]


def schedule_ratio(lines, s):
    """Of all epochs: replicas that keep their mean gain are given more of them (docs/hogwildpp.md)."""
    own = [line for line in of_kind(lines, "configuration") if line["state"] == MEASURED
           and all(line.get(key) == s.get(key) for key in WHO)]
    epochs = len(own[0]["runs"][0]["epoch_seconds"])
    return s["ratio"] * of_kind(lines, "context")[0]["options"]["epochs"] / epochs


def milliseconds(seconds):
    return "-" if seconds is None else f"{1e3 * seconds:.2f}"


def table(head, rows):
    """The lines of a table and an empty one; nothing where there are no rows."""
    if not rows:
        return []
    lines = ["| " + " | ".join(row) + " |" for row in [head, *rows]]
    return [lines[0], "|" + " --- |" * len(head), *lines[1:], ""]


def speedups(records):
    rows = []
    for lines in records:
        for s in of_kind(lines, "speedup"):
            rows.append([name_of(lines), s["model"], f"{s['engine']} {s['workers']}", way_of(s), s["update"],
                         milliseconds(s["one_worker_seconds"]), milliseconds(s["median_epoch_seconds"]),
                         f"{schedule_ratio(lines, s):.2f}", f"{100 * s['objective_difference']:+.3f} %"])
    return table(["set", "model", "workers", "sharing", "update", "best single, ms", "ms", "speed-up", "objective"],
                 rows)


def failures(records):
    rows = []
    for lines in records:
        for line in of_kind(lines, "configuration"):
            if line["state"] != MEASURED:
                rows.append([name_of(lines), line["model"], f"{line['engine']} {line['workers']}", way_of(line),
                             line["state"], line["reason"]])
    return table(["set", "model", "workers", "sharing", "state", "reason"], rows)


def our_best(lines, model, workers):
    """Shortest median epoch of ours with at most so many workers."""
    seconds = [line["median_epoch_seconds"] for line in of_kind(lines, "configuration")
               if line["state"] == MEASURED and line["model"] == model and line["workers"] <= workers]
    return min(seconds, default=None)


def rivals(records):
    rows = []
    for lines in records:
        for r in of_kind(lines, "rival"):
            who = [name_of(lines), r["model"], r["name"], r["setting"], str(r["workers"])]
            if r["state"] != MEASURED:
                rows.append(who + [f"{r['state']}: {r['reason']}", "", "", "", "", ""])
                continue
            last, epoch, ours = r["runs"][-1], r.get("median_epoch_seconds"), our_best(lines, r["model"], r["workers"])
            rows.append(who + [f"{r['median_command_seconds']:.2f}", milliseconds(epoch),
                               f"{epoch / ours:.2f}" if epoch and ours else "-",
                               f"{last['objective']:.6f}" if "objective" in last else "-",
                               f"{last['test_accuracy']:.4f}" if "test_accuracy" in last else "-", r["evaluator"]])
    return table(["set", "model", "rival", "setting", "workers", "command, s", "ms an epoch", "of our time", "objective",
                  "accuracy", "evaluator"], rows)


def main(paths):
    if not paths:
        print(__doc__)
        return 1
    records = [read(path) for path in paths]
    print("\n".join(speedups(records) + rivals(records) + failures(records)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
