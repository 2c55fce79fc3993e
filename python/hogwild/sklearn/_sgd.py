# SPDX-License-Identifier: Apache-2.0
"""SGDClassifier and SGDRegressor: scikit-learn's parameters, the engine's training."""
import ctypes
import os
import warnings

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from .. import _engine
from .._data import Dataset
from .._loss import Loss
from .._train import keep_parameters, outside, words_of
from ._base import as_numbers, require, require_count, require_number, validated, weights_of
from ._linear import LinearClassifier, LinearEstimator, falling

# scikit-learn's losses: the engine's model, and the model's name for epsilon.
CLASS_LOSSES = {"hinge": ("hinge_svm", None), "log_loss": ("logistic", None),
                "squared_hinge": ("squared_hinge", None), "modified_huber": ("modified_huber", None)}
NUMBER_LOSSES = {"squared_error": ("least_squares", None), "huber": ("huber", "huber_delta"),
                 "epsilon_insensitive": ("epsilon_insensitive", "epsilon"),
                 "squared_epsilon_insensitive": ("squared_epsilon_insensitive", "epsilon")}
SCHEDULES = ("auto", "constant", "geometric", "inverse", "linear", "cosine", "plateau")
SKLEARN_SCHEDULES = ("optimal", "invscaling", "adaptive", "pa1", "pa2")


