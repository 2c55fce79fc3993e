# SPDX-License-Identifier: Apache-2.0
"""MLPClassifier: a neural net."""
import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._arrays import zeros_for
from .._train import keep_parameters
from ._base import is_number, require, require_count, require_number
from ._fm import ModelEstimator
from ._sgd import SCHEDULES

MOST_OF_A_BATCH, BATCH_OF_AUTO = 256, 200


class MLPClassifier(ClassifierMixin, ModelEstimator):
    """A classifier with ReLU layers, like scikit-learn's.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int, default=(100,)
        At most four.
    activation : {'relu'}, default='relu'
    alpha : float, default=0.0001
        Strength of l2, divided by the number of rows as in scikit-learn.
    solver : {'adam', 'sgd', 'momentum', 'adagrad'}, default='adam'
    learning_rate : {'constant', 'geometric', 'inverse', 'linear', 'cosine', 'plateau'} or None, default=None
        The schedule of the step; None: the model's default.
    learning_rate_init : float or None, default=None
        The first step; None: the model's default.
    momentum : float or None, default=None
        For solver 'momentum'; None: 0.9.
    beta_1, beta_2 : float or None, default=None
        For solver 'adam'; None: 0.9 and 0.999.
    dropout : float, default=0.0
        The fraction of each hidden layer that training leaves out.
    batch_size : int, 'auto' or None, default=None
        Rows that see the same weights, 1 to 256; None: the model's default; 'auto': 200, or all rows if there are
        fewer.
    max_iter : int, default=20
        Most passes over the rows.
    tol : float or None, default=None
        The run ends when n_iter_no_change epochs in a row lower the objective by no more than this fraction of how far
        it has fallen.
    early_stopping : bool, default=False
    validation_fraction : float, default=0.1
    n_iter_no_change : int, default=10
    class_weight : dict or 'balanced', default=None
    warm_start : bool, default=False
        Begin with the parameters of the last fit, which must have the same columns, classes and layers.
    shuffle : bool, default=True
    verbose : int, default=0
    n_jobs : int, default=None
        Workers: None: one, -1: as many as this process may use.
    random_state : int, RandomState instance or None, default=None
    engine : {'auto', 'serial', 'threads'}, default='auto'
    reproducible : bool, default=False

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    model_ : hogwild.Model
    coefs_, intercepts_ : lists of ndarrays
        The weights of each layer, of shape (inputs, outputs), and its constant terms.
    loss_ : float
        The loss of the last epoch, without l2.
    loss_curve_ : list of float
        The loss of each epoch.
    validation_loss_curve_ : list of float or None
        The same for the rows that early_stopping holds back.
    n_layers_, n_outputs_ : int
    out_activation_ : 'softmax'
    n_iter_ : int
    run_ : hogwild.Run
    """

    _own_terms = {**ModelEstimator._own_terms, "step": ("learning_rate_init", "learning_rate_init")}

    def __init__(self, hidden_layer_sizes=(100,), activation="relu", *, alpha=0.0001, solver="adam", learning_rate=None,
                 learning_rate_init=None, momentum=None, beta_1=None, beta_2=None, dropout=0.0, batch_size=None,
                 max_iter=20, tol=None, early_stopping=False, validation_fraction=0.1, n_iter_no_change=10,
                 class_weight=None, warm_start=False, shuffle=True, verbose=0, n_jobs=None, random_state=None,
                 engine="auto", reproducible=False):
        keep_parameters(self, locals())

    def _check_parameters(self):
        """Returns the widths of the hidden layers. Raises ValueError for invalid parameters."""
        require_number("alpha", self.alpha, 0)
        require("activation", self.activation, self.activation == "relu",
                "'relu': hogwild.torch.share() trains nets of PyTorch's with any other one")
        if self.solver == "lbfgs":
            raise ValueError("solver='lbfgs' takes all rows for a step, which the engine does not: take 'adam'")
        require("solver", self.solver, self.solver in ("adam", "sgd", "momentum", "adagrad"),
                "'adam', 'sgd', 'momentum' or 'adagrad'")
        if self.learning_rate in ("invscaling", "adaptive"):
            raise ValueError(f"learning_rate={self.learning_rate!r} is a formula of scikit-learn's that the engine has "
                             "not: None is the model's own way, and others are " + ", ".join(SCHEDULES[1:]))
        require("learning_rate", self.learning_rate, self.learning_rate is None or self.learning_rate in SCHEDULES[1:],
                "None or one of " + ", ".join(SCHEDULES[1:]))
        require("learning_rate", self.learning_rate, self.learning_rate != "plateau" or self.early_stopping,
                "another one, or early_stopping=True: it goes by the validation loss")
        for name, solver in (("momentum", "momentum"), ("beta_1", "adam"), ("beta_2", "adam")):
            value = getattr(self, name)
            if value is not None:
                require(name, value, self.solver == solver, f"None with solver={self.solver!r}: it is of {solver!r}")
                require(name, value, is_number(value) and 0 <= value < 1, "a number from 0 on, below 1")
        if self.batch_size != "auto" and self.batch_size is not None:
            require_count("batch_size", self.batch_size)
            require("batch_size", self.batch_size, self.batch_size <= MOST_OF_A_BATCH,
                    f"'auto', None or a whole number from 1 to {MOST_OF_A_BATCH}")
        widths = np.atleast_1d(self.hidden_layer_sizes).tolist()
        require("hidden_layer_sizes", self.hidden_layer_sizes, 1 <= len(widths) <= 4 and
                all(isinstance(w, int) and w > 0 for w in widths), "one to four whole numbers above 0")
        return widths

    def fit(self, X, y=None, sample_weight=None):
        """Trains on X (array, sparse matrix, frame or Dataset) and y. Returns self."""
        widths = self._check_parameters()
        rows = self._class_rows(X, y, sample_weight, self.shuffle)
        n = rows.data.shape[0]
        batch = min(BATCH_OF_AUTO, n) if self.batch_size == "auto" else self.batch_size
        options = {"model": "mlp", "hidden": widths, "optimizer": self.solver, "l2": float(self.alpha) / n,
                   "step": self.learning_rate_init, "schedule": self.learning_rate, "momentum": self.momentum,
                   "beta1": self.beta_1, "beta2": self.beta_2, "dropout": float(self.dropout) or None, "batch": batch,
                   **self._common_options()}
        before = getattr(self, "model_", None) if self.warm_start else None
        if before is not None and not self._goes_on_from(rows, widths):
            raise ValueError("warm_start=True, and the last fit was of other columns, classes or layers: begin anew with a "
                             "clone, or with warm_start=False")
        return self._fit_model(rows, options, None if before is None else before._saved)

    def _goes_on_from(self, rows, widths):
        shapes = [(rows.features, widths[0]), *zip(widths, [*widths[1:], len(rows.classes)])]
        return [c.shape for c in self.coefs_] == shapes and np.array_equal(self.classes_, rows.classes)

    def _take_saved(self, saved, rows):
        super()._take_saved(saved, rows)
        width = saved.width
        first = zeros_for("coefs_", (rows.features, width), np.float32)
        first[saved.columns.astype(np.int64) - rows.data._first_column] = saved.weights.reshape(-1, width)
        hidden = [int(size) for name, size in saved.options if name.startswith("hidden")]
        sizes, rest = [*hidden, len(rows.classes)], saved.bias
        self.coefs_, self.intercepts_, at = [first], [rest[:width]], width
        for inputs, outputs in zip(sizes, sizes[1:]):
            self.coefs_.append(rest[at:at + inputs * outputs].reshape(inputs, outputs))
            self.intercepts_.append(rest[at + inputs * outputs:at + (inputs + 1) * outputs])
            at += (inputs + 1) * outputs
        self.n_layers_, self.n_outputs_, self.out_activation_ = len(sizes) + 1, len(rows.classes), "softmax"
        self.loss_curve_ = [epoch["train_loss"] for epoch in self.run_.history]
        self.loss_ = self.loss_curve_[-1] if self.loss_curve_ else np.nan
        held_back = [epoch["validation_loss"] for epoch in self.run_.history if "validation_loss" in epoch]
        self.validation_loss_curve_ = held_back or None

    @property
    def partial_fit(self):
        """Not supported: raises AttributeError."""
        raise AttributeError("MLPClassifier has no partial_fit: a run has all rows, and what adam remembers ends with it. "
                             "warm_start=True goes on from the last fit, and SGDClassifier takes rows as they come")

    def predict_proba(self, X):
        """The probability of each class for each row: (rows, classes)."""
        X = self._prepared(X)
        return self.model_.predict_proba(X)

    def predict_log_proba(self, X):
        """The logarithm of predict_proba()."""
        return np.log(self.predict_proba(X))

    def predict(self, X):
        """The class of each row of X."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
