# SPDX-License-Identifier: Apache-2.0
"""The common part of estimators: their input becomes a Dataset, and the results of a run become attributes."""
import numbers
import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from .._arrays import exported
from .._data import Dataset, read_by
from .._engine import ConfigError, Error
from .._onnx import to_onnx
from .._train import Job, note_here, said_here, words_of, workers_of

MOST_SEED = 2**31 - 1
PIECE = 1 << 16


def require(name, value, holds, must_be):
    """Raises ValueError if a parameter is invalid."""
    if not holds:
        raise ValueError(f"{name}={value!r}: it must be {must_be}")


def is_number(value):
    return isinstance(value, (numbers.Real, np.number)) and not isinstance(value, (bool, np.bool_))


def require_number(name, value, least, strictly=False):
    holds = is_number(value) and (value > least if strictly else value >= least)
    require(name, value, holds, f"a number {'above' if strictly else 'not below'} {least}")


def require_count(name, value, least=1):
    require(name, value, isinstance(value, numbers.Integral) and not isinstance(value, bool) and value >= least,
            f"a whole number not below {least}")


def weights_of(sample_weight, rows):
    """Weights as float32, or None if all are 1."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Real):
        weight = np.full(rows, sample_weight, np.float64)
    else:
        weight = np.asarray(sample_weight, np.float64)
    if weight.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if weight.shape != (rows,):
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(rows,)}!")
    if not np.all(np.isfinite(weight)):
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if np.any(weight < 0):
        raise ValueError("Negative values in data passed to `sample_weight`")
    if not np.any(weight > 0):
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return None if np.all(weight == 1.0) else weight


def as_numbers(y):
    """Labels of a regressor as numbers; words that are not numbers raise ValueError."""
    return y if y.dtype.kind in "biuf" else y.astype(np.float64)


def validated(estimator, X, *y, **options):
    """X (and y) as scikit-learn checks and converts them for an estimator."""
    return validate_data(estimator, exported(X), *y, accept_sparse="csr", dtype=[np.float64, np.float32], **options)


class Rows:
    """An estimator's training rows: `data` is a Dataset, whose labels are 0, 1, ... if there are `classes`."""

    def __init__(self, data, features, classes=None, mean_weight=1.0, options=None, dtype=np.float64):
        self.data, self.features, self.classes = data, features, classes
        self.dtype = dtype  # of coefficients and predictions
        self.mean_weight = mean_weight
        self.options = options or {}  # options that the run needs because of the rows


