# SPDX-License-Identifier: Apache-2.0
"""A support vector machine on reviews of films: real rows, and a loss with a corner."""
from suite import data
from suite.terms import Target, Task

suites = ("full",)
task = Task("svm", "linear", data.files(train="imdb.train.libsvm", test="imdb.test.libsvm"),
            ["--model", "hinge_svm", "--l2", "0.0001"],
            Target("objective", 0.344026, True, "optimum 0.34062 + 1 %, by LIBLINEAR"),
            {"": {"step": 0.5, "decay": 0.85}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 40)
