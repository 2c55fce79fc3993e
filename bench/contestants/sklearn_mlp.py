# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's MLPClassifier, a pass at a time."""
import time

from suite import point
from suite.peer import module, option, script


def main(asked):
    from sklearn.datasets import load_svmlight_files
    from sklearn.neural_network import MLPClassifier
    from sklearn.utils import shuffle
    settings = asked.settings
    begin = time.perf_counter()
    rows, labels, tested, wanted = load_svmlight_files([asked.data["train"], asked.data["test"]], zero_based=False)
    parsed, seconds, classes = time.perf_counter() - begin, 0.0, sorted({*labels})
    model = MLPClassifier([int(option(asked, "--hidden"))], alpha=0, batch_size=settings["batch"],
                          learning_rate_init=settings["step"], random_state=asked.seed)
    for epoch in range(1, asked.epochs + 1):
        mixed = shuffle(rows, labels, random_state=asked.seed + epoch)
        begin = time.perf_counter()
        model.partial_fit(*mixed, classes=classes)
        seconds += time.perf_counter() - begin
        point.tell(seconds=seconds, epochs=epoch, value=model.score(tested, wanted), parse_seconds=parsed)


contestant = script("sklearn_mlp", module("sklearn", "scikit-learn"), ("net",),
                    {"step": [0.0005, 0.001, 0.002], "batch": [64, 200, 1000]}, metrics=("test_accuracy",))