class EngineEstimator(BaseEstimator):
    """An estimator that is trained by a run of the engine.

    To let hw.search train candidates side by side, an estimator has `_rows_of_run(X, y, sample_weight)`, which returns
    the Rows that fit() trains on; `_options_of_run(rows)`, the options of a run on them, which raises ValueError for
    invalid parameters; and `_take_saved(saved, rows)`, which sets attributes from a model that was trained on them.
    """

    _has_lanes = False
    _warns_of_max_iter = False  # whether fit() warns if max_iter ends the run before tol does

    def _is_unfinished(self, status):
        """Whether a run with this status ended before its tolerance was reached."""
        return self._warns_of_max_iter and self.tol is not None and self.tol > 0 and status == "done"

    def _holds_out(self, fewest):
        """Whether it may be trained on common rows from which each fold is held out, with at least `fewest` rows left:
        nothing depends on held-out rows, as weights of classes would, and folds are spread over the rows.
        """
        return bool(self.shuffle) and not isinstance(getattr(self, "class_weight", None), str)

    def _classes_of(self, y):
        if len(y) and y.ndim == 1 and y.dtype.kind in "biuf":
            # With two classes, the labels are neither sorted nor copied as a whole.
            low, high = np.min(y), np.max(y)
            second = y == high
            if low < high and np.count_nonzero(second) + np.count_nonzero(y == low) == len(y):
                classes = np.array([low, high])
                check_classification_targets(classes)
                return classes, second.astype(np.float32)
        check_classification_targets(y)
        classes = np.unique(y)
        # Piece by piece: the temporaries of np.unique are several times as large as its codes.
        codes = np.empty(len(y), np.float32 if len(classes) < 2**24 else np.float64)
        for first in range(0, len(y), PIECE):
            codes[first:first + PIECE] = np.searchsorted(classes, y[first:first + PIECE])
        return classes, codes

    def _require_classes(self, classes):
        if len(classes) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class")

    def _class_rows(self, X, y, sample_weight, shuffle):
        """Rows of a classifier. Sets n_features_in_."""
        if isinstance(X, Dataset):
            return self._class_dataset(X, y, sample_weight)
        X, y = validated(self, X, y, order="C")
        self._check_two(y)
        classes, codes = self._classes_of(y)
        self._require_classes(classes)
        weight = weights_of(sample_weight, len(codes))
        if self.class_weight is not None:
            of_class = compute_class_weight(self.class_weight, classes=classes, y=y)
            weight = of_class[codes.astype(np.intp)] * (1.0 if weight is None else weight)
        mean = 1.0 if weight is None else float(np.mean(weight))
        return Rows(self._dataset(X, codes, weight, shuffle), X.shape[1], classes, mean, dtype=X.dtype)

    def _dataset(self, X, labels, weight, shuffle):
        who = self._who()
        with read_by(1 if who["engine"] == "serial" else who["workers"] or None):
            return Dataset(X, labels, weight=weight, shuffle=shuffle)

    def _check_two(self, y):
        """For estimators of two classes: raises ValueError if there are more."""

    def _class_dataset(self, data, y, sample_weight):
        if y is not None or sample_weight is not None:
            raise ValueError("a Dataset has its labels and weights itself: leave out y and sample_weight")
        labels = data.y
        classes, codes = np.unique(labels, return_inverse=True)
        self._require_classes(classes)
        mean, options = 1.0, {}
        if self.class_weight is not None:
            of_class = compute_class_weight(self.class_weight, classes=classes, y=labels)
            mean = float(np.mean(of_class[codes]))
            options["class_weights"] = [f"{float(c)!r}={float(w)!r}" for c, w in zip(classes, of_class)]
        self._take_shape(data)
        return Rows(data, self.n_features_in_, classes, mean, options)

    def _number_rows(self, X, y, sample_weight, shuffle):
        """Rows of a regressor. Sets n_features_in_."""
        if isinstance(X, Dataset):
            if y is not None or sample_weight is not None:
                raise ValueError("a Dataset has its labels and weights itself: leave out y and sample_weight")
            self._take_shape(X)
            return Rows(X, self.n_features_in_)
        X, y = validated(self, X, y, order="C", y_numeric=True)
        weight = weights_of(sample_weight, len(y))
        mean = 1.0 if weight is None else float(np.mean(weight))
        return Rows(self._dataset(X, as_numbers(y), weight, shuffle), X.shape[1], None, mean, dtype=X.dtype)

    def _take_shape(self, data):
        columns = () if data._of_arrays else data._rows.numbers()
        self.n_features_in_ = int(columns.max()) + 1 - data._first_column if len(columns) else data.shape[1]
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _seed(self):
        return int(check_random_state(self.random_state).randint(1, MOST_SEED))

    def _who(self):
        """Options for the engine and its workers."""
        require("engine", self.engine, self.engine in ("auto", "serial", "threads"), "'auto', 'serial' or 'threads'")
        who = workers_of(self.n_jobs)
        if self.engine == "serial":
            who = {"engine": "serial"}
        elif self.engine == "threads" and who["engine"] == "serial":
            who = {"engine": "threads", "workers": 1}
        return {**who, "reproducible": bool(self.reproducible)}

    def _train(self, rows, options, initial=None, own=None):
        """Trains and returns the saved model. Sets run_ and n_iter_; an interrupt is raised once they are set."""
        words = words_of({**options, **rows.options, **self._who(), "seed": self._seed()})
        told = self._told() if getattr(self, "verbose", 0) else None
        try:
            job = Job(rows.data, words, initial, told, rows.data.path or "X", own, self._note_here)
        except ConfigError as fault:
            raise self._said_here(fault) from None
        interrupt = job._interrupted()
        try:
            saved = job.saved()
            record = job.record()
        except ConfigError as fault:
            if interrupt is None:
                raise self._said_here(fault) from None
            raise interrupt from None
        except Error:
            if interrupt is None:
                raise
            raise interrupt from None
        if saved is None:
            if interrupt is not None:
                raise interrupt
            raise ValueError(f"the loss is not finite: scale the columns{self._lower_step()}")
        self.run_ = record
        if record["status"] == "diverged":  # scikit-learn fits such rows as well
            warnings.warn(f"The objective ended above its start: scale the columns{self._lower_step()}.",
                          ConvergenceWarning)
        epochs = record["epochs"]
        if record["status"] == "stopped":  # the last measurement may be of an earlier epoch
            epochs = max(epochs, record["examples"] // rows.data.shape[0])
        self._set_epochs(max(1, epochs))
        return saved, interrupt

    def _set_epochs(self, epochs):
        self.n_iter_ = epochs

    # The engine's parameters as they appear here, and the parameter that determines each.
    _own_terms = {"step": ("eta0", "eta0"), "l2": ("alpha", "alpha"), "batch": ("batch_size", "batch_size"),
                  "workers": ("n_jobs", "n_jobs")}

    def _said_here(self, fault):
        """The same error, with the names that the engine's parameters have here."""
        known = self.get_params(deep=False)
        terms = {name: here for name, (here, parameter) in self._own_terms.items() if parameter in known}
        return said_here(fault, terms)

    def _note_here(self, note):
        """A note of the engine in terms of estimators, which have no `scale`, and an optimiser only as `solver`."""
        note = note.replace("(--scale max_abs)", "(MaxAbsScaler of sklearn.preprocessing)")
        if "solver" not in self.get_params(deep=False) or self.solver is None:
            note = note.partition("; adagrad, which")[0]
        return note_here(note)

    def _lower_step(self):
        """Further advice for parameters that are not finite."""
        here, parameter = self._own_terms["step"]
        return f", or give a lower {here}" if here == parameter and here in self.get_params(deep=False) else ""

    def _warn_of_end(self, tol, max_iter):
        if tol is not None and self.run_["status"] == "done" and self.run_["epochs"] >= max_iter:
            warnings.warn("Maximum number of iteration reached before convergence. Consider increasing max_iter to "
                          "improve the fit.", ConvergenceWarning)

    def _told(self):
        def told(epoch):
            print(f"epoch {epoch['epoch']}: loss {epoch['train_loss']:.6g}, {epoch['train_seconds']:.3f} s")

        return told

    def _checked(self, X):
        check_is_fitted(self)
        return validated(self, X, reset=False)

    def to_onnx(self, path=None):
        """The fitted estimator as an onnx.ModelProto, also written to `path` if there is one; needs the package onnx.

        Its input is X, (N, n_features_in_) of float32. A regressor has the output "prediction", (N,); a classifier has
        "label", (N,), "scores", and if it has predict_proba "probabilities", (N, classes). Raises ConfigError for
        estimators that are neither linear nor factorization machines.
        """
        check_is_fitted(self)
        return to_onnx(self._formula(), path)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
