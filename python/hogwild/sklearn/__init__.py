# SPDX-License-Identifier: Apache-2.0
"""Estimators with scikit-learn's interface, trained by the engine."""
from ._linear import LinearSVC, LogisticRegression
from ._fm import FFM, FactorizationMachineClassifier, FactorizationMachineRegressor
from ._mlp import MLPClassifier
from ._sgd import SGDClassifier, SGDRegressor

__all__ = ["SGDClassifier", "SGDRegressor", "LogisticRegression", "LinearSVC", "FactorizationMachineClassifier",
           "FactorizationMachineRegressor", "FFM", "MLPClassifier"]

# Names that users of other packages look for, and the alternatives here.
_ELSEWHERE = {
    "MLPRegressor": "the engine's nets tell classes: for numbers take FactorizationMachineRegressor or SGDRegressor, or "
                    "train a module of PyTorch's by hogwild.torch.share() and spawn()",
    "Perceptron": "take SGDClassifier, whose loss is 'hinge', or one of your own by hogwild.loss",
    "RidgeClassifier": "take SGDClassifier(loss='squared_hinge'), or LinearSVC",
    "LinearSVR": "take SGDRegressor(loss='epsilon_insensitive')",
    "LinearRegression": "take SGDRegressor(alpha=0)",
    "Ridge": "take SGDRegressor, whose alpha is divided by the number of rows",
    "Lasso": "take SGDRegressor(penalty='l1')",
    "ElasticNet": "take SGDRegressor(penalty='elasticnet')",
}


def __getattr__(name):
    if name in _ELSEWHERE:
        raise ImportError(f"hogwild.sklearn has no {name}: {_ELSEWHERE[name]}")
    raise AttributeError(f"module 'hogwild.sklearn' has no attribute {name!r}")
