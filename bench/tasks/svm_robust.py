# SPDX-License-Identifier: Apache-2.0
"""A linear classifier on which wrong labels have less effect, on reviews of films."""
from suite import data
from suite.terms import Target, Task

suites = ()
task = Task("svm_robust", "linear", data.files(train="imdb.train.libsvm", test="imdb.test.libsvm"),
            ["--model", "modified_huber", "--l2", "0.0001"],
            Target("objective", 0.305326, True, "optimum 0.302303 + 1 %: 200 serial epochs, step 0.3, decay 0.95"),
            {"": {"step": 0.25, "decay": 0.75}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 20)
