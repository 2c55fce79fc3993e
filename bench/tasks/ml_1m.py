# SPDX-License-Identifier: Apache-2.0
"""Matrix factorisation of MovieLens 1M."""
from suite import data
from suite.terms import Target, Task

suites = ("full",)
task = Task("ml_1m", "ratings", data.files(train="ml-1m.ratings.tsv"),
            ["--test", "0.1", "--model", "matrix_factorization", "--factors", "32", "--l2", "0.05"],
            Target("test_rmse", 0.861, True, "what a serial run has after 15 epochs, step 0.03, decay 0.9"),
            {"": {"step": 0.03, "decay": 0.9}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 40)
