# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's LogisticRegression by saga, SAG or L-BFGS: a fit of its own for each number of iterations. Run as a
program, it is what trains."""
import json
import pathlib
import sys
import time
import warnings


def main(asked):
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import LogisticRegression
    warnings.simplefilter("ignore")  # that it has not converged is meant
    begin = time.perf_counter()
    rows, labels = load_svmlight_file(asked["data"]["train"], zero_based=False)
    rows.indices, rows.indptr = rows.indices.astype("int32"), rows.indptr.astype("int32")  # as its solvers want them
    parsed = time.perf_counter() - begin
    cost = 1 / (rows.shape[0] * float(asked["options"][asked["options"].index("--l2") + 1]))
    for most in (1, 2, 4, 8, 16, 32, 64):
        model = LogisticRegression(C=cost, tol=0, fit_intercept=False, solver=asked["settings"]["solver"],
                                   max_iter=most, random_state=asked["seed"])
        begin = time.perf_counter()
        model.fit(rows, labels)
        seconds = time.perf_counter() - begin
        path = pathlib.Path(asked["work"]) / f"sklearn_logistic_{most}.txt"
        path.write_text("".join(f"{j} {w!r}\n" for j, w in enumerate(model.coef_[0].tolist(), 1)), encoding="ascii")
        print(json.dumps({"seconds": seconds, "epochs": most, "weights": str(path), "parse_seconds": parsed}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
else:
    from suite.peer import linear_script, module
    contestant = linear_script("sklearn_logistic", module("sklearn", "scikit-learn"), __file__, ("logistic",),
                               {"solver": ["lbfgs", "saga", "sag"]})
