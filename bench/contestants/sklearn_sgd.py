# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's SGDClassifier, a pass at a time. Run as a program, it is what trains."""
import json
import sys
import time


def passes(asked):
    from sklearn.linear_model import SGDClassifier
    from sklearn.utils import shuffle
    from suite.sklearn_rows import load, tell
    words, settings = asked["options"], asked["settings"]
    rows, labels, parsed = load(asked)
    loss = {"logistic": "log_loss", "hinge_svm": "hinge"}[words[words.index("--model") + 1]]
    model = SGDClassifier(loss=loss, alpha=float(words[words.index("--l2") + 1]), fit_intercept=False,
                          learning_rate="invscaling", eta0=settings["step"], power_t=settings["power"],
                          random_state=asked["seed"])
    seconds = 0.0
    for epoch in range(1, asked["epochs"] + 1):
        mixed = shuffle(rows, labels, random_state=asked["seed"] + epoch)
        begin = time.perf_counter()
        model.partial_fit(*mixed, classes=[-1, 1])
        seconds += time.perf_counter() - begin
        tell(asked, model, seconds, epoch, parsed)


if __name__ == "__main__":
    passes(json.loads(sys.argv[1]))
else:
    from suite.peer import module, script
    contestant = script("sklearn_sgd", module("sklearn", "scikit-learn"), __file__, ("linear",),
                        {"step": [0.5, 2.0, 8.0], "power": [0.1, 0.25, 0.5]}, models=("logistic", "hinge_svm"))
