# SPDX-License-Identifier: Apache-2.0
"""Linear models: coefficients as in scikit-learn, and the estimators that are trained to their optimum."""
import warnings

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .. import _engine
from .._arrays import zeros_for
from .._onnx import Formula
from .._train import keep_parameters, outside
from ._base import EngineEstimator, is_number, require, require_count, require_number

# If epochs without progress end the run, a step that was found falls to a hundredth within FALL_EPOCHS epochs, or
# within FALL_ROWS rows if those are more; with a decay over 1,000 epochs the step would hardly fall before the run
# ends.
FALL_EPOCHS, FALL_ROWS = 20, 200_000
FLAT_EPOCHS = 5  # consecutive epochs without progress that end the run of an estimator without a penalty


def falling(max_iter, rows):
    """The option decay for a run that ends after epochs without progress."""
    epochs = max(FALL_EPOCHS, -(-FALL_ROWS // rows))
    return {"decay": 0.01 ** (1.0 / (epochs - 1))} if epochs < max_iter else {}


class LinearEstimator(EngineEstimator):
    """coef_ and intercept_, and methods that use them."""

    _has_lanes = _warns_of_max_iter = True

    def _holds_out(self, fewest):
        # If the step is not given, one is found on the rows.
        return getattr(self, "eta0", None) is not None and super()._holds_out(fewest)

    def _take_saved(self, saved, rows):
        """Sets coef_ and intercept_ from a saved model: one row, or one for each class."""
        width = saved.width
        columns = saved.columns.astype(np.int64) - rows.data._first_column
        coef = zeros_for("coef_", (width, rows.features), rows.dtype, "F")  # scipy copies what it multiplies in C order
        coef[:, columns] = saved.weights.reshape(-1, width).T
        bias = saved.bias
        self.coef_ = coef
        self.intercept_ = bias.astype(rows.dtype) if len(bias) == width else np.zeros(width, rows.dtype)

    def _begin_with(self, model, coef, intercept, features, classes):
        """A saved model with one row of coefficients, or one for each of three or more classes; 0: for numbers."""
        models = classes if classes > 2 else 1
        coef = np.zeros((models, features), np.float32) if coef is None else np.asarray(coef, np.float32)
        if coef.shape != (models, features) and (models > 1 or coef.size != features or coef.ndim > 2):
            raise ValueError("Provided coef_init does not match dataset.")
        bias = np.zeros(models, np.float32) if intercept is None else np.asarray(intercept, np.float32).reshape(-1)
        if bias.shape != (models,):
            raise ValueError("Provided intercept_init does not match dataset.")
        by_column = np.ascontiguousarray(coef.reshape(models, features).T).reshape(-1)
        return _engine.Saved.linear(model, by_column, bias if self.fit_intercept else bias[:0], classes)

    def _margins(self, X):
        X = self._checked(X)
        margins = X @ self.coef_.T
        return (margins.toarray() if hasattr(margins, "toarray") else np.asarray(margins)) + self.intercept_

    def _formula(self):
        coef = self.coef_.toarray() if hasattr(self.coef_, "toarray") else self.coef_
        weights = np.ascontiguousarray(np.atleast_2d(coef).T, np.float32)
        classes = getattr(self, "classes_", None)
        decision = "number" if classes is None else "sign" if weights.shape[1] == 1 else "greatest"
        intercept = np.broadcast_to(np.asarray(self.intercept_, np.float32), weights.shape[1:])
        return Formula(decision, self._link(weights.shape[1] > 1), weights, intercept, classes=classes, normalised=True)

    def _link(self, several):
        """The link of the formula that ONNX gets: how margins become probabilities."""
        return "identity"

    def sparsify(self):
        """Makes coef_ a CSR matrix, for a model whose coefficients are mostly 0."""
        from scipy.sparse import csr_matrix

        check_is_fitted(self)
        self.coef_ = csr_matrix(self.coef_)
        return self

    def densify(self):
        """Undoes sparsify()."""
        check_is_fitted(self)
        self.coef_ = self.coef_.toarray() if hasattr(self.coef_, "toarray") else self.coef_
        return self


class LinearClassifier(ClassifierMixin, LinearEstimator):
    """Predicts classes from margins."""

    def decision_function(self, X):
        """Margins of rows: with two classes (rows,), for the second one; else (rows, classes)."""
        margins = self._margins(X)
        return margins[:, 0] if margins.shape[1] == 1 else margins

    def predict(self, X):
        """The class of each row of X."""
        margins = self.decision_function(X)
        number = (margins > 0).astype(np.intp) if margins.ndim == 1 else margins.argmax(axis=1)
        return self.classes_[number]


class _ByC(LinearClassifier):
    """Minimises C * (sum of losses) + ||w||^2 / 2, in the engine's form: the mean loss plus l2 / 2 ||w||^2."""

    _own_terms = {**LinearClassifier._own_terms, "step": ("found on the rows", "C"), "l2": ("1 / (C * rows)", "C")}

    def _rows_of_run(self, X, y, sample_weight):
        return self._class_rows(X, y, sample_weight, shuffle=True)

    def _options_of_run(self, rows):
        """The options of a run on these rows; raises ValueError for invalid parameters."""
        self._check_parameters()
        model, several = self._model(), len(rows.classes) > 2
        if model == "logistic" and several:
            model = "softmax"
        n = rows.data.shape[0]
        options = {"model": model, "bias": bool(self.fit_intercept), "epochs": self.max_iter,
                   **self._penalties(n * rows.mean_weight), "tolerance": float(self.tol) or None}
        if self.tol > 0 and not options["l2"] and not options["l1"]:
            options.update(falling(self.max_iter, n), tolerance_epochs=FLAT_EPOCHS)
        if several and model != "softmax":
            options["multiclass"] = "ovr"
        return options

    def _penalties(self, weight):
        """l2 and l1 of an objective that is divided by C and the sum of the rows' weights."""
        strength = 1.0 / (float(self.C) * weight)
        ratio = 1.0 if self.penalty == "l1" else getattr(self, "l1_ratio", None) or 0.0
        strength = 0.0 if self.penalty is None else strength
        return {"l2": strength * (1.0 - ratio), "l1": (strength * ratio) or None}

    def _beginning(self, model, rows):
        """With warm_start the result of the last fit. Raises ValueError if that had other numbers of columns or
        classes."""
        if not getattr(self, "warm_start", False) or getattr(self, "coef_", None) is None:
            return None
        coef = self.coef_.toarray() if hasattr(self.coef_, "toarray") else self.coef_
        return self._begin_with(model, coef, self.intercept_, rows.features, len(rows.classes))

    def _check_parameters(self):
        require("dual", self.dual, self.dual in (False, "auto"),
                "False: the engine trains the weights themselves, and knows no dual")
        require("intercept_scaling", self.intercept_scaling, self.intercept_scaling == 1,
                "1: the constant term is not regularised, so that nothing is to be scaled")
        require_number("C", self.C, 0, strictly=True)
        require_number("tol", self.tol, 0)
        require_count("max_iter", self.max_iter)

    def fit(self, X, y=None, sample_weight=None):
        """Trains on X (array, sparse matrix, frame or Dataset) and y. Returns self."""
        self._check_parameters()
        rows = self._rows_of_run(X, y, sample_weight)
        options = self._options_of_run(rows)
        saved, interrupt = self._train(rows, options, self._beginning(options["model"], rows))
        self.classes_ = rows.classes
        self._take_saved(saved, rows)
        if interrupt is not None:
            raise interrupt
        self._warn_of_distance()
        return self

    def _is_unfinished(self, status):
        return self.tol > 0 and status in ("done", "no_progress")

    def _warn_of_distance(self):
        """Warns of the possible distance from the optimum, because these estimators promise to reach it."""
        if not self._is_unfinished(self.run_["status"]):
            return
        gap, ended = self.run_.get("gap"), self.run_["status"] == "no_progress"
        if gap is None:
            known = ("without a penalty the distance from the optimum is unknown; the run has ended where "
                     f"{FLAT_EPOCHS} epochs gained little, or by max_iter={self.max_iter}")
        else:
            known = (f"after {self.run_['epochs']} epochs the objective may still lie {gap:.2g} of itself above the "
                     f"optimum, more than tol={self.tol:g}{', and further ones would gain nothing' if ended else ''}. "
                     f"Increase {'tol' if ended else 'max_iter or tol'}, scale the columns, or lower C")
        warnings.warn(f"Not known to have converged: {known}.", ConvergenceWarning, stacklevel=outside())


class LinearSVC(_ByC):
    """A linear support vector machine, like scikit-learn's.

    Parameters
    ----------
    penalty : {'l2', 'l1'}, default='l2'
    loss : {'hinge', 'squared_hinge'}, default='squared_hinge'
    tol : float, default=1e-4
        The run ends when the objective is known to be above the optimum by at most this fraction of itself;
        run_["gap"] is the last bound. ConvergenceWarning if max_iter ends it before. 0: max_iter epochs.
    C : float, default=1.0
        Weight of the losses relative to ||w||^2 / 2.
    multi_class : {'ovr'}, default='ovr'
    fit_intercept : bool, default=True
        A constant term, which is not regularised, unlike liblinear's.
    class_weight : dict or 'balanced', default=None
    verbose : int, default=0
    dual : {False, 'auto'}, default='auto'
        The engine always solves the primal problem.
    intercept_scaling : {1}, default=1
    random_state : int, RandomState instance or None, default=None
    max_iter : int, default=1000
        Most passes over the rows.
    n_jobs : int, default=None
        Workers: None: one, -1: as many as this process may use.
    engine : {'auto', 'serial', 'threads'}, default='auto'
    reproducible : bool, default=False
        Whether the result has the same bits for any n_jobs.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : int
    run_ : hogwild.Run
    """

    def __init__(self, penalty="l2", loss="squared_hinge", *, dual="auto", tol=1e-4, C=1.0, multi_class="ovr",
                 fit_intercept=True, intercept_scaling=1, class_weight=None, verbose=0, random_state=None, max_iter=1000,
                 n_jobs=None, engine="auto", reproducible=False):
        keep_parameters(self, locals())

    def _check_parameters(self):
        super()._check_parameters()
        require("penalty", self.penalty, self.penalty in ("l2", "l1"), "'l2' or 'l1'")
        require("loss", self.loss, self.loss in ("hinge", "squared_hinge"), "'hinge' or 'squared_hinge'")
        require("multi_class", self.multi_class, self.multi_class == "ovr", "'ovr'")

    def _model(self):
        return "hinge_svm" if self.loss == "hinge" else "squared_hinge"


class LogisticRegression(_ByC):
    """Logistic regression, with three or more classes by one softmax, like scikit-learn's.

    Parameters
    ----------
    penalty : {'l2', 'l1', 'elasticnet', None}, default='l2'
    C : float, default=1.0
        Weight of the losses relative to ||w||^2 / 2.
    tol : float, default=1e-4
        The run ends when the objective is known to be above the optimum by at most this fraction of itself;
        run_["gap"] is the last bound. ConvergenceWarning if max_iter ends it before. 0: max_iter epochs.
    fit_intercept : bool, default=True
    class_weight : dict or 'balanced', default=None
    random_state : int, RandomState instance or None, default=None
    max_iter : int, default=200
        Most passes over the rows.
    l1_ratio : float or None, default=None
        The fraction of the penalty that is l1, from 0 to 1. From 1.8 on scikit-learn sets all penalties by it.
    solver : None
        The engine is the only solver; the name of a solver of scikit-learn raises an error that says so.
    warm_start : bool, default=False
        Begin with the coefficients of the last fit.
    dual : {False}, default=False
    intercept_scaling : {1}, default=1
    verbose : int, default=0
    n_jobs : int, default=None
        Workers: None: one, -1: as many as this process may use.
    engine : {'auto', 'serial', 'threads'}, default='auto'
    reproducible : bool, default=False
        Whether the result has the same bits for any n_jobs.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : ndarray of shape (1,)
    run_ : hogwild.Run
    """

    def __init__(self, penalty="l2", *, C=1.0, l1_ratio=None, dual=False, tol=1e-4, fit_intercept=True,
                 intercept_scaling=1, class_weight=None, random_state=None, solver=None, max_iter=200, verbose=0,
                 warm_start=False, n_jobs=None, engine="auto", reproducible=False):
        keep_parameters(self, locals())

    def _check_parameters(self):
        super()._check_parameters()
        require("penalty", self.penalty, self.penalty in ("l2", "l1", "elasticnet", None),
                "'l2', 'l1', 'elasticnet' or None")
        require("l1_ratio", self.l1_ratio, self.l1_ratio is None or
                (is_number(self.l1_ratio) and 0 <= self.l1_ratio <= 1), "a number from 0 to 1, or None")
        require("l1_ratio", self.l1_ratio, self.penalty != "elasticnet" or self.l1_ratio is not None,
                "a number with penalty='elasticnet'")
        require("l1_ratio", self.l1_ratio, self.penalty not in ("l1", None) or self.l1_ratio is None,
                f"None with penalty={self.penalty!r}")
        require("solver", self.solver, self.solver is None,
                "None: stochastic gradient descent is what there is, and max_iter counts its passes")

    def _model(self):
        return "logistic"

    def _link(self, several):
        return "softmax" if several else "logistic"

    def _set_epochs(self, epochs):
        self.n_iter_ = np.array([epochs], np.int32)

    def predict_proba(self, X):
        """The probability of each class for each row: (rows, classes)."""
        margins = self.decision_function(X)
        if margins.ndim == 1:
            margins = np.column_stack([-margins / 2, margins / 2])
        margins = np.exp(margins - margins.max(axis=1, keepdims=True))
        return margins / margins.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X):
        """The logarithm of predict_proba()."""
        return np.log(self.predict_proba(X))
