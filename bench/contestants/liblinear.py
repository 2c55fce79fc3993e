# SPDX-License-Identifier: Apache-2.0
"""LIBLINEAR: batch solvers that run to a tolerance. With C = 1 / (rows l2) they minimise the same objective."""
from suite.peer import Peer, beyond, finder, objective, option, outcome, packaged, ran
from suite.terms import Point

program = finder("liblinear-train",
                 "liblinear-train is not installed (on Debian and Ubuntu: apt-get install liblinear-tools)")
SOLVERS = {"logistic": (7, 0), "hinge_svm": (3, 3), "squared_hinge": (1, 2), "least_squares": (12, 11),
           "quantile": (13, 13)}  # solvers of the dual and of the primal problem, or of the only one
HALVED = ("least_squares", "quantile")  # their loss is half of LIBLINEAR's, which has the median only


def weights_of(path):
    """The weights of its model file by column: lines after the line "w", for the class that is first in `label`."""
    head, between, tail = path.read_text(encoding="ascii").partition("\nw\n")
    if not between:
        raise ValueError(f"{path.name} is no model")
    first = float(head.partition("\nlabel ")[2].split()[0]) if "\nlabel " in head else 1.0  # labels are numbers
    return {column: [first * float(line)] for column, line in enumerate(tail.split(), 1)}


def train(task, place, _, settings, __):
    data = task.data(place)
    with open(data["train"], "rb") as file:
        rows = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
    kind, model = option(task, "--model"), place.work / "liblinear.model"
    cost = (0.5 if kind in HALVED else 1) / (rows * float(option(task, "--l2")))

    def run(tolerance):
        return ran([program(), "-s", SOLVERS[kind][settings["primal"]], "-c", cost, "-e", tolerance, "-p", 0, "-q",
                    data["train"], model])
    reading = run(1e9)  # so coarse that it reads but hardly computes
    ended = run(settings["tolerance"])
    point = Point(beyond(ended.seconds, reading.seconds), 1, objective(task, place, data, weights_of(model)))
    return outcome([point], ended, reading.seconds)


contestant = Peer("liblinear", packaged(program, "liblinear-tools"), ("linear",), train,
                  {"tolerance": [0.0001, 0.001, 0.01, 0.1], "primal": [0, 1]}, models=tuple(SOLVERS))
