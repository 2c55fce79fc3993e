# SPDX-License-Identifier: Apache-2.0
"""Prints one line a run record (JSON lines, schema in bench/schema): run_table.py RECORD..."""
import json
import statistics
import sys

COLUMNS = ["engine", "workers", "s/epoch", "nonzeros/s", "s to target", "train loss", "test loss", "test accuracy"]


def read(path):
    """The context, epoch and result lines of a record."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.strip()]
    found = {kind: [line for line in lines if line.get("kind") == kind] for kind in ("context", "epoch", "result")}
    if not all(found.values()):
        raise ValueError("it lacks a context, epoch or result line; did the run end?")
    return found["context"][0], found["epoch"], found["result"][0]


def text(value, form):
    return "-" if value is None else format(value, form)


def row(path):
    context, epochs, result = read(path)
    options, last = context["options"], epochs[-1]
    clock = [0.0] + [line["train_seconds"] for line in epochs]
    seconds = statistics.median(after - before for before, after in zip(clock, clock[1:]))
    nonzeros = last["nonzeros"] / len(epochs)
    measure = lambda key: result.get(key, last.get(key))
    return [
        str(options["engine"]),
        str(options["workers"]),
        text(seconds, ".3f"),
        text(nonzeros / seconds if seconds > 0 else None, ",.0f"),
        text(result.get("seconds_to_target"), ".3f"),
        text(measure("train_loss"), ".5f"),
        text(measure("test_loss"), ".5f"),
        text(measure("test_accuracy"), ".4f"),
    ]


def main(paths):
    if not paths:
        sys.exit(__doc__)
    rows = [COLUMNS]
    for path in paths:
        try:
            rows.append(row(path))
        except (OSError, ValueError, KeyError) as error:
            sys.exit(f"error: {path}: {error}")
    widths = [max(len(line[c]) for line in rows) for c in range(len(COLUMNS))]
    for line in rows:
        print("  ".join(cell.ljust(w) if c == 0 else cell.rjust(w) for c, (cell, w) in enumerate(zip(line, widths))))


main(sys.argv[1:])
