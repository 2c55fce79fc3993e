# SPDX-License-Identifier: Apache-2.0
"""The common part of other programs as contestants: their grids, and quality measured by hogwild's evaluator."""
import dataclasses
import functools
import json
import os
import pathlib
import shutil
import tempfile
from typing import Any, Callable, Mapping, Sequence

from suite import life, trial
from suite.terms import Outcome, Point, Unavailable

LONGEST = 300.0  # seconds of a run
NUMBERS = ("least_squares", "huber", "quantile", "poisson")  # models whose labels are numbers
USUAL = {"huber": ["option delta 1"], "quantile": ["option quantile 0.5"]}  # the defaults of hogwild train


@dataclasses.dataclass(frozen=True)
class Peer:
    """Another program as a contestant. `values`: knob to values in ascending order; the middle one is tried first.

    `train(task, place, workers, settings, seed)` returns an Outcome. `version(place)` raises Unavailable with the
    reason if the program is missing.
    """
    name: str
    version: Callable
    families: Sequence[str]
    train: Callable
    values: Mapping[str, Sequence[Any]]
    models: Sequence[str] = ()  # models of hogwild whose objective it minimises; empty: all of these families
    metrics: Sequence[str] = ()  # metrics by which it is measured; empty: all
    workers: Sequence[int] = (1,)
    test_file: bool = False  # it is measured on test rows in a separate file
    lacks: Sequence[str] = ()  # options of hogwild train that change the model and that it does not have

    def missing(self, place):
        try:
            self.version(place)
        except Unavailable as reason:
            return str(reason)
        return ""

    def refuses(self, task):
        if task.ours_alone:
            return task.ours_alone
        if task.family not in self.families:
            return f"it does not train {task.family or option(task, '--model')}"
        if self.metrics and task.target.metric not in self.metrics:
            return f"its {task.target.metric} is another one"
        if self.test_file and option(task, "--test"):
            return "the task's test rows are not in a file of their own"
        if unknown := [word for word in self.lacks if word in task.options]:
            return f"it does not know {unknown[0]}"
        model = option(task, "--model")
        return f"it does not train {model}" if self.models and model not in self.models else ""

    def settings(self, task):
        """The middle of each grid, replaced by better values that the task knows."""
        return {**{name: each[len(each) // 2] for name, each in self.values.items()}, **task.settings.get(self.name, {})}

    def grid(self, _):
        return self.values

    def run(self, task, place, workers, settings, seed):
        try:
            return self.train(task, place, workers, settings, seed)
        except (Unavailable, OSError, ValueError, KeyError, IndexError) as error:
            return Outcome([], error=f"{type(error).__name__}: {error}"[:300])


def option(task, name, other=None):
    """The word after an option of a task."""
    words = list(task.options)
    return words[words.index(name) + 1] if name in words else other


def finder(program, advice, variable=""):
    """A function that returns the path of the program, whose name `variable` of the environment may change."""
    def found():
        path = shutil.which(os.environ.get(variable, program))
        if not path:
            raise Unavailable(advice)
        return path
    return found


def sized(found):
    """For `version` of a Peer whose program prints none. `found`: as finder() returns it."""
    return lambda _: f"{pathlib.Path(found()).name} of {os.stat(found()).st_size} bytes"


def packaged(found, package):
    """For `version` of a Peer: that of a package of the system, or the program's name."""
    def version(_):
        path = found()
        asks = ["dpkg-query", "-W", "-f", "${Version}", package]
        return shutil.which("dpkg-query") and life.run(asks).stdout or pathlib.Path(path).name
    return version


def module(name, package):
    """For `version` of a Peer: that of a package of the Python that peers run under."""
    @functools.cache  # importing takes a second, and every task asks
    def found(python):
        """(version, why there is none)"""
        code = f"import {name}, importlib.metadata as m; print(m.version({package!r}))"
        try:
            told = life.run([python, "-c", code])
        except OSError as error:
            return None, f"{python} cannot be run: {error.strerror}"
        if told.returncode:
            return None, f"{python} has no {package}; name another with --python"
        return told.stdout.strip(), ""

    def version(place):
        told, reason = found(place.python)
        if told is None:
            raise Unavailable(reason)
        return told
    return version


def read_columns(path):
    """Weights from a file of lines "column weight ...": column to its numbers."""
    with open(path, encoding="ascii") as file:
        return {int(column): [float(w) for w in weights] for column, *weights in map(str.split, file)}


def evaluated(task, place, data, head, columns, named=False):
    """hogwild's evaluation of a model: a dictionary of measures on the task's rows. `head`: the lines of the saved
    model between the first one and `columns`; `columns`: column to the contents of its line: its name if they are
    `named`, and numbers."""
    with tempfile.NamedTemporaryFile("w", dir=place.work, suffix=".txt", encoding="utf-8") as file:
        file.write("\n".join(["hogwild model 1", *head, f"columns {len(columns)}{' named' * named}\n"]))
        file.writelines(f"{column} {' '.join(map(str, columns[column]))}\n" for column in sorted(columns))
        file.write("end\n")
        file.flush()
        return of_file(task, place, data, file.name)


def of_file(task, place, data, path, *more):
    """hogwild's evaluation of a saved model, as evaluated() returns it. `more`: further arguments."""
    rows = data["test" if task.target.metric.startswith("test_") else "train"]
    done = life.run([place.hogwild, "evaluate", path, rows, *more, "--json", "--quiet", "--cache-dir",
                     place.work / "cache"])
    if done.returncode != 0:
        raise Unavailable(f"its weights cannot be measured: {done.stderr.strip()[-200:]}")
    return json.loads(done.stdout)


def objective(task, place, data, weights):
    """The task's metric of a linear model with these weights, by column: a list with one, or one for each class."""
    model, width = option(task, "--model"), len(next(iter(weights.values()), [0]))
    labels = ("classes " + " ".join(map(str, range(1, width + 1))) if model == "softmax" else
              "real" if model in NUMBERS else "binary -1 1")
    told = evaluated(task, place, data, [f"model {model}", *USUAL.get(model, ()), f"labels {labels}", f"width {width}"],
                     {column: each for column, each in weights.items() if any(each)})
    return of_metric(task, told, weights)


def of_metric(task, told, columns):
    """The task's metric from the result of evaluated(); for the objective with l2 of all numbers of the columns."""
    if task.target.metric == "objective":
        return told["loss"] + 0.5 * float(option(task, "--l2", 0)) * sum(x * x for each in columns.values() for x in each)
    return told[task.target.metric.removeprefix("test_")]


def ran(command, timeout=LONGEST, **more):
    """A program that has ended, see trial.run; Unavailable with its output if it failed."""
    ended = trial.run(command, timeout=timeout, **more)
    if ended.late:
        raise Unavailable(f"it took longer than {timeout:g} s")
    if ended.code != 0:
        raise Unavailable(ended.err[-250:] or f"it ended with {ended.code}")
    return ended


def beyond(seconds, reading):
    """The time of a run less that of a run that only read; at least a millisecond, the accuracy of the difference."""
    return max(0.001, seconds - reading)


def by_counts(task, run, value, counts, none):
    """A separate run for each number of epochs, until the target is passed. `run(n + none)` trains n epochs, and
    `run(none)` only reads; `value()` measures the result of the last run."""
    reading, points, ended = run(none).seconds, [], None
    for n in (n for n in counts if n <= max(1, task.epochs)):
        ended = run(n + none)
        points.append(Point(beyond(ended.seconds, reading), n, value()))
        if task.target.passed(points[-1].value):
            break
    if not points:
        raise Unavailable("it told of no point")
    return outcome(points, ended, reading)


def outcome(points, ended, parse_seconds=None):
    """`ended`: the command, see ran(); `parse_seconds`: of reading, if they are known."""
    return Outcome(points, parse_seconds=parse_seconds, train_seconds=points[-1].seconds, total_seconds=ended.seconds,
                   cpu_seconds=ended.cpu_seconds, peak_bytes=ended.peak_bytes)


class Thinned:
    """Measures only lines 1, 2, 3, 4, 6, 8, 12, 16, 24, ... and the last, and all lines between the first of these that
    passes the target and the one before: measuring takes longer than many an epoch of a peer."""
    NUMBERS = frozenset({1} | {m << e for m in (2, 3) for e in range(30)})

    def __init__(self, measure, target):
        self.measure, self.target, self.points, self.waiting, self.count = measure, target, [], [], 0

    def passes(self, line, measured=False):
        """Takes a line; returns whether the target is passed, as far as was measured. `measured`: measuring costs
        nothing."""
        self.count += 1
        self.waiting.append(line)
        return (measured or self.count in self.NUMBERS) and self.newest_passes()

    def newest_passes(self):
        """Measures the last line, and if it passes, the waiting lines before it, too."""
        if not self.waiting:
            return False
        *before, last = self.waiting
        newest, self.waiting = self.measure(last), []
        arrived = self.target.passed(newest.value)
        self.points += [*map(self.measure, before if arrived else ()), newest]
        return arrived


def by_script(module, task, place, workers, settings, seed, data, timeout=LONGEST, measured=None):
    """Runs main() of a contestant's module under the Python of peers until it passes the target: it calls
    suite.point.tell() for each point, with its weights in a file that it names. The module imports what it trains with
    in main() alone, since the suite imports the module, too.

    Points have `seconds`, `epochs` and either `weights` (a file of "column weight", or of what `measured` turns into a
    number) or `value`; one may have `parse_seconds`.
    """
    asked = {"data": {k: str(v) for k, v in data.items()}, "options": list(task.options), "epochs": task.epochs,
             "workers": workers, "settings": dict(settings), "seed": seed, "work": str(place.work)}
    paths = filter(None, [str(pathlib.Path(__file__).parents[1]), os.environ.get("PYTHONPATH")])
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    measure = measured or (lambda path: objective(task, place, data, read_columns(path)))
    parsed = None

    def point(line):
        value = measure(line["weights"]) if "weights" in line else line.get("value")
        return Point(line["seconds"], line["epochs"], value)
    told = Thinned(point, task.target)

    def answer(text):
        nonlocal parsed
        if not text.startswith('{"seconds"'):
            return None
        line = json.loads(text)
        parsed = line.get("parse_seconds", parsed)
        return "enough" if told.passes(line, "value" in line) else "go on"
    ended = ran([place.python, "-m", "suite.script", module, json.dumps(asked)], timeout=timeout, answer=answer, env=env)
    told.newest_passes()
    if not told.points:
        raise Unavailable("it told of no point")
    return outcome(told.points, ended, parsed)


def script(name, version, families, values, timeout=LONGEST, **more):
    """A contestant whose own file trains by its main(), see by_script(); `more`: further fields of Peer."""
    def train(task, place, *run):
        return by_script(f"contestants.{name}", task, place, *run, task.data(place), timeout)
    return Peer(name, version, families, train, values, **more)
