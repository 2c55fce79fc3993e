# SPDX-License-Identifier: Apache-2.0
"""Logistic regression on a9a: few columns, which all workers write all the time."""
from suite import data
from suite.terms import Target, Task

suites = ("quick", "full")
task = Task("adult", "linear", data.files(train="a9a.libsvm", test="a9a.t.libsvm"),
            ["--model", "logistic", "--l2", "0.00001"],
            Target("objective", 0.323256, True, "optimum 0.322933 + 0.1 %, by LIBLINEAR"),
            {"": {"step": 0.02, "decay": 0.9}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 30)
