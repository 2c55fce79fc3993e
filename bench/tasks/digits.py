# SPDX-License-Identifier: Apache-2.0
"""A net with one hidden layer on images of digits."""
from suite import data
from suite.terms import Target, Task

suites = ()
task = Task("digits", "net", data.images(20000, 10000),
            ["--model", "mlp", "--hidden", "128", "--batch", "32"],
            Target("test_accuracy", 0.965, False, "9,650 of 10,000 test images right"),
            {"": {"step": 0.01}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 20)
