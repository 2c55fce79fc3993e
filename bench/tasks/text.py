# SPDX-License-Identifier: Apache-2.0
"""Logistic regression on generated rows in the shape of RCV1."""
from suite import data
from suite.terms import Target, Task

suites = ("quick",)
task = Task("text", "linear", data.generated("text", rows=200000, seed=1), ["--model", "logistic", "--l2", "0.0001"],
            Target("objective", 0.615872, True, "optimum 0.609774 + 1 %: 120 serial epochs, step 1 and 4, decay 0.93"),
            {"": {"step": 1.0, "decay": 0.85}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 25)
