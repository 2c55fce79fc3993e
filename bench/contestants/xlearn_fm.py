# SPDX-License-Identifier: Apache-2.0
"""xLearn's factorization machines by AdaGrad: a separate fit for each number of epochs."""
import os
import pathlib
import time

from suite import point
from suite.peer import Peer, by_script, evaluated, module, of_metric, option


def main(asked):
    os.environ.setdefault("USER", "nobody")  # without it the program crashes
    import xlearn
    work = pathlib.Path(asked.work)
    told = {"task": "binary", "opt": "adagrad", "lr": asked.settings["step"], "nthread": asked.workers,
            "k": int(option(asked, "--factors")),
            "lambda": float(option(asked, "--l2", 0.0))}

    def fit(epochs):
        machine, model = xlearn.create_fm(), work / f"xlearn_{epochs}.txt"
        machine.setTrain(asked.data["train"]), machine.setTXTModel(str(model)), machine.setQuiet()
        machine.disableNorm(), machine.disableEarlyStop()
        begin = time.perf_counter()
        machine.fit({**told, "epoch": epochs}, str(work / "xlearn.bin"))
        return time.perf_counter() - begin, str(model)
    fit(1)  # leaves its cache of the rows
    for epochs in sorted({*(n for n in (1, 2, 4, 8, 16) if n < asked.epochs), asked.epochs}):
        seconds, model = fit(epochs)
        point.tell(seconds=seconds, epochs=epochs, weights=model)


def measured(task, place, data, path):
    """Lines "bias: x", "i_COLUMN: x" and "v_COLUMN: x x ..."; in our format a weight precedes its factors."""
    with open(path, encoding="ascii") as file:
        parts = {name: [float(x) for x in rest.split()] for name, _, rest in (line.partition(":") for line in file)}
    columns = {int(name[2:]): parts[f"i_{name[2:]}"] + x for name, x in parts.items()
               if name.startswith("v_") and name != "v_0"}
    rank = option(task, "--factors")
    told = evaluated(task, place, data, ["model factorization_machine", f"option rank {rank}", "labels binary -1 1",
                                         f"width {int(rank) + 1}", f"bias {parts['bias'][0]!r}"], columns)
    return of_metric(task, told, columns)


def train(task, place, *run):
    data = task.data(place)
    return by_script(__name__, task, place, *run, data, measured=lambda path: measured(task, place, data, path))


contestant = Peer("xlearn_fm", module("xlearn", "xlearn"), ("machine",), train, {"step": [0.05, 0.1, 0.2]},
                  models=("factorization_machine",), workers=(1, 2))
