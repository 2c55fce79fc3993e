# SPDX-License-Identifier: Apache-2.0
"""Matrix factorisation of generated ratings of rank 3: small enough for a test."""
import random

from suite import data
from suite.terms import Target, Task

suites = ("tiny",)


def ratings():
    chance = random.Random(1)
    users, items = ([[chance.gauss(0, 0.7) for _ in range(3)] for _ in range(n)] for n in (300, 150))
    for u, of_user in enumerate(users, 1):
        for i in chance.sample(range(150), 40):
            value = 3 + sum(a * b for a, b in zip(of_user, items[i])) + chance.gauss(0, 0.3)
            yield "test" if chance.random() < 0.1 else "train", f"{u}\t{i + 1}\t{value:.3f}"


task = Task("tiny_ratings", "ratings", data.written("tiny_ratings", ratings),
            ["--model", "matrix_factorization", "--factors", "8"],
            Target("test_rmse", 0.385, True, "what a serial run has after 9 epochs; the noise alone is 0.3"),
            {"": {"step": 0.05, "decay": 0.95}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 25)
