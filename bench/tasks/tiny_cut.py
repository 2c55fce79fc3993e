# SPDX-License-Identifier: Apache-2.0
"""The cut of a generated grid graph with two classes: small enough for a test."""
from suite import data, made
from suite.terms import Target, Task

suites = ("tiny",)
task = Task("tiny_cut", "cut", data.written("tiny_cut", lambda: made.grid(40)), ["--model", "graph_cut"],
            Target("objective", 0.0565, True, "what a serial run has after 20 epochs"),
            {"": {"step": 0.05, "decay": 0.9}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 30)
