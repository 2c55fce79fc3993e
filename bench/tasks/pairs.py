# SPDX-License-Identifier: Apache-2.0
"""A factorization machine on a9a."""
from suite import data
from suite.terms import Target, Task

suites = ("quick", "full")
task = Task("pairs", "machine", data.files(train="a9a.libsvm", test="a9a.t.libsvm"),
            ["--model", "factorization_machine", "--factors", "8", "--l2", "0.00001"],
            Target("objective", 0.306, True, "what a serial run has after 9 epochs, step 0.24, decay 0.9"),
            {"": {"step": 0.24, "decay": 0.9}, "local_sgd": {"step": 0.24, "decay": 0.9, "meeting": 256},
             "all_reduce": {"step": 0.25, "decay": 0.9, "meeting": 16}},
            "chosen so that a serial run takes about eight measurements or more; local_sgd and all_reduce: best of 5 "
            "tried, by median seconds of three seeds, two workers, CPUs not idle, 2026-11; on an edge: meeting, step", 25)
