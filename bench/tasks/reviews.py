# SPDX-License-Identifier: Apache-2.0
"""A net with one hidden layer on sparse rows: reviews of films."""
from suite import data
from suite.terms import Target, Task

suites = ()
task = Task("reviews", "net", data.files(train="imdb.train.libsvm", test="imdb.test.libsvm"),
            ["--model", "mlp", "--hidden", "128", "--optimizer", "adagrad"],
            Target("test_accuracy", 0.885, False, "what a serial run has after an epoch, less 0.004"),
            {"": {"step": 0.05}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 4)
