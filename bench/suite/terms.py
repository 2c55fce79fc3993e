# SPDX-License-Identifier: Apache-2.0
"""The terms of the bench suite: a task, a contestant, a setting, and the outcome of one run."""
from __future__ import annotations  # peers import this under their own Python, which may be older

import dataclasses
import pathlib
from typing import Any, Callable, Mapping, Protocol, Sequence


class Unavailable(Exception):
    """Why something cannot be measured here: missing data, a program that is not installed."""


@dataclasses.dataclass(frozen=True)
class Target:
    """The value that a run has to reach, and its source.

    `value` is passed from above if less is better (a loss), from below otherwise. `found` says how the number was
    found: "optimum 0.22412 + 1 %, by L-BFGS", or who names that accuracy.
    """
    metric: str  # a figure of an epoch line of a run record: objective, test_rmse, test_accuracy
    value: float
    less_is_better: bool
    found: str

    def passed(self, value: float | None) -> bool:
        return value is not None and (value <= self.value if self.less_is_better else value >= self.value)


@dataclasses.dataclass(frozen=True)
class Task:
    """Data, model, metric, target and tuned settings: an entry of bench/tasks.py, or a user's rows."""
    name: str
    family: str  # a name of suite/own.py: MODELS, or net; empty: for a model of its own
    data: Callable[["Place"], Mapping[str, pathlib.Path]]  # "train", "test"; raises Unavailable
    options: Sequence[str]  # of hogwild train, the same for every engine: model, l2, test rows
    target: Target
    settings: Mapping[str, Mapping[str, Any]]  # tuned, by contestant; "" for others
    found: str  # how the settings were found: the call and the machine
    epochs: int  # the most that a run may take
    ours_alone: str = ""  # why other programs cannot train the same; empty: they can
    suites: Sequence[str] = ()  # tiny, quick, full: those that it belongs to
    judged: Callable[["Task", "Place", pathlib.Path], float] | None = None  # the metric of saved vectors, measured once
    # at the end of a run, where epoch lines do not have it


@dataclasses.dataclass(frozen=True)
class Place:
    """A place to measure: programs, data, and a folder for files that a call makes."""
    hogwild: pathlib.Path
    data: pathlib.Path | None  # folder of the real data sets
    work: pathlib.Path
    python: str  # under which peers written in Python run
    name: str = "here"  # as in records
    lab: Any = None  # machines on a slow network (bench/network/lab.py); each has one rank

    def refuses(self, contestant: "Contestant") -> str:
        """Why the contestant does not train here, whatever the task; empty if it does."""
        alone = contestant.name != "serial" and not getattr(contestant, "ranks", ())
        return "it does not train between machines" if self.lab and alone else ""

    def least(self, contestant: "Contestant") -> int:
        """The fewest workers that it needs here."""
        return max(getattr(contestant, "least", 1), 2 if self.lab and contestant.name != "serial" else 1)


@dataclasses.dataclass(frozen=True)
class Point:
    """One measurement during a run. Seconds of training, without the measuring."""
    seconds: float
    epochs: float
    value: float | None


@dataclasses.dataclass
class Outcome:
    """One run of one contestant. Unknown values are None. Sizes in bytes, times in seconds."""
    points: list[Point]
    parse_seconds: float | None = None
    train_seconds: float | None = None
    total_seconds: float | None = None  # of the whole command
    cpu_seconds: float | None = None
    peak_bytes: int | None = None
    rows: int | None = None  # of the training data
    examples: int | None = None  # rows that were trained on, counted with repetition
    nonzeros: int | None = None
    bytes_exchanged: int | None = None
    exchange: Mapping | None = None  # a run record's report on the link, the ring or the meetings
    staleness: float | None = None  # median, in rows
    conflict_rate: float | None = None
    error: str = ""  # why there is nothing to measure


class Contestant(Protocol):
    """An engine, or the object `contestant` of a file in bench/contestants (at most 60 lines)."""
    name: str
    workers: Sequence[int]  # how many it can have; empty: any number

    def missing(self, place: Place) -> str:
        """Why it cannot run here; empty if it can."""

    def refuses(self, task: Task) -> str:
        """Why it does not take this task; empty if it does."""

    def grid(self, task: Task) -> Mapping[str, Sequence[Any]]:
        """The settings to tune, each with its first values to try, in ascending order."""

    def run(self, task: Task, place: Place, workers: int, settings: Mapping[str, Any], seed: int) -> Outcome:
        """One run, measured by hogwild's own evaluator."""
