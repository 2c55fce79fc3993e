# SPDX-License-Identifier: Apache-2.0
"""A factorization machine on a9a."""
from suite import data
from suite.terms import Target, Task

suites = ("quick", "full")
task = Task("pairs", "machine", data.files(train="a9a.libsvm", test="a9a.t.libsvm"),
            ["--model", "factorization_machine", "--factors", "8", "--l2", "0.00001"],
            Target("objective", 0.306, True, "what a serial run has after 9 epochs, step 0.24, decay 0.9"),
            {"": {"step": 0.48, "decay": 0.8}, "threads": {"step": 0.24, "decay": 0.95},
             "processes": {"step": 0.24, "decay": 0.9}, "ring": {"step": 0.24, "decay": 0.9},
             "all_reduce": {"step": 0.5, "decay": 0.8, "meeting": 16},
             "local_sgd": {"step": 0.48, "decay": 0.9, "meeting": 64}},
            "hogwild bench --tune 10, two workers: best of ten trials of each, medians of three seeds, AMD EPYC, "
            "2026-11; on an edge: all_reduce", 25)
