# SPDX-License-Identifier: Apache-2.0
"""Rows for estimators, and the objectives that scikit-learn gives them."""
import numpy as np

from sklearn.datasets import make_classification


def two_classes(rows=2000, columns=20, seed=0):
    return make_classification(rows, columns, n_informative=8, class_sep=1.0, flip_y=0.05, random_state=seed)


def losses_of(loss, y, margin, epsilon=0.1):
    z = y * margin
    r = margin - y
    return {"hinge": lambda: np.maximum(1 - z, 0), "log_loss": lambda: np.logaddexp(0, -z),
            "squared_hinge": lambda: np.maximum(1 - z, 0) ** 2,
            "modified_huber": lambda: np.where(z < -1, -4 * z, np.maximum(1 - z, 0) ** 2),
            "squared_error": lambda: r * r / 2,
            "huber": lambda: np.where(np.abs(r) <= epsilon, r * r / 2, epsilon * (np.abs(r) - epsilon / 2)),
            "epsilon_insensitive": lambda: np.maximum(np.abs(r) - epsilon, 0),
            "squared_epsilon_insensitive": lambda: np.maximum(np.abs(r) - epsilon, 0) ** 2}[loss]()


def objective(estimator, x, y, sample_weight=None, penalty="l2"):
    """The objective of SGD, by scikit-learn's definition: labels are -1 and 1, or numbers."""
    margin = np.asarray(x @ estimator.coef_.reshape(-1)).reshape(-1) + estimator.intercept_[0]
    loss = losses_of(estimator.loss, y, margin, estimator.epsilon)
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    w = estimator.coef_.reshape(-1)
    ratio = {"l2": 0.0, "l1": 1.0, "elasticnet": estimator.l1_ratio, None: 0.0}[estimator.penalty]
    alpha = 0.0 if estimator.penalty is None else estimator.alpha
    return np.mean(weight * loss) + alpha * ((1 - ratio) * w @ w / 2 + ratio * np.abs(w).sum())
