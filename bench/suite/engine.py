# SPDX-License-Identifier: Apache-2.0
"""The engines of hogwild as contestants."""
import dataclasses
import shutil
from typing import Callable, Sequence

from suite import trial
from suite.terms import Outcome

LONGEST = 600.0  # seconds of a run
OPTIONS = {"step": "--step", "decay": "--decay", "batch": "--batch", "meeting": "--sync-rows"}


@dataclasses.dataclass(frozen=True)
class Engine:
    """An engine of hogwild train. `meeting`: rows between two meetings, ascending, for those that meet."""
    name: str
    arguments: Sequence[str]
    workers: Sequence[int] = ()  # numbers of workers that it can have; empty: any
    least: int = 1  # workers
    ranks: Sequence[str] = ()  # arguments if each worker is a rank on a machine of its own; empty: it has no ranks
    meeting: Sequence[int] = ()
    families: Sequence[str] = ()  # families that it trains; empty: all
    batch: Sequence[int] = ()  # rows that see the same weights, ascending, for engines that have a choice
    lacking: Callable = lambda place: ""

    def missing(self, place):
        return self.lacking(place)

    def refuses(self, task):
        known = not self.families or task.family in ("", *self.families)
        return "" if known else f"it does not train {task.family}"

    def settings(self, task):
        return {**task.settings.get("", {}), **task.settings.get(self.name, {})}

    def grid(self, task):
        begun = self.settings(task)
        grid = {"step": [begun["step"] * x for x in (0.5, 1.0, 2.0)]}
        if "decay" in begun:
            grid["decay"] = sorted({round(1 - (1 - begun["decay"]) * x, 4) for x in (0.5, 1.0, 2.0)})
        if self.meeting:
            grid["meeting"] = list(self.meeting)
        # Other models have rows a batch in the task's options.
        if self.batch and task.family == "linear" and "--batch" not in task.options:
            grid["batch"] = list(self.batch)
        return grid

    def run(self, task, place, workers, settings, seed):
        try:
            data = task.data(place)
        except OSError as error:
            return Outcome([], error=str(error))
        between = place.lab and self.ranks
        arguments = [data["train"], *(word for part in ("test", "known") if part in data
                                      for word in (f"--{part}", data[part])), *task.options,
                     *(self.ranks if between else self.arguments), "--cache-dir", place.work / "cache", "--epochs",
                     task.epochs, "--seed", seed]
        if between:  # measured epochs after the target take minutes on slow networks
            arguments += ["--workers", 1, "--transport", "mpi",
                          "--target", f"{task.target.metric}={task.target.value!r}"]
        elif self.workers != (1,):
            arguments += ["--workers", workers]
        for key, value in settings.items():
            arguments += [OPTIONS[key], str(value)]
        return trial.train(place, arguments, metric=task.target.metric, timeout=LONGEST,
                           ranks=workers if between else 0,
                           judged=task.judged and (lambda saved: task.judged(task, place, saved)))


def no_device(_):
    return "" if shutil.which("nvidia-smi") else "there is no CUDA device (no program nvidia-smi)"


ALL_REDUCE, LOCAL_SGD = ["--engine", "all_reduce"], ["--engine", "local_sgd"]
SUMMED = ("linear", "softmax", "ratings", "machine", "images")  # families of the synchronous engines
ENGINES = {engine.name: engine for engine in (
    Engine("all_reduce", ALL_REDUCE, ranks=ALL_REDUCE, meeting=(16, 64, 256), batch=(1, 4, 16), families=SUMMED),
    Engine("device", ["--engine", "cuda"], workers=(1,), lacking=no_device,
           families=("linear", "softmax", "ratings", "machine", "words")),
    Engine("local_sgd", LOCAL_SGD, ranks=LOCAL_SGD, meeting=(256, 1024, 4096), families=SUMMED),
    Engine("processes", ["--engine", "processes"]),
    Engine("ring", ["--engine", "ring", "--replicas", "2"], ranks=["--engine", "ring"], least=2,
           families=("linear", "softmax", "ratings", "machine")),
    Engine("serial", ["--engine", "serial"], workers=(1,)),
    Engine("threads", ["--engine", "threads"]),
)}
