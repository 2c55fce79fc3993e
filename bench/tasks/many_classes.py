# SPDX-License-Identifier: Apache-2.0
"""A net with 5,000 classes, whose last layer is sampled."""
from suite import data, made
from suite.terms import Target, Task

suites = ()
task = Task("many_classes", "net", data.written("labels", lambda: made.labels(40000, 5000)),
            ["--model", "mlp", "--hidden", "64", "--optimizer", "adagrad"],
            Target("test_accuracy", 0.9, False, "what a serial run has after 3 epochs"),
            {"": {"step": 0.05}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 6)
