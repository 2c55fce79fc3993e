# SPDX-License-Identifier: Apache-2.0
"""Softmax regression on generated rows of five classes, hardly regularised."""
from suite import data
from suite.terms import Target, Task
from tasks import tiny_classes

suites = ("quick",)
task = Task("classes", "softmax", data.written("classes", tiny_classes.rows), ["--model", "softmax", "--l2", "0.00001"],
            Target("objective", 0.348122, True, "optimum 0.347774 + 0.1 %: 300 serial epochs, step 1, decay 0.98"),
            {"": {"step": 2.0, "decay": 0.8}, "all_reduce": {"step": 64.0, "decay": 0.8, "meeting": 16},
             "local_sgd": {"step": 4.0, "decay": 0.8, "meeting": 256}},
            "hogwild bench --tune 10, two workers: best of ten trials of each, medians of three seeds, AMD EPYC, "
            "2026-11", 30)
