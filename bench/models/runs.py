# SPDX-License-Identifier: Apache-2.0
"""What takes part in a measurement, and runs of hogwild."""
import dataclasses
import json
import lzma
import pathlib
import shutil
import statistics
import subprocess
import time
from typing import Callable


class NoData(Exception):
    """Why a task cannot be measured here."""


@dataclasses.dataclass(frozen=True)
class Contestant:
    name: str
    workers: int
    run: Callable[[], dict]  # figures by name; None where one is not known
    missing: str = ""  # why it cannot run here
    most_runs: int = 1_000_000


@dataclasses.dataclass(frozen=True)
class Task:
    name: str
    settings: str
    quality: str  # the figure that has to be good enough for any other to count
    band: str
    good_enough: Callable[[dict], bool]
    contestants: list
    ratios: list  # (name, contestant above, contestant below, figure)


def found(program):
    """Why there is no such program; an empty text where there is one."""
    if not program:
        return "its program was not named"
    return "" if shutil.which(program) else f"there is no program {pathlib.Path(program).name}"


def unpacked(data, name, folder):
    """A data file without its compression."""
    for ending in ("", ".xz"):
        source = pathlib.Path(data or ".") / (name + ending)
        if data and source.exists():
            if not ending:
                return source
            target = folder / name
            with lzma.open(source) as packed, open(target, "wb") as file:
                shutil.copyfileobj(packed, file)
            return target
    raise NoData(f"{name} is not there; name its folder with --data")


def output_of(command, folder, longest=3600.0):
    """(seconds, output) of a command that ends well."""
    begin = time.monotonic()
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False,
                          timeout=longest)
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        raise NoData(f"{pathlib.Path(str(command[0])).name} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return seconds, done.stdout + done.stderr


@dataclasses.dataclass(frozen=True)
class Hogwild:
    """A training run that is told twice: by its record, and by the clock on the wall."""
    program: pathlib.Path
    folder: pathlib.Path
    arguments: list
    per: str = "examples"  # what a rate counts
    target: tuple = ()  # a test figure and the value from which on it is reached

    def __call__(self):
        record = self.folder / "run.jsonl"
        seconds, _ = output_of([self.program, "train", *self.arguments, "--quiet", "--record", record], self.folder)
        lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
        epochs = [line for line in lines if line["kind"] == "epoch"]
        before = [{"train_seconds": 0.0, self.per: 0}, *epochs]
        # The first epoch touches pages for the first time; where there are others, they say how fast it is.
        each = [(e[self.per] - b[self.per]) / (e["train_seconds"] - b["train_seconds"])
                for b, e in zip(before, epochs)]
        figures = {"rate": statistics.median(each[1:] or each), "command_seconds": seconds,
                   "train_seconds": epochs[-1]["train_seconds"]}
        figures |= {k: v for k, v in epochs[-1].items() if k in ("test_rmse", "test_accuracy", "train_loss")}
        if self.target:
            key, value = self.target
            reached = [e for e in epochs if e.get(key, value - 1) >= value]
            figures["seconds_to_target"] = reached[0]["train_seconds"] if reached else None
        return figures


def context(hogwild, work):
    """Version, compiler and machine, as a run's own record tells them."""
    rows, record = pathlib.Path(work) / "context.svm", pathlib.Path(work) / "context.jsonl"
    rows.write_text("1 1:1\n-1 2:1\n", encoding="ascii")
    output_of([hogwild, "train", rows, "--no-cache", "--epochs", "1", "--step", "0.1", "--quiet", "--record", record],
              work)
    told = json.loads(record.read_text(encoding="utf-8").splitlines()[0])
    return {k: told[k] for k in ("version", "commit", "build_type", "compiler", "machine")}
