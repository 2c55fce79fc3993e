# SPDX-License-Identifier: Apache-2.0
"""Prints one line a run record (JSON lines, schema in bench/schema): run_table.py RECORD..."""
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from suite import record  # noqa: E402

COLUMNS = ["engine", "workers", "s/epoch", "nonzeros/s", "s to target", "train loss", "test loss", "test accuracy"]


def read(path):
    """The context, the epochs and the result of a record."""
    lines = record.of_one_run(record.lines_of(path))
    context, epochs, result = (record.of(lines, kind) for kind in ("context", "epoch", "result"))
    if not (context and epochs and result):
        raise record.Damaged(f"{path}: it lacks a context, epoch or result line; did the run end?")
    return context[0], epochs, result[0]


def text(value, form):
    return "-" if value is None else format(value, form)


def row(context, epochs, result):
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
            found = read(path)
            with record.taken_from(path, "hogwild train --record"):
                rows.append(row(*found))
        except (OSError, ValueError) as error:
            print(f"run_table: {error}", file=sys.stderr)
            return 3
    widths = [max(len(line[c]) for line in rows) for c in range(len(COLUMNS))]
    for line in rows:
        print("  ".join(cell.ljust(w) if c == 0 else cell.rjust(w) for c, (cell, w) in enumerate(zip(line, widths))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
