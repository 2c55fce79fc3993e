# SPDX-License-Identifier: Apache-2.0
"""The task stars by `huber`."""
from suite import data
from suite.terms import Target, Task

suites = ()
task = Task("stars_huber", "linear", data.stars,
            ["--model", "huber", "--l2", "0.0001"],
            Target("objective", 1.456151, True, "optimum 1.448906 + 0.5 %: 150 serial epochs, decay 0.96"),
            {"": {"step": 0.25, "decay": 0.8}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 20)
