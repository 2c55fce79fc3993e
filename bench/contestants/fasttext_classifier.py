# SPDX-License-Identifier: Apache-2.0
"""fastText's classifier by its Python package: a separate run for each number of epochs, since its step falls to 0. Its
own precision of the test rows is used. Reading is the time of a run of no epoch."""
import time

from suite import point
from suite.peer import module, option, script


def main(asked):
    import fasttext
    words = int(option(asked, "--word-ngrams", 1))

    def fit(epochs):
        begin = time.perf_counter()
        model = fasttext.train_supervised(
            asked.data["train"], lr=asked.settings["step"], epoch=epochs, wordNgrams=words,
            dim=int(option(asked, "--dimension", 100)), bucket=2_000_000 if words > 1 else 0, loss="softmax",
            thread=asked.workers, seed=asked.seed, verbose=0)
        return model, time.perf_counter() - begin
    _, parsed = fit(0)
    for epochs in sorted({*(n for n in (1, 5, 10, 15, 20) if n < asked.epochs), asked.epochs}):
        model, seconds = fit(epochs)
        _, right, _ = model.test(asked.data["test"])
        point.tell(seconds=max(0.001, seconds - parsed), epochs=epochs, value=right, parse_seconds=parsed)


contestant = script("fasttext_classifier", module("fasttext", "fasttext-wheel"), ("texts",), {"step": [0.5, 1.0, 1.5]},
                    metrics=("test_precision_at_1",), workers=(1, 2))
