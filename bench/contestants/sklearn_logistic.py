# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's LogisticRegression, also for several classes, by saga, SAG or L-BFGS: a separate fit for each number
of iterations."""
import time
import warnings

from suite.peer import module, option, script


def main(asked):
    from sklearn.linear_model import LogisticRegression
    from suite.sklearn_rows import load, tell
    warnings.simplefilter("ignore")  # it is not meant to converge
    rows, labels, parsed = load(asked)
    cost = 1 / (rows.shape[0] * float(option(asked, "--l2")))
    for most in (1, 2, 4, 8, 16, 32, 64):
        model = LogisticRegression(C=cost, tol=0, fit_intercept=False, solver=asked.settings["solver"],
                                   max_iter=most, random_state=asked.seed)
        begin = time.perf_counter()
        model.fit(rows, labels)
        tell(asked, model, time.perf_counter() - begin, most, parsed)


contestant = script("sklearn_logistic", module("sklearn", "scikit-learn"), ("linear", "softmax"),
                    {"solver": ["lbfgs", "saga", "sag"]}, models=("logistic", "softmax"), metrics=("objective",))
