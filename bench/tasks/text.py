# SPDX-License-Identifier: Apache-2.0
"""Logistic regression on generated rows in the shape of RCV1."""
from suite import data
from suite.terms import Target, Task

suites = ("quick", "full")
task = Task("text", "linear", data.generated("text", rows=100000, seed=1),
            ["--model", "logistic", "--l2", "0.000001"],
            Target("objective", 0.213126, True, "optimum 0.212489 + 0.3 %, by LIBLINEAR"),
            {"": {"step": 4.0, "decay": 0.8}, "all_reduce": {"step": 64.0, "decay": 0.9, "meeting": 16, "batch": 1},
             "local_sgd": {"step": 4.0, "decay": 0.9, "meeting": 16384}},
            "hogwild bench --tune 10, two workers: best of ten trials of each, medians of three seeds, AMD EPYC, "
            "2026-11", 25)
