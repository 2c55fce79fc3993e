# SPDX-License-Identifier: Apache-2.0
"""hogwild.search over factorization machines: each candidate equals one that is trained alone."""
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, ParameterGrid

from searched import counted, scores_alone, table_of

import hogwild as hw
from hogwild._folds import Fold
from hogwild.sklearn import FFM, FactorizationMachineClassifier, FactorizationMachineRegressor


def pairs(rows=900, columns=6, seed=0):
    """Rows, and numbers to which two columns contribute together."""
    x = np.random.default_rng(seed).normal(size=(rows, columns)).astype(np.float32)
    return x, (7.0 + 3.0 * x[:, 0] * x[:, 1] + x[:, 2]).astype(np.float32)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kind", [FactorizationMachineClassifier, FactorizationMachineRegressor])
def test_a_machine_is_the_one_alone(kind, form, monkeypatch):
    x, y = pairs()
    x = form(x)
    classifies = kind is FactorizationMachineClassifier
    if classifies:
        y = np.where(y > 7.0, "yes", "no")
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    # eta0=None and alpha=None are the model's own; candidates with as many factors are trained side by side.
    estimator = kind(max_iter=2, random_state=3)
    grid = {"n_factors": [3, 8], "alpha": [None, 0.3], "eta0": [None, 1e-3]}
    splits = list(KFold(3, shuffle=True, random_state=0).split(x))
    names = ("accuracy", "roc_auc", "neg_log_loss") if classifies else ("r2", "neg_root_mean_squared_error")
    scorers = {name: get_scorer(name) for name in names}
    fits = counted(monkeypatch, kind)
    for weights in ({}, {"sample_weight": weight}):
        alone = {name: np.empty((8, 3)) for name in names}
        for i, params in enumerate(ParameterGrid(grid)):
            for f, (train, test) in enumerate(splits):
                own, measured = ({name: w[part] for name, w in weights.items()} for part in (train, test))
                fitted = clone(estimator).set_params(**params).fit(x[train], y[train], **own)
                for name, scorer in scorers.items():
                    alone[name][i, f] = scorer(fitted, x[test], y[test], **measured)
        for name, scorer in scorers.items():
            # The engine measures, or an estimator is scored; with weights it is scored, as the scorers take them.
            for asked in (name,) if weights else (name, lambda e, a, b: scorer(e, a, b)):
                fits.fits = 0
                search = hw.search.Grid(estimator, grid, cv=splits, scoring=asked, n_jobs=2).fit(x, y, **weights)
                assert fits.fits == 1  # the best one's, on all rows
                np.testing.assert_allclose(table_of(search), alone[name], rtol=0, atol=1e-5)
            assert np.ptp(alone[name].mean(1)) > 0.01  # or any candidate could be taken for any other


@pytest.mark.parametrize("kind", [FactorizationMachineClassifier, FactorizationMachineRegressor])
def test_a_machine_that_is_scored_is_the_one_that_is_fitted(kind):
    x, y = pairs(300)
    y = (y > 7.0).astype(int) if kind is FactorizationMachineClassifier else y
    train, test = np.arange(200), np.arange(200, 300)
    seen = []

    def keep(fitted, a, b):
        seen.append(fitted)
        return fitted.score(a, b)

    estimator = kind(5, max_iter=3, random_state=0)
    hw.search.Grid(estimator, {"eta0": [0.1]}, cv=[(train, test)], scoring=keep, refit=False).fit(x, y)
    alone = clone(estimator).set_params(eta0=0.1).fit(x[train], y[train])
    assert alone.model_._saved.bytes() == seen[0].model_._saved.bytes()
    assert set(vars(alone)) - set(vars(seen[0])) == {"run_"}
    assert seen[0].n_iter_ == alone.n_iter_ == 3
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(seen[0])).predict(x[test]), alone.predict(x[test]))
    if kind is FactorizationMachineClassifier:
        np.testing.assert_array_equal(seen[0].predict_proba(x[test]), alone.predict_proba(x[test]))
    search = hw.search.Grid(estimator, {"eta0": [0.1, 0.2]}, cv=[(train, test)], return_train_score=True).fit(x, y)
    assert search.cv_results_["split0_train_score"][0] == pytest.approx(alone.score(x[train], y[train]), abs=1e-6)


