# SPDX-License-Identifier: Apache-2.0
"""A factorization machine on the rows of the task text."""
from suite import data
from suite.terms import Target, Task

suites = ()
task = Task("text_pairs", "machine", data.generated("text", rows=100000, seed=1),
            ["--model", "factorization_machine", "--factors", "4"],
            Target("test_loss", 0.34, True, "what a serial run has after 2 epochs, step 0.4"),
            {"": {"step": 0.4, "decay": 0.9}, "xlearn_fm": {"step": 0.4}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 8)