class SgdEstimator(LinearEstimator):
    """The parameters that both estimators have."""

    def _check_parameters(self, losses):
        if isinstance(self.loss, Loss):
            wanted = "binary" if losses is CLASS_LOSSES else "numbers"
            require("loss", self.loss, self.loss.labels == wanted, f"one with labels={wanted!r}")
        else:
            require("loss", self.loss, self.loss in losses, "one of " + ", ".join(losses) +
                    ", or what hogwild.loss has compiled")
        require("penalty", self.penalty, self.penalty in ("l2", "l1", "elasticnet", None),
                "'l2', 'l1', 'elasticnet' or None")
        require_number("alpha", self.alpha, 0)
        require("l1_ratio", self.l1_ratio, self.penalty != "elasticnet" or
                (self.l1_ratio is not None and 0 <= self.l1_ratio <= 1), "a number from 0 to 1")
        require_count("max_iter", self.max_iter)
        if self.tol is not None:
            require_number("tol", self.tol, -np.inf)
        require_number("epsilon", self.epsilon, 0)
        if self.learning_rate in SKLEARN_SCHEDULES:
            raise ValueError(f"learning_rate={self.learning_rate!r} is a formula of scikit-learn's that the engine has "
                             "not: 'auto' finds a step by a short search, and others are " + ", ".join(SCHEDULES[1:]))
        require("learning_rate", self.learning_rate, self.learning_rate in SCHEDULES, "one of " + ", ".join(SCHEDULES))
        if self.power_t is not None:
            raise ValueError(f"power_t={self.power_t!r} is of learning_rate='invscaling', which the engine has not: it "
                             "must be None, and learning_rate='inverse' is what comes nearest to that")
        if self.eta0 is not None:
            require_number("eta0", self.eta0, 0, strictly=True)
        if self.early_stopping:
            require("validation_fraction", self.validation_fraction, 0 < self.validation_fraction < 1,
                    "a number between 0 and 1")
        require_count("n_iter_no_change", self.n_iter_no_change)
        require("average", self.average, 0 <= self.average <= 1,
                "False, True or a fraction of the epochs, from 0 to 1")
        require("learning_rate", self.learning_rate, self.learning_rate != "plateau" or self.early_stopping,
                "another one, or early_stopping=True: it goes by the validation loss")

    def _penalties(self, mean_weight):
        """l2 and l1 of an objective whose losses are divided by the mean weight."""
        alpha = float(self.alpha) / mean_weight
        ratio = {"l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio, None: 0.0}[self.penalty]
        if self.penalty is None:
            alpha = 0.0
        return {"l2": alpha * (1.0 - ratio), "l1": (alpha * ratio) or None}

    def _options(self, losses, mean_weight=1.0):
        model, epsilon = ("own_loss", None) if isinstance(self.loss, Loss) else losses[self.loss]
        options = {"model": model, "bias": bool(self.fit_intercept), **self._penalties(mean_weight), "step": self.eta0}
        if epsilon is not None:
            options[epsilon] = float(self.epsilon)
        if self.learning_rate != "auto":
            options["schedule"] = self.learning_rate
        return options

    def _fit_options(self, losses, mean_weight, rows, several):
        options = self._options(losses, mean_weight)
        options["epochs"] = self.max_iter
        tol = self._tolerance()
        if tol is not None:
            if tol > 0:
                options.update(tolerance=tol, tolerance_epochs=self.n_iter_no_change)
            if self.learning_rate == "auto" and self.eta0 is None:
                options.update(falling(self.max_iter, rows))
        if self.early_stopping:
            options["validation"] = float(self.validation_fraction)
            options["patience"] = self.n_iter_no_change
        elif not several:
            # Measuring an epoch takes as long as training it, and nobody needs each measurement.
            options["measure_every"] = self.n_iter_no_change if tol else self.max_iter
        if not self.shuffle:
            options["order"] = "sequential"
        if self.average:
            options["average"] = float(self.average)
        return options

    def _tolerance(self):
        return None if self.tol is None or self.tol < 0 else float(self.tol)

    def _beginning(self, coef_init, intercept_init, model, rows):
        """The initial coefficients: those given to fit(), or with warm_start the present ones."""
        if self.warm_start and getattr(self, "coef_", None) is not None:
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        if coef_init is None and intercept_init is None:
            return None
        coef = coef_init.toarray() if hasattr(coef_init, "toarray") else coef_init
        return self._begin_with(model, coef, intercept_init, rows.features,
                                0 if rows.classes is None else len(rows.classes))

    def _options_of_run(self, rows):
        """The options of a run on these rows; raises ValueError for invalid parameters."""
        losses = NUMBER_LOSSES if rows.classes is None else CLASS_LOSSES
        self._check_parameters(losses)
        several = rows.classes is not None and len(rows.classes) > 2
        options = self._fit_options(losses, rows.mean_weight, rows.data.shape[0], several)
        own = self.loss._own if isinstance(self.loss, Loss) else None
        if several:
            if own is not None:
                raise ValueError("what hogwild.loss compiles tells two classes apart: for more take "
                                 "sklearn.multiclass.OneVsRestClassifier(SGDClassifier(loss))")
            options["multiclass"] = "ovr"
        return options

    def _fit_sgd(self, rows, coef_init, intercept_init):
        options = self._options_of_run(rows)
        initial = self._beginning(coef_init, intercept_init, options["model"], rows)
        own = self.loss._own if isinstance(self.loss, Loss) else None
        saved, interrupt = self._train(rows, options, initial, own)
        self._forget_stream()
        if rows.classes is not None:
            self.classes_ = rows.classes
        self._take_saved(saved, rows)
        self.t_ = 1.0 + self.n_iter_ * rows.data.shape[0]
        if interrupt is not None:
            raise interrupt
        self._warn_of_end(self._tolerance(), self.max_iter)
        return self

    def _stream_options(self, losses):
        """The options for the next rows of a stream; raises ValueError for parameters that a stream does not allow."""
        if self.early_stopping:
            raise ValueError("early_stopping should be False with partial_fit")
        if isinstance(self.loss, Loss):
            raise ValueError("partial_fit knows the engine's own losses alone: fit() takes what hogwild.loss compiles")
        if self.average not in (False, True):
            raise ValueError(f"average={self.average!r}: a stream has no last epochs; True is the mean over all rows")
        require("learning_rate", self.learning_rate, self.learning_rate in ("auto", "constant"),
                "'auto' or 'constant' with partial_fit: a stream has no last epoch that a step could fall to")
        who = self._who()
        if who.pop("reproducible"):
            raise ValueError("partial_fit is reproducible with n_jobs=1: leave out reproducible=True")
        return {**self._options(losses), **who}

    def _stream_of(self, losses, classes, features):
        """The stream for the next rows: the last one, or a new one that continues it with changed parameters."""
        options = self._stream_options(losses)
        before = getattr(self, "_stream_begun", None)  # the parameters of the last stream
        if getattr(self, "_stream", None) is not None:
            if self._stream_process == os.getpid():
                if options == before:
                    return self._stream
            else:
                # A child process does not have the threads of its parent's stream, and must not wait for them, so it
                # never destroys the stream.
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._stream))
            self._stream = None
        none = np.zeros(0, np.float32)
        weights, bias = none, none
        if getattr(self, "_mean", None) is not None:
            weights, bias = self._trained  # coef_ is a mean of these
        elif getattr(self, "coef_", None) is not None:
            coef = self.coef_.toarray() if hasattr(self.coef_, "toarray") else self.coef_
            weights, bias = np.ascontiguousarray(coef.reshape(-1), np.float32), np.asarray(self.intercept_, np.float32)
        if not self.fit_intercept and np.any(bias):
            raise ValueError("fit_intercept=False, and the coefficients that this goes on from have an intercept: leave "
                             "it True, or begin anew")
        # A step that was found stays for the whole stream, whatever else is changed, except for another loss.
        found = getattr(self, "_stream_step", None)
        keeps = before is not None and found and all(options[k] == before[k] for k in ("model", "step"))
        step = found if keeps and found * options["l2"] < 1 else self.eta0
        words = words_of({**options, "step": step, "seed": self._seed()})
        self._stream = _engine.Stream(words, classes, features, weights, np.ascontiguousarray(bias))
        self._stream_process, self._stream_begun = os.getpid(), options
        self._mean_before = getattr(self, "_mean", None) if self.average else None
        return self._stream

    def _warn_of_blow_up(self):
        if self._stream.diverged:
            warnings.warn("The last rows are predicted worse than by an untrained model: scale the columns, or give a "
                          "lower eta0.", ConvergenceWarning, stacklevel=outside())

    def _take_rows(self, losses, data, classes, features, dtype):
        stream = self._stream_of(losses, classes, features)
        stream.take(data._rows, bool(self.average))
        weights, bias = stream.weights(), stream.bias()
        if not (np.all(np.isfinite(weights)) and np.all(np.isfinite(bias))):
            self._forget_stream()
            raise ValueError("the coefficients are not finite: scale the columns, or give a lower eta0")
        self._stream_step = stream.step
        self._trained = (weights.reshape(-1), bias)
        self._mean = self._mean_with(stream) if self.average else None
        if self._mean is not None:
            mean = self._mean[0]
            weights, bias = mean[:weights.size].reshape(weights.shape), mean[weights.size:]
        self.coef_ = weights.astype(dtype, order="F")  # as in _take_saved()
        self.intercept_ = bias.astype(dtype)
        self.n_iter_ = 1
        self.t_ = getattr(self, "t_", 1.0) + data.shape[0]

    def _mean_with(self, stream):
        """The mean over the rows of this stream and of earlier ones, and the number of these rows."""
        mean, rows = stream.mean(), stream.averaged
        if self._mean_before is None:
            return mean, rows
        earlier, before = self._mean_before
        return earlier + (mean - earlier) * (rows / (rows + before)), rows + before

    def _forget_stream(self):
        self._stream = self._stream_step = self._stream_begun = self._trained = self._mean = None

    def __getstate__(self):
        state = super().__getstate__().copy()
        state.pop("_stream", None)  # the next partial_fit() begins with the coefficients
        return state


