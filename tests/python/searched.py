# SPDX-License-Identifier: Apache-2.0
"""Common parts of the tests of searches."""
import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler


def two_classes(rows=1200, columns=20, seed=0):
    x, y = make_classification(rows, columns, n_informative=8, flip_y=0.05, random_state=seed)
    return StandardScaler().fit_transform(x).astype(np.float32), y


def scores_alone(estimator, params, x, y, splits, scorer):
    """Scores of shape (candidates, folds), each by a fit of its own."""
    found = np.empty((len(params), len(splits)))
    for i, p in enumerate(params):
        for f, (train, test) in enumerate(splits):
            found[i, f] = scorer(clone(estimator).set_params(**p).fit(x[train], y[train]), x[test], y[test])
    return found


def table_of(search):
    return np.column_stack([search.cv_results_[f"split{f}_test_score"] for f in range(search.n_splits_)])


class counted:
    """Counts fits of estimators; those side by side do not count."""

    def __init__(self, monkeypatch, kind):
        self.fits = 0
        fit = kind.fit

        def counting(own, *args, **keywords):
            self.fits += 1
            return fit(own, *args, **keywords)

        monkeypatch.setattr(kind, "fit", counting)
