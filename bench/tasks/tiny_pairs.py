# SPDX-License-Identifier: Apache-2.0
"""A factorization machine on generated rows whose labels depend on pairs of columns: small enough for a test."""
import random

from suite import data
from suite.terms import Target, Task

suites = ("tiny",)


def rows():
    chance = random.Random(1)
    factors = [[chance.gauss(0, 0.6) for _ in range(4)] for _ in range(200)]
    for _ in range(6000):
        row = sorted(chance.sample(range(200), 10))
        sums = [sum(factors[j][k] for j in row) for k in range(4)]
        score = sum(s * s for s in sums) / 2 - sum(x * x for j in row for x in factors[j]) / 2 + chance.gauss(0, 0.5)
        yield "train", ("+1 " if score > 0 else "-1 ") + " ".join(f"{j + 1}:1" for j in row)


task = Task("tiny_pairs", "machine", data.written("tiny_pairs", rows),
            ["--model", "factorization_machine", "--factors", "4"],
            Target("objective", 0.21, True, "what a serial run has after 11 epochs"),
            {"": {"step": 0.05, "decay": 0.95}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 25)
