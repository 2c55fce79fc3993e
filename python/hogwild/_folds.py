# SPDX-License-Identifier: Apache-2.0
"""Rows for a search's candidates: cut for each fold, or all rows, from which each fold holds out its part."""
import contextlib

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import validate_data

from ._arrays import Csr, table_of
from ._data import Dataset, read_by

NAMES_OF_FEATURES = ("n_features_in_", "feature_names_in_")
MOST_FOLDS = 255
MOST_DIFFERENCE = 0.02  # in mean weights


def fold_of_rows(splits, rows):
    """For each row the split that tests it, as uint8, if each row is tested once and trained on in all other splits;
    else None."""
    if not 2 <= len(splits) <= MOST_FOLDS:
        return None
    fold_of = np.full(rows, MOST_FOLDS, np.uint8)
    tested = 0
    for f, (train, test) in enumerate(splits):
        train, test = np.asarray(train), np.asarray(test)
        if train.dtype.kind not in "iu" or test.dtype.kind not in "iu" or len(train) + len(test) != rows:
            return None
        fold_of[test] = f
        tested += len(test)
        trained = np.zeros(rows, bool)
        trained[train] = True
        if np.count_nonzero(trained) != len(train) or np.any(trained[test]):
            return None
    return fold_of if tested == rows and not np.any(fold_of == MOST_FOLDS) else None


class Fold:
    """The rows of one split for one kind of candidates: those to train on, and those to measure on."""

    def __init__(self, estimator, X, y, train, test, weight):
        self.X_train, y_train = _safe_split(estimator, X, y, train)
        self.X_test, self.y_test = _safe_split(estimator, X, y, test, train)
        self.y_train = y_train
        self.rows = estimator._rows_of_run(self.X_train, y_train, weight)
        self.estimator = estimator  # knows the number of features, and their names
        self.seed = None
        self.test = None
        X_checked = validate_data(estimator, self.X_test, accept_sparse="csr", dtype=[np.float64, np.float32],
                                  order="C", reset=False)
        labels = np.asarray(self.y_test)
        if self.rows.classes is not None:
            if not np.all(np.isin(labels, self.rows.classes)):
                return  # a label that no model has learned: a run of its own computes the score
            labels = np.searchsorted(self.rows.classes, labels)
        table = table_of(X_checked).rows
        if isinstance(table, Csr) and self.rows.data._made_of is None:
            self.test = Dataset._of_csr(table, labels, None, self.rows.data._rows.numbers())
        else:
            self.test = Dataset(X_checked, labels)


class CommonRows:
    """All rows for one kind of candidates. `folds`: None if some fold cannot be held out; cutting it reports the
    reason."""

    def __init__(self, estimator, X, y, splits, fold_of, weight, threads):
        self.estimator, self.seed, self.folds = clone(estimator), None, None
        with read_by(threads):
            self.rows = self.estimator._rows_of_run(X, y, weight)
        if not self._trains_all(np.ravel(y), fold_of, len(splits), weight):
            return
        self.folds = [CommonFold(self, X, y, train, test) for train, test in splits]

    def _trains_all(self, y, fold_of, folds, weight):
        """Whether each fold leaves rows of both classes (if there are two), with about the same mean weight as all
        rows: steps and l2 assume a mean weight of 1."""
        of_class = getattr(self.estimator, "class_weight", None)
        if weight is not None or of_class is not None:
            of_row = np.broadcast_to(1.0 if weight is None else weight, len(fold_of))
            if of_class is not None:
                of_row = of_row * compute_sample_weight(of_class, y)
            rows_left = len(fold_of) - np.bincount(fold_of, minlength=folds)
            weight_left = of_row.sum() - np.bincount(fold_of, of_row, folds)
            if np.any(np.abs(weight_left / rows_left - of_row.mean()) > MOST_DIFFERENCE * of_row.mean()):
                return False
        classes = self.rows.classes
        if classes is None:
            return True
        if len(classes) > 2:
            return False
        second = np.bincount(fold_of, y == classes[1], folds)
        first = np.bincount(fold_of, minlength=folds) - second
        return bool(np.all(first < first.sum()) and np.all(second < second.sum()))


class CommonFold:
    """One fold of CommonRows, with the interface of Fold. Arrays are cut on demand."""

    def __init__(self, common, X, y, train, test):
        self.rows, self.estimator = common.rows, common.estimator
        self.y_test = _safe_indexing(y, test)
        self._X, self._y, self._train, self._test = X, y, train, test

    @property
    def X_train(self):
        return _safe_split(self.estimator, self._X, self._y, self._train)[0]

    @property
    def y_train(self):
        return _safe_indexing(self._y, self._train)

    @property
    def X_test(self):
        return _safe_split(self.estimator, self._X, self._y, self._test, self._train)[0]


@contextlib.contextmanager
def fit_takes(estimator, common):
    """Context in which this estimator's fit(), on the X, y and weights from which `common` was made, uses its rows."""
    for name in NAMES_OF_FEATURES:
        if hasattr(common.estimator, name):
            setattr(estimator, name, getattr(common.estimator, name))
    estimator._rows_of_run = lambda *_: common.rows
    try:
        yield
    finally:
        del estimator._rows_of_run