class SGDClassifier(LinearClassifier, SgdEstimator):
    """Linear classifiers by stochastic gradient descent, like scikit-learn's.

    Minimises (1/n) sum_i weight_i loss(y_i, x_i w + b) + alpha R(w).

    Parameters
    ----------
    loss : {'hinge', 'log_loss', 'squared_hinge', 'modified_huber'} or hogwild.Loss, default='hinge'
    penalty : {'l2', 'l1', 'elasticnet', None}, default='l2'
    alpha : float, default=0.0001
    l1_ratio : float, default=0.15
        For elasticnet, from 0 to 1.
    fit_intercept : bool, default=True
        A constant term, which is not regularised.
    max_iter : int, default=1000
        Most passes over the rows.
    tol : float or None, default=1e-3
        The run ends when n_iter_no_change epochs in a row lower the objective by no more than this fraction of how far
        it has fallen. None: max_iter passes.
    shuffle : bool, default=True
        Rows are copied in random order, once, and trained in pieces whose order changes with each epoch. False: they
        are trained in the order given, and borrowed if their types allow.
    verbose : int, default=0
        Above 0: prints a line for each epoch.
    epsilon : float, default=0.1
        For SGDRegressor's losses only.
    n_jobs : int, default=None
        Workers: None: one, -1: as many as this process may use.
    random_state : int, RandomState instance or None, default=None
    learning_rate : {'auto', 'constant', 'geometric', 'inverse', 'linear', 'cosine', 'plateau'}, default='auto'
        The schedule of the step; 'auto' finds a step and decreases it geometrically.
    eta0 : float or None, default=None
        The first step; None: a short search finds one.
    power_t : None
        Belongs to a schedule that only scikit-learn has.
    early_stopping : bool, default=False
        Hold back validation_fraction of the rows, end when their loss stops improving, and keep the best epoch's model.
    validation_fraction : float, default=0.1
    n_iter_no_change : int, default=5
        Number of epochs in a row for tol; with early_stopping, epochs without a better validation loss.
    class_weight : dict or 'balanced', default=None
        Weights of rows by their class.
    warm_start : bool, default=False
        Begin with the coefficients of the last fit.
    average : bool or float, default=False
        The model is the mean of the models of the last epochs, which are this fraction of all epochs; True: of all
        epochs.
    engine : {'auto', 'serial', 'threads'}, default='auto'
        The engine; auto: depends on n_jobs.
    reproducible : bool, default=False
        Whether the result has the same bits for any n_jobs.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features), or (n_classes, n_features) with more than two classes
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : int
        Number of trained epochs.
    run_ : hogwild.Run
        The record of the last fit.
    """

    def __init__(self, loss="hinge", *, penalty="l2", alpha=0.0001, l1_ratio=0.15, fit_intercept=True, max_iter=1000,
                 tol=1e-3, shuffle=True, verbose=0, epsilon=0.1, n_jobs=None, random_state=None, learning_rate="auto",
                 eta0=None, power_t=None, early_stopping=False, validation_fraction=0.1, n_iter_no_change=5,
                 class_weight=None, warm_start=False, average=False, engine="auto", reproducible=False):
        keep_parameters(self, locals())

    def fit(self, X, y=None, coef_init=None, intercept_init=None, sample_weight=None):
        """Trains from the beginning, or with warm_start from the last coefficients.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), frame, or Dataset
        y : array of shape (n_samples,); None with a Dataset, which has its own
        coef_init, intercept_init : arrays, default=None
            Initial values, with the shapes of coef_ and intercept_.
        sample_weight : array of shape (n_samples,), default=None
            Finite and not negative.

        Returns
        -------
        self
        """
        self._check_parameters(CLASS_LOSSES)
        return self._fit_sgd(self._rows_of_run(X, y, sample_weight), coef_init, intercept_init)

    def _rows_of_run(self, X, y, sample_weight):
        return self._class_rows(X, y, sample_weight, self.shuffle)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Trains on these rows once, in their order.

        The first call must give the classes. Parameters that were changed since the last call apply from here on; a
        step that was found stays. average=True: coef_ is the mean over all rows that were trained with it. Without
        an average a ConvergenceWarning says if the last rows are predicted far worse than by an untrained model.
        """
        self._check_parameters(CLASS_LOSSES)
        self._stream_options(CLASS_LOSSES)
        if isinstance(self.class_weight, str):
            raise ValueError(f"class_weight '{self.class_weight}' is not supported for partial_fit: give a dict, which "
                             "compute_class_weight makes of a sample of the labels")
        first = getattr(self, "classes_", None) is None
        X, y = validated(self, X, y, order="C", reset=first)
        if first:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self.classes_ = np.unique(classes)
        elif classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            raise ValueError(f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                             f"{self.classes_!r}")
        known = np.isin(y, self.classes_)
        if not np.all(known):
            raise ValueError(f"y has the label {y[~known][0]!r}, which is none of the classes {self.classes_!r}")
        self._require_classes(self.classes_)
        codes = np.searchsorted(self.classes_, y)
        weight = weights_of(sample_weight, len(codes))
        if self.class_weight is not None:
            of_class = np.array([self.class_weight.get(c, 1.0) for c in self.classes_.tolist()])
            weight = of_class[codes] * (1.0 if weight is None else weight)
        data = Dataset._of_all_columns(X, codes, weight)
        self._take_rows(CLASS_LOSSES, data, len(self.classes_), X.shape[1], X.dtype)
        self._warn_of_blow_up()
        return self

    def _link(self, several):
        return {"log_loss": "logistic", "modified_huber": "clipped"}.get(self.loss, "identity")

    def _has_probabilities(self):
        if self.loss not in ("log_loss", "modified_huber"):
            raise AttributeError(f"probability estimates are not available for loss={self.loss!r}")
        return True

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """The probability of each class for each row: (rows, classes). For the losses log_loss and modified_huber."""
        margins = self._margins(X)
        if self.loss == "log_loss":
            larger = 0.5 * (1.0 + np.tanh(0.5 * margins))
        else:
            larger = (np.clip(margins, -1.0, 1.0) + 1.0) / 2.0
        if larger.shape[1] == 1:
            return np.hstack([1.0 - larger, larger])
        total = larger.sum(axis=1, keepdims=True)
        # If all of a row's classes have 0, they are equally probable.
        return np.where(total > 0.0, larger, 1.0) / np.where(total > 0.0, total, larger.shape[1])

    @available_if(_has_probabilities)
    def predict_log_proba(self, X):
        """The logarithm of predict_proba()."""
        return np.log(self.predict_proba(X))


class SGDRegressor(RegressorMixin, SgdEstimator):
    """Linear regression by stochastic gradient descent, like scikit-learn's.

    Parameters are those of SGDClassifier, except these.

    Parameters
    ----------
    loss : {'squared_error', 'huber', 'epsilon_insensitive', 'squared_epsilon_insensitive'} or hogwild.Loss, default='squared_error'
    epsilon : float, default=0.1
        The residual at which huber changes from quadratic to linear, or up to which the insensitive losses are 0. In
        units of y.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
    run_ : hogwild.Run
    """

    def __init__(self, loss="squared_error", *, penalty="l2", alpha=0.0001, l1_ratio=0.15, fit_intercept=True,
                 max_iter=1000, tol=1e-3, shuffle=True, verbose=0, epsilon=0.1, n_jobs=None, random_state=None,
                 learning_rate="auto", eta0=None, power_t=None, early_stopping=False, validation_fraction=0.1,
                 n_iter_no_change=5, warm_start=False, average=False, engine="auto", reproducible=False):
        keep_parameters(self, locals())

    def fit(self, X, y=None, coef_init=None, intercept_init=None, sample_weight=None):
        """Trains as SGDClassifier.fit() does, on numbers. Returns self."""
        self._check_parameters(NUMBER_LOSSES)
        self._fit_sgd(self._rows_of_run(X, y, sample_weight), coef_init, intercept_init)
        return self

    def _rows_of_run(self, X, y, sample_weight):
        return self._number_rows(X, y, sample_weight, self.shuffle)

    def _take_saved(self, saved, rows):
        super()._take_saved(saved, rows)
        self.coef_ = self.coef_[0]

    def partial_fit(self, X, y, sample_weight=None):
        """Trains on these rows once, in their order, as SGDClassifier.partial_fit() does."""
        self._check_parameters(NUMBER_LOSSES)
        self._stream_options(NUMBER_LOSSES)
        first = getattr(self, "coef_", None) is None
        X, y = validated(self, X, y, order="C", y_numeric=True, reset=first)
        data = Dataset._of_all_columns(X, as_numbers(y), weights_of(sample_weight, len(y)))
        self._take_rows(NUMBER_LOSSES, data, 0, X.shape[1], X.dtype)
        self.coef_ = self.coef_[0]
        self._warn_of_blow_up()
        return self

    def predict(self, X):
        """A number for each row of X."""
        X = self._checked(X)
        numbers = X @ self.coef_.T
        numbers = numbers.toarray() if hasattr(numbers, "toarray") else np.asarray(numbers)
        return numbers.reshape(-1) + self.intercept_[0]
