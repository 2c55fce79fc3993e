# SPDX-License-Identifier: Apache-2.0
"""The task stars by `poisson`."""
from suite import data
from suite.terms import Target, Task

suites = ()
task = Task("stars_poisson", "linear", data.stars,
            ["--model", "poisson", "--l2", "0.0001"],
            Target("objective", -4.689752, True, "optimum -4.69915 + 0.2 %: 150 serial epochs, decay 0.96"),
            {"": {"step": 0.1, "decay": 0.8}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 20)
