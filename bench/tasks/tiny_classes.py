# SPDX-License-Identifier: Apache-2.0
"""Softmax regression on generated rows of five classes: small enough for a test."""
import random

from suite import data
from suite.terms import Target, Task

suites = ("tiny",)


def rows():
    chance = random.Random(1)
    planes = [[chance.gauss(0, 1) for _ in range(200)] for _ in range(5)]
    for _ in range(6000):
        row = [(j, chance.gauss(0, 1) / 4) for j in sorted(chance.sample(range(200), 15))]
        scores = [2 * sum(plane[j] * x for j, x in row) + chance.gauss(0, 0.3) for plane in planes]
        entries = " ".join(f"{j + 1}:{x:.4f}" for j, x in row)
        yield "train", f"{max(range(5), key=scores.__getitem__) + 1} {entries}"


task = Task("tiny_classes", "softmax", data.written("tiny_classes", rows), ["--model", "softmax", "--l2", "0.001"],
            Target("objective", 1.2085, True, "optimum 1.19653 + 1 %: 200 serial epochs, step 1 and 2, decay 0.95"),
            {"": {"step": 0.7, "decay": 0.9}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 30)
