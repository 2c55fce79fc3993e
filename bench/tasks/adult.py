# SPDX-License-Identifier: Apache-2.0
"""Logistic regression on a9a: few columns, which all workers write all the time."""
from suite import data
from suite.terms import Target, Task

suites = ("quick", "full")
task = Task("adult", "linear", data.files(train="a9a.libsvm", test="a9a.t.libsvm"),
            ["--model", "logistic", "--l2", "0.00001"],
            Target("objective", 0.323256, True, "optimum 0.322933 + 0.1 %, by LIBLINEAR"),
            {"": {"step": 0.08, "decay": 0.7}, "all_reduce": {"step": 2.56, "decay": 0.6, "meeting": 16, "batch": 4},
             "local_sgd": {"step": 0.16, "decay": 0.7, "meeting": 1024}},
            "hogwild bench --tune 10, two workers: best of ten trials of each, medians of three seeds, AMD EPYC, "
            "2026-11; on an edge: local_sgd", 30)