def test_folds_of_many_rows_are_held_out_of_machines(monkeypatch):
    # As with linear models: one fold has its labels turned, and under small steps the order of rows matters little.
    monkeypatch.setattr("hogwild.sklearn._fm.ROWS_OF_A_DECAY", 800)
    x, y = pairs(1026)
    splits = list(KFold(5, shuffle=True, random_state=0).split(x))
    labels = y > np.median(y)
    labels[splits[3][1]] = ~labels[splits[3][1]]
    cut = []
    monkeypatch.setattr("hogwild._lanes.Fold", lambda *given: cut.append(given) or Fold(*given))
    estimator = FactorizationMachineClassifier(4, max_iter=12, random_state=3)
    grid = {"alpha": [None, 1e-3], "eta0": [None, 0.05]}
    fits = counted(monkeypatch, FactorizationMachineClassifier)
    known = get_scorer("neg_log_loss")
    for scoring in ("neg_log_loss", lambda e, a, b: known(e, a, b)):
        cut.clear()
        fits.fits = 0
        search = hw.search.Grid(estimator, grid, cv=splits, scoring=scoring, n_jobs=2).fit(x, labels)
        found = table_of(search)
        assert not cut and fits.fits == 1
        alone = scores_alone(estimator, search.cv_results_["params"], x, labels, splits, known)
        assert found[:, 3].max() < found[:, [0, 1, 2, 4]].min() - 0.3
        assert np.abs(found - alone).max() < 0.02
    # Few rows, and numbers: their mean and scale are those of the training rows.
    few = FactorizationMachineClassifier(4, max_iter=2, random_state=3)
    of_numbers = FactorizationMachineRegressor(4, max_iter=2, random_state=3)
    for other, rows, target in ((few, x[:900], labels[:900]), (of_numbers, x, y),
                                (clone(few).set_params(class_weight="balanced"), x, labels)):
        cut.clear()
        hw.search.Grid(other, {"alpha": [1e-4, 1e-2]}, cv=KFold(5, shuffle=True, random_state=0)).fit(rows, target)
        assert len(cut) == 5


@pytest.mark.filterwarnings("ignore")
def test_machines_that_have_no_lanes_are_trained_by_a_fit_each(monkeypatch):
    x, y = pairs(400)
    y = y > 7.0
    fits = counted(monkeypatch, FactorizationMachineClassifier)
    estimator = FactorizationMachineClassifier(4, max_iter=3, random_state=0)
    for grid, alone in (({"early_stopping": [False, True], "alpha": [1e-4, 1e-2]}, 4), ({"n_jobs": [1, 2]}, 2),
                        ({"reproducible": [True]}, 2), ({"n_factors": [4, 0]}, 2), ({"eta0": [0.1, -1.0]}, 2)):
        fits.fits = 0
        found = hw.search.Grid(estimator, grid, cv=2).fit(x, y)
        assert fits.fits == alone + 1, grid
        refused = [p.get("n_factors") == 0 or p.get("eta0") == -1.0 for p in found.cv_results_["params"]]
        assert np.isnan(found.cv_results_["mean_test_score"]).tolist() == refused
    for wrong in ({"n_factors": [0]}, {"eta0": [-1.0]}, {"alpha": ["much"]}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            hw.search.Grid(estimator, wrong, cv=2, error_score="raise").fit(x, y)
    # Field-aware machines have no lanes.
    fits = counted(monkeypatch, FFM)
    hw.search.Grid(FFM(2, max_iter=2, random_state=0), {"alpha": [1e-4, 1e-2]}, cv=2).fit(x, y)
    assert fits.fits == 5


@pytest.mark.parametrize("kind", ["Random", "Halving", "Hyperband"])
def test_a_planted_best_machine_is_found(kind, monkeypatch):
    x, y = pairs(600)
    estimator = FactorizationMachineRegressor(max_iter=9, random_state=0)
    space = {"alpha": [None], "eta0": [1e-6, 2e-6, 3e-6, 0.1, 4e-6, 5e-6], "n_factors": [2, 6]}
    options = {"Random": dict(n_iter=12), "Halving": dict(n_candidates=12), "Hyperband": {}}[kind]
    fits = counted(monkeypatch, FactorizationMachineRegressor)
    found = getattr(hw.search, kind)(estimator, space, cv=3, n_jobs=2, random_state=1, **options).fit(x, y)
    assert fits.fits == 1
    assert found.best_params_["eta0"] == 0.1
    # A candidate that was trained in parts equals one that was trained at once.
    whole = hw.search.Grid(clone(estimator).set_params(**found.best_params_), {"alpha": [None]}, cv=3).fit(x, y)
    assert found.best_score_ == pytest.approx(whole.best_score_, abs=1e-6)


def test_a_machine_that_its_tolerance_has_not_ended_warns_no_more_than_a_fit(recwarn):
    x, y = pairs(300)
    estimator = FactorizationMachineRegressor(max_iter=2, tol=1e-9, random_state=0)
    estimator.fit(x, y)
    hw.search.Grid(estimator, {"alpha": [1e-4, 1e-2]}, cv=2).fit(x, y)
    assert not recwarn.list
