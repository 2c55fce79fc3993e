# SPDX-License-Identifier: Apache-2.0
"""Estimators of models that are not linear: factorization machines, including field-aware ones."""
import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from .._arrays import Csr, table_of
from .._data import Dataset
from .._onnx import formula_of
from .._train import Model, keep_parameters
from ._base import EngineEstimator, require, require_count, require_number


class ModelEstimator(EngineEstimator):
    """Predicts by model_, a hogwild.Model."""

    def _common_options(self):
        require_count("max_iter", self.max_iter)
        options = {"epochs": self.max_iter}
        if self.tol is not None:
            require_number("tol", self.tol, 0)
            if self.tol > 0:
                options.update(tolerance=float(self.tol), tolerance_epochs=self.n_iter_no_change)
        require_count("n_iter_no_change", self.n_iter_no_change)
        if self.early_stopping:
            require("validation_fraction", self.validation_fraction, 0 < self.validation_fraction < 1,
                    "a number between 0 and 1")
            options.update(validation=float(self.validation_fraction), patience=self.n_iter_no_change)
        return options

    def _fit_model(self, rows, options, initial=None):
        saved, interrupt = self._train(rows, options, initial)
        if rows.classes is not None:
            self.classes_ = rows.classes
        self._take_saved(saved, rows)
        if interrupt is not None:
            raise interrupt
        return self

    def _take_saved(self, saved, rows):
        """Sets model_, with the record of its run, if it had one of its own."""
        self.model_ = Model(saved, getattr(self, "run_", None))

    def _prepared(self, X):
        """Checks rows and converts them for the model."""
        return self._checked(X)

    def _workers(self):
        return 1 if self.n_jobs is None else self.n_jobs

    def _formula(self):
        return formula_of(self.model_._saved, getattr(self, "classes_", None), self.n_features_in_)


