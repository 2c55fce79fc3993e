# SPDX-License-Identifier: Apache-2.0
"""Linear regression of the stars that reviews of films give."""
from suite import data
from suite.terms import Target, Task

suites = ()
task = Task("stars", "linear", data.stars,
            ["--model", "least_squares", "--l2", "0.0001"],
            Target("objective", 2.286518, True, "optimum 2.263879 + 1 %: 150 serial epochs, decay 0.96"),
            {"": {"step": 0.25, "decay": 0.8}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 20)
