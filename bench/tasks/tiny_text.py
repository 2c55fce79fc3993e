# SPDX-License-Identifier: Apache-2.0
"""Logistic regression on generated rows of text: small enough for a test."""
from suite import data
from suite.terms import Target, Task

suites = ("tiny",)
task = Task("tiny_text", "linear", data.generated("tiny_text", rows=20000, columns=2000, nonzeros=30, seed=1),
            ["--model", "logistic", "--l2", "0.001"],
            Target("objective", 0.59729, True, "optimum 0.591376 + 1 %: 200 serial epochs, step 2 and 8, decay 0.95"),
            {"": {"step": 0.5, "decay": 0.9}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 30)
