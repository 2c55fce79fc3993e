# SPDX-License-Identifier: Apache-2.0
"""Hogwild++'s numasvm: linear SVMs by replicas on a ring, one for each worker. It saves no weights.

Its printed values are used: test_acc, and for the objective r, the root of the mean hinge loss, and o, the summed loss
and half the squared norm: r^2 + l2 (o - n r^2), which it minimises with mu = n l2. Reading is not timed.
"""
import re
import tempfile

from suite.peer import Peer, finder, option, outcome, ran, sized
from suite.terms import Point, Unavailable

program = finder("numasvm", "there is no program numasvm; name Hogwild++'s by the environment variable HOGWILD_NUMASVM",
                 "HOGWILD_NUMASVM")


def convert(rows, target):
    """Lines "row column value", both from 0 on, with the label as column -2; returns how many rows there are."""
    with open(rows, encoding="ascii") as file, open(target, "w", encoding="ascii") as out:
        row = -1
        for row, (label, *entries) in enumerate(line.split() for line in file):
            out.write(f"{row}\t-2\t{1 if float(label) > 0 else -1}\n")
            out.writelines(f"{row}\t{int(c) - 1}\t{x}\n" for c, x in (entry.split(":") for entry in entries))
    return row + 1


def train(task, place, workers, settings, _):
    data, l2 = task.data(place), float(option(task, "--l2"))
    if "test" not in data:
        raise Unavailable("the task's test rows are not in a file of their own")
    names = [place.work / f"numasvm.{part}.tsv" for part in ("train", "test")]
    n, _ = (convert(data[part], name) for part, name in zip(("train", "test"), names))
    with tempfile.TemporaryFile(dir=place.work) as out:
        ended = ran([program(), "--epochs", task.epochs, "--mu", n * l2, "--stepinitial", settings["step"],
                     "--step_decay", settings["decay"], "--splits", workers, "--cluster_size", 1,
                     "--update_delay", 64, *names], out=out)
        out.seek(0)
        lines = re.findall(r"^epoch: (\d+) .*train_time: (\S+) .*train_rmse: (\S+) .*obj: (\S+) .*test_acc: (\S+)",
                           out.read().decode(), re.MULTILINE)
    if not lines:
        raise Unavailable("it told of no epoch")
    points = [Point(seconds, epoch, right if task.target.metric == "test_accuracy" else r * r + l2 * (o - n * r * r))
              for epoch, seconds, r, o, right in (map(float, line) for line in lines)]
    return outcome(points, ended)


contestant = Peer("numasvm", sized(program), ("linear",), train, {"step": [0.1, 0.5, 2.0], "decay": [0.8, 0.9, 0.95]},
                  models=("hinge_svm",), metrics=("objective", "test_accuracy"), workers=(1, 2))
