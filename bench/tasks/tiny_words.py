# SPDX-License-Identifier: Apache-2.0
"""Word vectors of generated text, each sentence on one of twenty topics: small enough for a test."""
from suite import data, made
from suite.terms import Target, Task

suites = ("tiny",)
task = Task("tiny_words", "words", data.written("tiny_words", lambda: made.sentences(3000)),
            ["--model", "skip_gram", "--dimension", "32"],
            Target("objective", 7.2, True, "what a serial run has after 10 epochs"), {"": {"step": 0.05}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 15)
