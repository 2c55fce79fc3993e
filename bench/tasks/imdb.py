# SPDX-License-Identifier: Apache-2.0
"""Logistic regression on reviews of films: real rows. One per cent above the optimum is reached in few epochs, so
the target is nearer."""
from suite import data
from suite.terms import Target, Task

suites = ("quick",)
task = Task("imdb", "linear", data.files(train="imdb.train.libsvm", test="imdb.test.libsvm"),
            ["--model", "logistic", "--l2", "0.0001"],
            Target("objective", 0.408356, True,
                   "optimum 0.408152 + 0.05 %: 120 serial epochs, step 1 and 4, decay 0.93"),
            {"": {"step": 0.5, "decay": 0.85}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 25)
