# SPDX-License-Identifier: Apache-2.0
"""Vowpal Wabbit: online SGD from its own cache, for as many passes as asked.

Its l2 applies to each example as ours does, but also shrinks with its adaptive steps. So it gets a tuned fraction of
the task's l2, and its result is measured with all of it. Each number of passes is a separate run. Time includes reading
its cache, which it does while it trains; `parse_seconds` is the time of making the cache from text.
"""
import math
import pathlib
import time

from suite import point
from suite.peer import module, option, script

LOSSES = {"logistic": "logistic", "hinge_svm": "hinge", "least_squares": "squared"}


def convert(rows, target):
    """Rows of libsvm text as Vowpal Wabbit reads them; returns the highest column."""
    highest = 1
    with open(rows, encoding="ascii") as file, open(target, "w", encoding="ascii") as out:
        for label, *entries in (line.split() for line in file):
            out.write(f"{1 if float(label) > 0 else -1} | {' '.join(entries)}\n")
            highest = max(highest, int(entries[-1].split(":")[0]) if entries else 0)
    return highest


def weights_of(path):
    """Lines "column:weight" after the head, in which l2_state is a factor of all weights."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    scale = next((float(line.split()[1]) for line in lines if line.startswith("l2_state ")), 1.0)
    pairs = (line.partition(":") for line in lines)
    return {int(column): scale * float(w.split()[0]) for column, _, w in pairs if column.isdigit()}


def main(asked):
    from vowpalwabbit import Workspace
    work, settings = pathlib.Path(asked.work), asked.settings
    rows, cache, model = (work / f"vowpal_wabbit.{ending}" for ending in ("txt", "cache", "model"))
    bits = max(8, math.ceil(math.log2(convert(asked.data["train"], rows) + 1)))
    l2, loss = settings["l2"] * float(option(asked, "--l2")), LOSSES[option(asked, "--model")]
    told = (f"-d {rows} --cache_file {cache} --holdout_off --loss_function {loss} --l2 {l2} --noconstant -b {bits} "
            f"-l {settings['step']} --quiet --readable_model {model}")
    begin = time.perf_counter()
    Workspace(f"{told} -k --passes 1").finish()
    parsed = time.perf_counter() - begin
    for passes in (p for p in (1, 2, 4, 8, 16, 32) if p <= asked.epochs):
        begin = time.perf_counter()
        Workspace(f"{told} --passes {passes}").finish()
        seconds, path = time.perf_counter() - begin, work / f"vowpal_wabbit_{passes}.txt"
        path.write_text("".join(f"{j} {w!r}\n" for j, w in weights_of(model).items()), encoding="ascii")
        point.tell(seconds=seconds, epochs=passes, weights=str(path), parse_seconds=parsed)


contestant = script("vowpal_wabbit", module("vowpalwabbit", "vowpalwabbit"), ("linear",),
                    {"step": [0.02, 0.06, 0.2], "l2": [0.0, 0.1, 1.0]}, models=tuple(LOSSES))