class _Binary(ClassifierMixin, ModelEstimator):
    """Predicts two classes from a score of the second one."""

    def _check_two(self, y):
        check_classification_targets(y)
        if type_of_target(y, input_name="y") == "multiclass":
            raise ValueError("Only binary classification is supported. The type of the target is multiclass.")

    def decision_function(self, X):
        """The score of the second class for each row: (rows,)."""
        X = self._prepared(X)
        return self.model_.scores(X, self._workers()).astype(np.float64)

    def predict(self, X):
        """The class of each row of X."""
        larger = self.decision_function(X) > 0
        return self.classes_[larger.astype(np.intp)]

    def predict_proba(self, X):
        """The probability of each class for each row: (rows, 2)."""
        larger = 0.5 * (1.0 + np.tanh(0.5 * self.decision_function(X)))
        return np.column_stack([1.0 - larger, larger])

    def predict_log_proba(self, X):
        """The logarithm of predict_proba()."""
        return np.log(self.predict_proba(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


ROWS_OF_A_DECAY = 10_000


class _Machine(ModelEstimator):
    """The parameters of factorization machines, for two classes or for numbers."""

    _model, _loss = "factorization_machine", "logistic"

    def fit(self, X, y=None, sample_weight=None):
        """Trains on X (array, sparse matrix, frame, or Dataset, for FFM of a libffm file) and y. Returns self."""
        rows = self._rows_of_run(X, y, sample_weight)
        return self._fit_model(rows, self._options_of_run(rows))

    def _rows_of_run(self, X, y, sample_weight):
        return self._class_rows(X, y, sample_weight, self.shuffle)

    def _holds_out(self, fewest):
        # With few rows, the decay of its step depends on their number.
        return fewest >= ROWS_OF_A_DECAY and super()._holds_out(fewest)

    def _options_of_run(self, rows):
        """The options of a run on these rows; raises ValueError for invalid parameters."""
        require_count("n_factors", self.n_factors)
        if self.alpha is not None:
            require_number("alpha", self.alpha, 0)
        if self.eta0 is not None:
            require_number("eta0", self.eta0, 0, strictly=True)
        # The models' default decay is made for epochs of a large set: a pass over few rows counts as a part of one.
        passed = min(1.0, rows.data.shape[0] / ROWS_OF_A_DECAY)
        return {"model": self._model, "loss": self._loss, "factors": self.n_factors, "l2": self.alpha,
                "step": self.eta0, "decay": 0.9**passed, **self._common_options()}


_PARAMETERS = """
    Parameters
    ----------
    n_factors : int, default={factors}
        Factors of each column{each}.
    alpha : float or None, default=None
        Strength of l2; None: the model's default.
    eta0 : float or None, default=None
        The step of adagrad, the optimiser; None: the model's default.
    max_iter : int, default=20
        Most passes over the rows.
    tol : float or None, default=None
        The run ends when n_iter_no_change epochs in a row lower the objective by no more than this fraction of how far
        it has fallen.
    early_stopping : bool, default=False
        Hold back validation_fraction of the rows, end when their loss stops improving, and keep the best epoch's model.
    validation_fraction : float, default=0.1
    n_iter_no_change : int, default=3{more}
    shuffle : bool, default=True
        Rows are copied in random order, once.
    verbose : int, default=0
    n_jobs : int, default=None
        Workers: None: one, -1: as many as this process may use.
    random_state : int, RandomState instance or None, default=None
    engine : {{'auto', 'serial', 'threads'}}, default='auto'
    reproducible : bool, default=False
        Whether the result has the same bits for any n_jobs.

    Attributes
    ----------
    model_ : hogwild.Model
    n_iter_ : int
    run_ : hogwild.Run
    """
_FIELDS = """
    fields : array of int of shape (n_features,), default=None
        The field of each column, from 0; None: each column is a field."""
_WEIGHTS = """
    class_weight : dict or 'balanced', default=None"""


class FactorizationMachineClassifier(_Binary, _Machine):
    __doc__ = "Two classes, from columns and pairs of columns, whose weights are products of factors.\n" + \
        _PARAMETERS.format(factors=8, each="", more=_WEIGHTS)
    _has_lanes = True

    def __init__(self, n_factors=8, *, alpha=None, eta0=None, max_iter=20, tol=None, early_stopping=False,
                 validation_fraction=0.1, n_iter_no_change=3, class_weight=None, shuffle=True, verbose=0, n_jobs=None,
                 random_state=None, engine="auto", reproducible=False):
        keep_parameters(self, locals())


class FactorizationMachineRegressor(RegressorMixin, _Machine):
    __doc__ = "Numbers, from columns and pairs of columns, whose weights are products of factors.\n" + \
        _PARAMETERS.format(factors=8, each="", more="")
    _has_lanes, _loss = True, "squared"

    def __init__(self, n_factors=8, *, alpha=None, eta0=None, max_iter=20, tol=None, early_stopping=False,
                 validation_fraction=0.1, n_iter_no_change=3, shuffle=True, verbose=0, n_jobs=None, random_state=None,
                 engine="auto", reproducible=False):
        keep_parameters(self, locals())

    def _rows_of_run(self, X, y, sample_weight):
        return self._number_rows(X, y, sample_weight, self.shuffle)

    def _holds_out(self, fewest):
        return False  # it learns the mean and the scale of the labels from its rows

    def predict(self, X):
        """A number for each row of X."""
        X = self._prepared(X)
        return self.model_.scores(X, self._workers()).astype(np.float64)


FIELD_BITS = 22  # in libffm's columns: field << 22 | index, plus 1
MOST_FIELDS = 2**(32 - FIELD_BITS) - 1


class FFM(_Binary, _Machine):
    __doc__ = "Two classes, from pairs of columns that belong to fields: a field-aware factorization machine.\n" + \
        _PARAMETERS.format(factors=4, each=" for each field", more=_FIELDS + _WEIGHTS)
    _model = "ffm"

    def __init__(self, n_factors=4, *, fields=None, alpha=None, eta0=None, max_iter=20, tol=None, early_stopping=False,
                 validation_fraction=0.1, n_iter_no_change=3, class_weight=None, unit_rows=True, shuffle=True,
                 verbose=0, n_jobs=None, random_state=None, engine="auto", reproducible=False):
        keep_parameters(self, locals())

    def _options_of_run(self, rows):
        return {**super()._options_of_run(rows), "unit_rows": bool(self.unit_rows)}

    def _numbers(self, columns):
        """The number that each column has in libffm text."""
        if columns > 1 << FIELD_BITS:
            raise ValueError(f"X has {columns} columns, and a field-aware machine takes {1 << FIELD_BITS} at most")
        fields = np.arange(columns) if self.fields is None else np.asarray(self.fields)
        if fields.shape != (columns,) or fields.dtype.kind not in "iu" or (columns and fields.min() < 0):
            raise ValueError(f"fields={self.fields!r}: they are a whole number, from 0, for each of {columns} columns")
        if fields.max(initial=0) >= MOST_FIELDS:
            raise ValueError(f"there are at most {MOST_FIELDS} fields: give several columns one in the parameter fields")
        return ((fields.astype(np.int64) << FIELD_BITS | np.arange(columns)) + 1).astype(np.uint32)

    def _take_shape(self, data):
        super()._take_shape(data)
        self._column_numbers = None
        index = (data._rows.numbers().astype(np.int64) - 1) & ((1 << FIELD_BITS) - 1)
        self.n_features_in_ = int(index.max(initial=-1)) + 1

    def _dataset(self, X, labels, weight, shuffle):
        self._column_numbers = self._numbers(X.shape[1])
        return Dataset._of_csr(self._prepared_csr(X), labels, weight)

    def _prepared_csr(self, X):
        rows = table_of(sp.csr_matrix(X)).rows
        if getattr(self, "_column_numbers", None) is None:  # otherwise a file or a search had them
            self._column_numbers = self._numbers(rows.shape[1])
        return Csr(rows.row_start, self._column_numbers[rows.index], rows.value, rows.shape)

    def _prepared(self, X):
        return self._prepared_csr(self._checked(X))
