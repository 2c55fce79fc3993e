# SPDX-License-Identifier: Apache-2.0
"""The cut of a generated grid graph with two classes: small enough for a test."""
import random

from suite import data
from suite.terms import Target, Task

suites = ("tiny",)
SIDE = 40


def graph():
    chance = random.Random(1)
    nodes = [(x, y) for x in range(SIDE) for y in range(SIDE)]
    edges = [(x * SIDE + y, x2 * SIDE + y2) for x, y in nodes for x2, y2 in ((x + 1, y), (x, y + 1))
             if x2 < SIDE and y2 < SIDE and chance.random() < 0.9]
    yield "train", f"{len(nodes)} {len(edges)} 2"
    for x, y in nodes:
        yield "train", f"v {x * SIDE + y} {int(x + y + chance.gauss(0, 4) > SIDE)}"
    for a, b in edges:
        yield "train", f"e {a} {b}"


task = Task("tiny_cut", "cut", data.written("tiny_cut", graph), ["--model", "graph_cut"],
            Target("objective", 0.0565, True, "what a serial run has after 15 epochs"),
            {"": {"step": 0.05, "decay": 0.9}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 30)
