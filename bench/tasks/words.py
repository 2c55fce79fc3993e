# SPDX-License-Identifier: Apache-2.0
"""Word vectors of the first 200,000 words of wikifa."""
from suite import data
from suite.terms import Target, Task

suites = ("quick", "full")
task = Task("words", "words", data.sentences("wikifa.txt", 200000),
            ["--model", "skip_gram"],
            Target("objective", 65.0, True, "what a serial run has after about 9 epochs, step 0.1"),
            {"": {"step": 0.1}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 15)
