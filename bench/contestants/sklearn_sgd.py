# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's SGDClassifier and SGDRegressor, a pass at a time. Run as a program, this file trains."""
import json
import sys
import time

LOSSES = {"logistic": "log_loss", "hinge_svm": "hinge", "squared_hinge": "squared_hinge",
          "modified_huber": "modified_huber", "least_squares": "squared_error", "huber": "huber"}


def passes(asked):
    from sklearn.linear_model import SGDClassifier, SGDRegressor
    from sklearn.utils import shuffle
    from suite.sklearn_rows import load, tell
    words, settings = asked["options"], asked["settings"]
    rows, labels, parsed = load(asked)
    loss = LOSSES[words[words.index("--model") + 1]]
    told = {"loss": loss, "alpha": float(words[words.index("--l2") + 1]), "fit_intercept": False,
            "learning_rate": "invscaling", "eta0": settings["step"], "power_t": settings["power"],
            "random_state": asked["seed"]}
    numbers = loss in ("squared_error", "huber")
    model = SGDRegressor(epsilon=1.0, **told) if numbers else SGDClassifier(**told)
    seconds = 0.0
    for epoch in range(1, asked["epochs"] + 1):
        mixed = shuffle(rows, labels, random_state=asked["seed"] + epoch)
        begin = time.perf_counter()
        model.partial_fit(*mixed, **({} if numbers else {"classes": [-1, 1]}))
        seconds += time.perf_counter() - begin
        tell(asked, model, seconds, epoch, parsed)


if __name__ == "__main__":
    passes(json.loads(sys.argv[1]))
else:
    from suite.peer import module, script
    contestant = script("sklearn_sgd", module("sklearn", "scikit-learn"), __file__, ("linear",),
                        {"step": [0.5, 2.0, 8.0], "power": [0.1, 0.25, 0.5]}, models=tuple(LOSSES))
