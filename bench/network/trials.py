# SPDX-License-Identifier: Apache-2.0
"""Runs of hogwild: on one machine, and on the machines of a lab."""
import concurrent.futures
import dataclasses
import json
import subprocess

import lab

# How far an objective may lie above the serial reference's for a run to count.
BAND = 0.01


@dataclasses.dataclass(frozen=True)
class Way:
    """How an engine is told to train."""
    engine: str
    step: float
    decay: float
    rows: int | None = None  # between two meetings

    def arguments(self):
        more = [] if self.rows is None else ["--sync-rows", str(self.rows)]
        return ["--engine", self.engine, "--step", f"{self.step:g}", "--decay", f"{self.decay:g}", *more]


@dataclasses.dataclass(frozen=True)
class Trial:
    """A set on this machine, and how its runs are started."""
    which: object  # of sets.py
    hogwild: str
    file: str
    work: str
    longest: float = 300.0  # seconds that a run may take

    def arguments(self, way, epochs, target):
        l2 = [] if self.which.l2 is None else ["--l2", f"{self.which.l2:g}"]
        goal = [] if target is None else ["--target", f"objective={target:.9g}"]
        return ["train", str(self.file), "--cache-dir", f"{self.work}/cache", "--model", self.which.model, *l2,
                *way.arguments(), "--epochs", str(epochs), *goal, "--json", "--quiet"]

    def alone(self, way, epochs, target=None, more=()):
        """On this machine, without MPI."""
        done = subprocess.run([self.hogwild, *self.arguments(way, epochs, target), *more], capture_output=True,
                              text=True, check=False, timeout=self.longest)
        return parsed(done.returncode, done.stdout, done.stderr)

    def on(self, machines, way, epochs, target=None):
        """One worker on each machine of the lab."""
        program = [self.hogwild, *self.arguments(way, epochs, target), "--workers", "1", "--transport", "mpi"]
        return parsed(*lab.finish(machines.mpirun(*program), machines.environment(), self.longest))

    def side_by_side(self, machines, way, epochs):
        """The same run on every machine, each for itself, at the same time; one result each."""
        program = [str(word) for word in [self.hogwild, *self.arguments(way, epochs, None), "--workers", "1"]]

        def on_one(i):
            return parsed(*lab.finish(machines.command(i, *program), machines.environment(), self.longest))

        with concurrent.futures.ThreadPoolExecutor(machines.count) as all_of_them:
            return list(all_of_them.map(on_one, range(machines.count)))


def parsed(code, out, err):
    """What a run says of itself; `error` in place of that where it says nothing."""
    if code is None:
        return {"error": err}
    for line in out.splitlines():
        if line.startswith("{"):
            try:
                return json.loads(line)
            except json.JSONDecodeError:
                break
    return {"error": (err.strip().splitlines() or [f"ended with {code}"])[0]}


def assessed(result, reference):
    """Whether a run counts, and why not."""
    if "error" in result:
        return "broken", result["error"]
    if result["objective"] is None:  # JSON has no word for what is not finite
        return "failed", "the objective is not finite"
    if not result["objective"] <= reference * (1 + BAND):
        gap = 100 * (result["objective"] / reference - 1)
        return "failed", f"objective {gap:.2f} % above the serial reference after {result['epochs']} epochs"
    return "measured", None
