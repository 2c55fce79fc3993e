# SPDX-License-Identifier: Apache-2.0
"""Word vectors of generated text, each sentence on one of twenty topics: small enough for a test."""
import random

from suite import data
from suite.terms import Target, Task

suites = ("tiny",)


def sentences():
    chance = random.Random(1)
    for _ in range(3000):
        topic = chance.randrange(20)
        yield "train", " ".join(f"t{topic}w{int(chance.paretovariate(1)) % 30}" for _ in range(20))


task = Task("tiny_words", "words", data.written("tiny_words", sentences), ["--model", "skip_gram", "--dimension", "32"],
            Target("objective", 7.2, True, "what a serial run has after 10 epochs"), {"": {"step": 0.05}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 15)
