# SPDX-License-Identifier: Apache-2.0
"""The task stars by `quantile`."""
from suite import data
from suite.terms import Target, Task

suites = ()
task = Task("stars_quantile", "linear", data.stars,
            ["--model", "quantile", "--l2", "0.0001"],
            Target("objective", 1.040017, True, "optimum 1.034843 + 0.5 %: 150 serial epochs, decay 0.96"),
            {"": {"step": 0.25, "decay": 0.8}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 20)
