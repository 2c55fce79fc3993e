# SPDX-License-Identifier: Apache-2.0
"""Word vectors of the first 200,000 words of wikifa by cbow."""
from suite import data
from suite.terms import Target, Task

suites = ()
task = Task("words_mean", "words", data.sentences("wikifa.txt", 200000),
            ["--model", "cbow"],
            Target("objective", 18.5, True, "what a serial run has after about 8 epochs, step 0.15"),
            {"": {"step": 0.15}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 15)
