# SPDX-License-Identifier: Apache-2.0
"""Softmax regression: 20 classes of messages, 49,050 columns."""
from suite import data
from suite.terms import Target, Task

suites = ("full",)
task = Task("news20mc", "softmax", data.files(train="news20mc.train.libsvm", test="news20mc.test.libsvm"),
            ["--model", "softmax", "--l2", "0.000001"],
            Target("objective", 0.0759, True, "what a serial run has after 12 epochs, step 4, decay 0.9"),
            {"": {"step": 4.0, "decay": 0.9}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 25)
