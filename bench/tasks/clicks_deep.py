# SPDX-License-Identifier: Apache-2.0
"""A deep factorization machine on the rows of the task clicks."""
from suite import data, made
from suite.terms import Target, Task

suites = ()
task = Task("clicks_deep", "machine", data.written("clicks", lambda: made.clicks(60000)),
            ["--model", "deepfm", "--factors", "8", "--hidden", "64,32"],
            Target("test_loss", 0.604, True, "what a serial run has after 2 epochs"),
            {"": {"step": 0.02, "decay": 0.9}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 12)
