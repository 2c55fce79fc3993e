# SPDX-License-Identifier: Apache-2.0
"""Runs of one paper: its data at a scale, its configurations in turns, and the resulting figures and curves."""
import dataclasses
import json
import math
import statistics
from typing import Sequence

from suite import data, figures, life, lines, made, quality, trial
from suite.terms import Target, Unavailable


@dataclasses.dataclass(frozen=True)
class Configuration:
    """One line of a paper's figure; `arguments` of hogwild train without data and model."""
    name: str
    workers: int
    arguments: Sequence[str]


class Experiment:
    """Figures by name, and curves: panel to line to (x, y) pairs, which `draw` takes."""

    def __init__(self, place, scale, record, machine):
        self.place, self.scale, self.record, self.machine = place, scale, record, machine
        self.cpus = machine["usable_cpus"]
        self.figures, self.curves, self.about = {}, {}, []

    def at(self, tiny, small, paper):
        return {"tiny": tiny, "small": small, "paper": paper}[self.scale]

    def tell(self, sentence):
        """Adds what a reader has to know about the data or the protocol."""
        self.about.append(sentence)

    def skip(self, task, reason):
        self.record.put("skipped", task=task, contestant=None, reason=str(reason))

    def point(self, panel, line, x, y):
        self.curves.setdefault(panel, {}).setdefault(line, []).append((x, y))

    def predict(self, panel, line, data, options, cpus):
        """Draws what `hogwild advise` predicts for threads on more CPUs than this machine has, if there are
        predictions."""
        if cpus <= self.cpus:
            return
        told = json.loads(self.output([self.place.hogwild, "advise", data, *options, "--json", "--cpus", cpus,
                                       "--cache-dir", self.place.work]))
        for run in told["runs"]:
            if run["engine"] == "threads" and run.get("predicted_by") == "extrapolation":
                self.point(panel, f"{line}, predicted", run["workers"], run["speed_up"])
        self.tell(f"{panel} beyond {self.cpus} threads is predicted (hogwild advise), not measured; no verdict uses it")

    def real(self, name):
        return data.real(self.place, name)

    def text(self, rows):
        """Generated rows of text in the shape of RCV1, a tenth of them for testing."""
        self.tell(f"{rows} generated rows in the shape of RCV1 (hogwild generate, seed 1)")
        return data.generated(f"text_{rows}", rows=rows, seed=1)(self.place)["train"]

    def ratings(self, users, items, each, name):
        """Generated ratings of rank 3 with noise, seed 1: a substitute for sets that are not available."""
        path = self.place.work / f"{name}.tsv"
        with open(path, "w", encoding="ascii") as file:
            file.writelines(f"{line}\n" for _, line in made.ratings(users, items, each, test=False))
        self.tell(f"{name}: {users * each} generated ratings of rank 3 with noise 0.3, {users} x {items}, seed 1")
        return path

    def output(self, command, timeout=600):
        done = life.run(command, timeout=timeout)
        if done.returncode != 0:
            raise Unavailable(done.stderr.strip()[-300:] or f"it ended with {done.returncode}")
        return done.stdout

    def run(self, task, data, common, configurations, *, seeds=3, metric="objective", less=True, target=None,
            of_first=0.01, judged=None):
        """Trains every configuration with every seed, in turns; {name: outcomes}, without those that ended in error.
        `judged`: measures the metric of saved vectors, see trial.train().

        The target is the given value, or the median of the first configuration's last values plus `of_first` of it.
        """
        made = []
        for turn in range(seeds):
            for c in configurations[turn % len(configurations):] + configurations[:turn % len(configurations)]:
                arguments = [str(data), *common, "--seed", str(turn + 1), "--cache-dir", str(self.place.work),
                             *c.arguments]
                if c.workers > 1 or "--engine" not in c.arguments:
                    arguments += ["--workers", str(c.workers)]
                made.append((c, turn, trial.train(self.place, arguments, metric=metric, timeout=600,
                                                  judged=judged)))
        good = {c.name: [o for d, _, o in made if d is c and not o.error] for c in configurations}
        if target is None and good[configurations[0].name]:
            first = statistics.median(o.points[-1].value for o in good[configurations[0].name])
            target = first * (1 + of_first if less else 1 - of_first)
        found = Target(metric, target if target is not None else 0.0, less,
                       f"the last of {configurations[0].name}, {of_first:.0%} off" if of_first else "of the paper")
        for c, turn, o in made:
            self.put_run(task, c, turn, o, found)
        for name, outcomes in good.items():
            if not outcomes:
                self.skip(f"{task}: {name}", next(o.error for c, _, o in made if c.name == name))
                continue
            for p in outcomes[0].points:
                if p.value is not None:
                    self.point(f"{task}: {metric} over epochs", name, p.epochs, p.value)
        return Runs(good, found, seeds)

    def put_run(self, task, c, turn, o, target):
        who = {"task": task, "contestant": c.name, "workers": c.workers, "place": "here"}
        state = "failed" if o.error else "measured" if quality.to_target(o.points, target) else "short"
        reason = o.error or ("" if state == "measured" else "it did not reach the target")
        settings = {"arguments": " ".join(c.arguments)}
        self.record.put("run", **lines.of_outcome(who, settings, turn, None, o, target, state, reason))


class Runs:
    """Medians over the seeds of each configuration, Figures; None if there is none."""

    def __init__(self, outcomes, target, seeds):
        self.outcomes, self.target, self.seeds = outcomes, target, seeds

    def _median(self, name, figure):
        values = [figure(o) for o in self.outcomes.get(name, [])]
        return figures.over(values) if values and None not in values else None

    def complete(self, name):
        """Whether every seed ran to its end, so that not reaching the target means something."""
        return len(self.outcomes.get(name, [])) == self.seeds

    def last(self, name):
        return self._median(name, lambda o: o.points[-1].value)

    def epoch_seconds(self, name):
        return self._median(name, lambda o: o.points[-1].seconds / o.points[-1].epochs)

    def bytes(self, name):
        return self._median(name, lambda o: o.bytes_exchanged)

    def to_target(self, name, of):
        """Seconds (`of` = 0) or epochs (1) to the target; None if not every seed reached it."""
        return self._median(name, lambda o: (quality.to_target(o.points, self.target) or (None, None))[of])

    def epochs_at_least(self, name):
        """Epochs to the target. Runs that did not reach it need more than they had: a bound if the median is one of
        them. None if not every seed ran to its end."""
        if not self.complete(name):
            return None
        reached = [quality.to_target(o.points, self.target) for o in self.outcomes[name]]
        epochs = [r[1] if r else o.points[-1].epochs for r, o in zip(reached, self.outcomes[name])]
        late = 2 * reached.count(None) >= len(reached)
        return figures.Figure(statistics.median(epochs), min(epochs), math.inf if None in reached else max(epochs),
                              "at least" if late else "")
