#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Trains scikit-learn's SGDClassifier on LIBSVM text and leaves its weights as lines "column weight".

Says on standard output, as one JSON object, how long loading and training took.
"""
import argparse
import json
import time

import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier


def name_of_logistic():
    """The loss was called log until 1.1, log_loss since."""
    return "log" if tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 1) else "log_loss"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", help="training rows, columns counted from 1")
    parser.add_argument("--loss", choices=["hinge", "logistic"], required=True)
    parser.add_argument("--alpha", type=float, required=True, help="l2")
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--weights", required=True, help="file for the weights")
    asked = parser.parse_args()

    begin = time.perf_counter()
    rows, labels = load_svmlight_file(asked.rows, zero_based=False)
    loaded = time.perf_counter()
    model = SGDClassifier(
        loss=name_of_logistic() if asked.loss == "logistic" else "hinge",
        alpha=asked.alpha,
        fit_intercept=False,
        max_iter=asked.epochs,
        tol=None,
        random_state=1,
    )
    model.fit(rows, labels)
    trained = time.perf_counter()
    with open(asked.weights, "w", encoding="ascii") as out:
        out.writelines(f"{column} {weight!r}\n" for column, weight in enumerate(model.coef_[0].tolist(), 1))
    print(json.dumps({"version": sklearn.__version__, "load_seconds": loaded - begin, "train_seconds": trained - loaded}))


if __name__ == "__main__":
    main()
