# SPDX-License-Identifier: Apache-2.0
"""Logistic regression on reviews of films: real rows."""
from suite import data
from suite.terms import Target, Task

suites = ("quick", "full")
task = Task("imdb", "linear", data.files(train="imdb.train.libsvm", test="imdb.test.libsvm"),
            ["--model", "logistic", "--l2", "0.000001"],
            Target("objective", 0.127355, True, "optimum 0.126094 + 1 %, by LIBLINEAR"),
            {"": {"step": 4.0, "decay": 0.93},
             "all_reduce": {"step": 128.0, "decay": 0.9, "meeting": 16, "batch": 1},
             "local_sgd": {"step": 8.0, "decay": 0.95, "meeting": 16}},
            "hogwild bench --tune 10, two workers: best of ten trials of each, medians of three seeds, AMD EPYC, "
            "2026-11", 40)
