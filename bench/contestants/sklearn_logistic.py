# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's LogisticRegression, also for several classes, by saga, SAG or L-BFGS: a separate fit for each number
of iterations. Run as a program, this file trains."""
import json
import sys
import time
import warnings


def main(asked):
    from sklearn.linear_model import LogisticRegression
    from suite.sklearn_rows import load, tell
    warnings.simplefilter("ignore")  # it is not meant to converge
    rows, labels, parsed = load(asked)
    cost = 1 / (rows.shape[0] * float(asked["options"][asked["options"].index("--l2") + 1]))
    for most in (1, 2, 4, 8, 16, 32, 64):
        model = LogisticRegression(C=cost, tol=0, fit_intercept=False, solver=asked["settings"]["solver"],
                                   max_iter=most, random_state=asked["seed"])
        begin = time.perf_counter()
        model.fit(rows, labels)
        tell(asked, model, time.perf_counter() - begin, most, parsed)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
else:
    from suite.peer import module, script
    contestant = script("sklearn_logistic", module("sklearn", "scikit-learn"), __file__, ("linear", "softmax"),
                        {"solver": ["lbfgs", "saga", "sag"]}, models=("logistic", "softmax"), metrics=("objective",))
