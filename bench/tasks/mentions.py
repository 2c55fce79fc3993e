# SPDX-License-Identifier: Apache-2.0
"""The cut of a graph of entities that are mentioned together, into four classes."""
from suite import data, made
from suite.terms import Target, Task

suites = ("full",)
task = Task("mentions", "cut", data.written("mentions", lambda: made.mentions(20000, 20000, 5)), ["--model", "graph_cut"],
            Target("objective", 0.105, True, "what a serial run has after about 11 epochs"),
            {"": {"step": 0.05, "decay": 0.9}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 30)
