# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's SGDClassifier and SGDRegressor, a pass at a time."""
import time

from suite.peer import module, option, script

LOSSES = {"logistic": "log_loss", "hinge_svm": "hinge", "squared_hinge": "squared_hinge",
          "modified_huber": "modified_huber", "least_squares": "squared_error", "huber": "huber"}


def main(asked):
    from sklearn.linear_model import SGDClassifier, SGDRegressor
    from sklearn.utils import shuffle
    from suite.sklearn_rows import load, tell
    settings = asked.settings
    rows, labels, parsed = load(asked)
    loss = LOSSES[option(asked, "--model")]
    told = {"loss": loss, "alpha": float(option(asked, "--l2")), "fit_intercept": False,
            "learning_rate": "invscaling", "eta0": settings["step"], "power_t": settings["power"],
            "random_state": asked.seed}
    numbers = loss in ("squared_error", "huber")
    model = SGDRegressor(epsilon=1.0, **told) if numbers else SGDClassifier(**told)
    seconds = 0.0
    for epoch in range(1, asked.epochs + 1):
        mixed = shuffle(rows, labels, random_state=asked.seed + epoch)
        begin = time.perf_counter()
        model.partial_fit(*mixed, **({} if numbers else {"classes": [-1, 1]}))
        seconds += time.perf_counter() - begin
        tell(asked, model, seconds, epoch, parsed)


contestant = script("sklearn_sgd", module("sklearn", "scikit-learn"), ("linear",),
                    {"step": [0.5, 2.0, 8.0], "power": [0.1, 0.25, 0.5]}, models=tuple(LOSSES))
