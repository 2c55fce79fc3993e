# SPDX-License-Identifier: Apache-2.0
"""LIBMF: ratings by blocks that no two threads touch at once. A separate run for each number of iterations."""
from suite.peer import Peer, by_counts, evaluated, finder, option, ran, sized

program = finder("mf-train", "there is no program mf-train; name LIBMF's by the environment variable HOGWILD_LIBMF",
                 "HOGWILD_LIBMF")


def columns_of(path):
    """Lines "p0 T 0.1 ..." of users and "q0 T ..." of items: columns 2 u + 1 and 2 i + 2, without bias."""
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
        return ran([program(), "-k", factors, "-l2", settings["l2"], "-r", settings["step"], "-t", iterations, "-s",
                    workers, "--quiet", data["train"], model])

    def value():
        # The head of a hogwild model without a mean: LIBMF predicts the product alone.
        return evaluated(task, place, data, ["model matrix_factorization", f"option rank {factors}", "option mean 0",
                                             "labels real", f"width {int(factors) + 1}"], columns_of(model))["rmse"]
    return by_counts(task, run, value, (1, 3, 7, 15, 31, 63), 1)


contestant = Peer("libmf", sized(program), ("ratings",), train, {"step": [0.05, 0.1, 0.2], "l2": [0.02, 0.05, 0.1]},
                  metrics=("test_rmse",), workers=(1, 2), test_file=True)
