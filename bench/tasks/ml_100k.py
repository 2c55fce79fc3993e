# SPDX-License-Identifier: Apache-2.0
"""Matrix factorisation of MovieLens 100K."""
from suite import data
from suite.terms import Target, Task

suites = ("quick", "full")
task = Task("ml_100k", "ratings", data.files(train="ml-100k.u.data"),
            ["--test", "0.1", "--model", "matrix_factorization", "--factors", "16", "--l2", "0.08"],
            Target("test_rmse", 0.915, True, "what a serial run has after 17 epochs, step 0.06, decay 0.9"),
            {"": {"step": 0.06, "decay": 0.95}, "ring": {"step": 0.12, "decay": 0.8},
             "all_reduce": {"step": 2.0, "decay": 0.95, "meeting": 16},
             "local_sgd": {"step": 0.24, "decay": 0.8, "meeting": 4096}},
            "hogwild bench --tune 10, two workers: best of ten trials of each, medians of three seeds, AMD EPYC, "
            "2026-11; on an edge: local_sgd", 30)
