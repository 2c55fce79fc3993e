# SPDX-License-Identifier: Apache-2.0
"""Matrix factorisation of ratings of films, with a published test part."""
from suite import data
from suite.terms import Target, Task

suites = ()
task = Task("douban", "ratings", data.files(train="douban-3k.train.tsv", test="douban-3k.test.tsv"),
            ["--model", "matrix_factorization", "--factors", "16", "--l2", "0.05"],
            Target("test_rmse", 0.737, True, "what a serial run has after 3 epochs, step 0.03, decay 0.92"),
            {"": {"step": 0.03, "decay": 0.92}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 20)
