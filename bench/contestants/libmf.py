# SPDX-License-Identifier: Apache-2.0
"""LIBMF: ratings by blocks that no two threads touch at once. A run of its own for each number of iterations."""
import os
import shutil

from suite import trial
from suite.peer import LONGEST, Peer, evaluated, option
from suite.terms import Outcome, Point, Unavailable


def program():
    found = shutil.which(os.environ.get("HOGWILD_LIBMF", "mf-train"))
    if not found:
        raise Unavailable("there is no program mf-train; name LIBMF's by the environment variable HOGWILD_LIBMF")
    return found


def version(_):
    found = os.stat(program())
    return f"mf-train of {found.st_size} bytes"  # it tells no version


def columns_of(path):
    """Lines "p0 T 0.1 ..." of users and "q0 T ..." of items: columns 2 u + 1 and 2 i + 2, and no bias."""
    columns = {}
    with open(path, encoding="ascii") as file:
        for name, there, *numbers in (line.split() for line in file):
            if name[0] in "pq" and there in "TF":
                column = 2 * int(name[1:]) + (1 if name[0] == "p" else 2)
                columns[column] = [*([float(x) for x in numbers] if there == "T" else [0.0] * len(numbers)), 0.0]
    return columns


def train(task, place, workers, settings, _):
    data, factors, model = task.data(place), option(task, "--factors"), place.work / "libmf.model"

    def run(iterations):
        ended = trial.run([program(), "-k", factors, "-l2", settings["l2"], "-r", settings["step"], "-t", iterations,
                           "-s", workers, "--quiet", data["train"], model], timeout=LONGEST)
        if ended.code != 0:
            raise Unavailable(ended.err[-200:] or ("it took too long" if ended.late else f"it ended with {ended.code}"))
        return ended
    reading, points, ended = run(1).seconds, [], None
    for n in (n for n in (2, 4, 8, 16, 32, 64) if n <= max(4, task.epochs)):
        ended = run(n)
        # The head of a model of hogwild without a mean: what LIBMF predicts is the product alone.
        told = evaluated(task, place, data, ["model matrix_factorization", f"option rank {factors}", "option mean 0",
                                             "labels real", f"width {int(factors) + 1}"], columns_of(model))
        points.append(Point(max(0.0, ended.seconds - reading), n - 1, told["rmse"]))
    return Outcome(points, parse_seconds=reading, train_seconds=points[-1].seconds, total_seconds=ended.seconds,
                   cpu_seconds=ended.cpu_seconds, peak_bytes=ended.peak_bytes)


contestant = Peer("libmf", version, ("ratings",), train, {"step": [0.05, 0.1, 0.2], "l2": [0.02, 0.05, 0.1]},
                  metrics=("test_rmse",), workers=(1, 2), test_file=True)
