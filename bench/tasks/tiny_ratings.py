# SPDX-License-Identifier: Apache-2.0
"""Matrix factorisation of generated ratings of rank 3: small enough for a test."""
from suite import data, made
from suite.terms import Target, Task

suites = ("tiny",)
task = Task("tiny_ratings", "ratings", data.written("tiny_ratings", lambda: made.ratings(300, 150, 40)),
            ["--model", "matrix_factorization", "--factors", "8"],
            Target("test_rmse", 0.385, True, "what a serial run has after 9 epochs; the noise alone is 0.3"),
            {"": {"step": 0.05, "decay": 0.95}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 25)
