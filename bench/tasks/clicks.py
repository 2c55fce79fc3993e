# SPDX-License-Identifier: Apache-2.0
"""A field-aware factorization machine on generated clicks."""
from suite import data, made
from suite.terms import Target, Task

suites = ()
task = Task("clicks", "machine", data.written("clicks", lambda: made.clicks(60000)),
            ["--model", "ffm"],
            Target("test_loss", 0.5645, True, "what libffm has after 4 epochs, step 0.2"),
            {"": {"step": 0.05, "decay": 0.9}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 12)
