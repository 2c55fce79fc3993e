# SPDX-License-Identifier: Apache-2.0
"""Estimators with scikit-learn's habits, trained by the engine."""
from ._linear import LinearSVC, LogisticRegression
from ._machines import FFM, FactorizationMachineClassifier, FactorizationMachineRegressor, MLPClassifier
from ._sgd import SGDClassifier, SGDRegressor

__all__ = ["SGDClassifier", "SGDRegressor", "LogisticRegression", "LinearSVC", "FactorizationMachineClassifier",
           "FactorizationMachineRegressor", "FFM", "MLPClassifier"]
