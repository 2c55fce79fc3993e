# SPDX-License-Identifier: Apache-2.0
"""The cut between foreground and background of a picture (Tsukuba), 110,594 nodes."""
from suite import data
from suite.terms import Target, Task

suites = ("quick", "full")
task = Task("cut", "cut", data.files(train="tsukuba-fgbg.max"),
            ["--model", "graph_cut"],
            Target("test_cut", 140000, True, "2.7 times the least cut, 52,393 (exact): what a serial run has after 25 epochs"),
            {"": {"step": 0.2, "decay": 0.95}, "threads": {"step": 0.1, "decay": 0.975},
             "processes": {"step": 0.05, "decay": 0.9}},
            "hogwild bench --tune 10, two workers: best of ten trials of each, medians of three seeds, AMD EPYC, "
            "2026-11; on an edge: threads, processes", 40)
