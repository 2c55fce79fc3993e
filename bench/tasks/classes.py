# SPDX-License-Identifier: Apache-2.0
"""Softmax regression on generated rows of five classes, hardly regularised."""
from suite import data
from suite.terms import Target, Task
from tasks import tiny_classes

suites = ("quick",)
task = Task("classes", "softmax", data.written("classes", tiny_classes.rows), ["--model", "softmax", "--l2", "0.00001"],
            Target("objective", 0.348122, True, "optimum 0.347774 + 0.1 %: 300 serial epochs, step 1, decay 0.98"),
            {"": {"step": 1.0, "decay": 0.9}, "all_reduce": {"step": 32.0, "decay": 0.9, "meeting": 16},
             "local_sgd": {"step": 2.0, "decay": 0.9, "meeting": 256}},
            "chosen so that a serial run takes about eight measurements or more; all_reduce: best of 5 tried, by "
            "median seconds of three seeds, two workers, CPUs not idle, 2026-11, meeting on an edge; local_sgd: of 3", 30)
