# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's PoissonRegressor by L-BFGS: a separate fit for each number of iterations. """
import time
import warnings

from suite.peer import module, option, script


def main(asked):
    from sklearn.linear_model import PoissonRegressor
    from suite.sklearn_rows import load, tell
    warnings.simplefilter("ignore")  # it is not meant to converge
    rows, labels, parsed = load(asked)
    l2 = float(option(asked, "--l2"))  # half the deviance is our loss plus a constant
    for most in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        model = PoissonRegressor(alpha=l2, tol=1e-12, fit_intercept=False, max_iter=most)
        begin = time.perf_counter()
        model.fit(rows, labels)
        tell(asked, model, time.perf_counter() - begin, most, parsed)


contestant = script("sklearn_poisson", module("sklearn", "scikit-learn"), ("linear",), {},
                    models=("poisson",))
