# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's own checks of estimators: none fails except those that its SGD declares, too."""
import pytest

pytest.importorskip("sklearn")
from sklearn.utils.estimator_checks import estimator_checks_generator

from hogwild.sklearn import (FFM, FactorizationMachineClassifier, FactorizationMachineRegressor, LinearSVC,
                             LogisticRegression, MLPClassifier, SGDClassifier, SGDRegressor)

# The checks that scikit-learn's stochastic methods may fail, with its reasons.
STOCHASTIC = {
    "check_sample_weight_equivalence_on_dense_data": "rows of weight 2 are drawn once, and rows twice are drawn twice",
    "check_sample_weight_equivalence_on_sparse_data": "rows of weight 2 are drawn once, and rows twice are drawn twice",
}
ESTIMATORS = [SGDClassifier(), SGDClassifier(loss="log_loss"), SGDRegressor(), LogisticRegression(), LinearSVC(),
              FactorizationMachineClassifier(), FactorizationMachineRegressor(), FFM(), MLPClassifier()]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=[repr(e) for e in ESTIMATORS])
def test_scikit_learn_finds_nothing_wrong(estimator):
    failed, passed = [], 0
    for checked, check in estimator_checks_generator(estimator):
        name = getattr(check, "func", check).__name__
        try:
            check(checked)
            passed += 1
        except Exception as fault:
            if name not in STOCHASTIC and "SkipTest" not in type(fault).__name__:
                failed.append(f"{name}: {type(fault).__name__}: {fault}")
    assert not failed, "\n".join(failed)
    assert passed > 45
