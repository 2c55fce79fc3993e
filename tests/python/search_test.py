# SPDX-License-Identifier: Apache-2.0
"""hogwild.search: the scores of candidates, the winner, and refusals."""
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file, make_classification, make_regression
from sklearn.linear_model import SGDClassifier as Theirs
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eventually import interrupt_in
from searched import counted, scores_alone, table_of, two_classes

import hogwild as hw
from hogwild import _engine
from hogwild._folds import CommonRows, fold_of_rows
from hogwild._lanes import Lanes
from hogwild.sklearn import LinearSVC, LogisticRegression, SGDClassifier, SGDRegressor


# Fits alone would shuffle rows in an order of their own: here they keep the given one. Side by side a power of two of
# rows see the same weights, and any number in a run of its own: so scores differ by some rows of a fold, and losses by
# some thousandths.
FEW_ROWS = 0.02


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("loss", ["hinge", "log_loss", "squared_hinge", "modified_huber"])
def test_a_candidate_scores_what_it_scores_alone(form, loss, monkeypatch):
    x, y = two_classes()
    x = form(x)
    estimator = SGDClassifier(loss=loss, max_iter=8, tol=None, learning_rate="constant", random_state=3, shuffle=False)
    grid = {"alpha": [1e-4, 1e-2, 1e-1], "eta0": [0.002, 0.01]}
    splits = list(StratifiedKFold(3).split(x, y))
    fits = counted(monkeypatch, SGDClassifier)
    search = hw.search.Grid(estimator, grid, cv=3, scoring="accuracy", n_jobs=2).fit(x, y)
    assert fits.fits == 1  # the best one's, on all rows
    alone = scores_alone(estimator, search.cv_results_["params"], x, y, splits, lambda e, a, b: e.score(a, b))
    assert np.abs(table_of(search) - alone).max() <= FEW_ROWS
    assert np.abs(table_of(search).mean(1) - alone.mean(1)).max() <= FEW_ROWS / 2


def test_with_one_row_at_a_time_a_candidate_is_the_one_alone():
    # With l1, rows are taken one by one, side by side and alone: only rounding differs. An intercept's step would
    # depend on other rows.
    x, y = two_classes()
    estimator = SGDClassifier(loss="log_loss", penalty="elasticnet", l1_ratio=0.5, max_iter=6, tol=None, eta0=0.02,
                              learning_rate="constant", random_state=3, shuffle=False, fit_intercept=False)
    grid = {"alpha": [1e-4, 1e-3, 1e-2, 3e-2]}
    splits = list(StratifiedKFold(4).split(x, y))
    search = hw.search.Grid(estimator, grid, cv=4, scoring="neg_log_loss", n_jobs=2).fit(x, y)
    alone = scores_alone(estimator, search.cv_results_["params"], x, y, splits, get_scorer("neg_log_loss"))
    assert np.abs(table_of(search) - alone).max() < 1e-4


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
def test_of_several_classes_a_candidate_is_the_one_alone(scoring, monkeypatch):
    x, y = make_classification(900, 14, n_informative=8, n_classes=4, random_state=0)
    x, y = StandardScaler().fit_transform(x), np.array(["a", "b", "c", "d"])[y]
    estimator = LogisticRegression(max_iter=12, tol=1e-3, random_state=3)
    grid = {"C": [1e-3, 1e-1, 10.0]}
    fits = counted(monkeypatch, LogisticRegression)
    splits = list(StratifiedKFold(3).split(x, y))
    known = get_scorer(scoring)
    for asked in (scoring, lambda e, a, b: known(e, a, b)):  # measured by the engine, or an estimator is scored
        fits.fits = 0
        search = hw.search.Grid(estimator, grid, scoring=asked, cv=3, n_jobs=2).fit(x, y)
        assert fits.fits == 1
        alone = scores_alone(estimator, search.cv_results_["params"], x, y, splits, known)
        assert np.abs(table_of(search) - alone).max() < 1e-5


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "f1", "matthews_corrcoef", "neg_log_loss"])
def test_the_engine_measures_what_scikit_learn_scores(scoring):
    x, y = two_classes()
    estimator = SGDClassifier(loss="log_loss", max_iter=5, tol=None, random_state=0, eta0=0.05)
    measured = hw.search.Grid(estimator, {"alpha": [1e-4, 1e-2]}, scoring=scoring, cv=4).fit(x, y)
    # A scorer that the engine does not know gets the estimator as it was trained side by side.
    known = get_scorer(scoring)
    scored = hw.search.Grid(estimator, {"alpha": [1e-4, 1e-2]}, scoring=lambda e, a, b: known(e, a, b), cv=4).fit(x, y)
    np.testing.assert_allclose(table_of(measured), table_of(scored), rtol=0, atol=2e-6)


@pytest.mark.parametrize("scoring", [None, "r2", "neg_mean_squared_error", "neg_root_mean_squared_error"])
def test_regressors_are_measured_as_scikit_learn_scores(scoring, monkeypatch):
    x, y = make_regression(900, 10, noise=5.0, random_state=0)
    x, y = StandardScaler().fit_transform(x), (y - y.mean()) / y.std()
    estimator = SGDRegressor(max_iter=8, tol=None, random_state=0, eta0=0.02, shuffle=False)
    fits = counted(monkeypatch, SGDRegressor)
    search = hw.search.Grid(estimator, {"alpha": [1e-4, 1.0]}, scoring=scoring, cv=3).fit(x, y)
    assert fits.fits == 1
    known = get_scorer(scoring or "r2")
    alone = scores_alone(estimator, search.cv_results_["params"], x, y, list(KFold(3).split(x)), known)
    np.testing.assert_allclose(table_of(search), alone, rtol=0, atol=0.01)
    assert search.best_params_ == {"alpha": 1e-4}


def test_a_tolerance_ends_a_candidate_as_it_ends_a_fit():
    x, y = two_classes()
    estimator = SGDClassifier(loss="log_loss", random_state=0, eta0=0.02, learning_rate="constant", max_iter=200)
    ended = []

    def scorer(fitted, a, b):
        ended.append(fitted.n_iter_)
        return fitted.score(a, b)

    grid = {"alpha": [1e-3, 3e-3], "tol": [1e-2]}
    hw.search.Grid(estimator, grid, scoring=scorer, cv=2, refit=False).fit(x, y)
    side_by_side = sorted(ended)
    ended.clear()
    splits = list(StratifiedKFold(2).split(x, y))
    params = [{"alpha": a, "tol": 1e-2} for a in grid["alpha"]]
    scores_alone(estimator, params, x, y, splits, scorer)
    assert max(side_by_side) < 200
    assert np.abs(np.array(side_by_side) - np.sort(ended)).max() <= 3


@pytest.mark.parametrize("kind", ["Grid", "Random", "Halving", "Hyperband"])
def test_a_planted_best_point_is_found(kind):
    x, y = two_classes(1500)
    # All but one candidate learn next to nothing: their weights stay near 0, and labels are mostly of class 0.
    keep = np.flatnonzero((y == 0) | (np.arange(len(y)) % 3 == 0))
    x, y = x[keep], y[keep]
    estimator = SGDClassifier(loss="log_loss", max_iter=9, tol=None, learning_rate="constant", random_state=0)
    space = {"alpha": [1e-3], "eta0": [1e-9, 2e-9, 3e-9, 4e-9, 0.02, 5e-9, 6e-9, 7e-9]}
    search = getattr(hw.search, kind)
    options = {"Random": dict(n_iter=8, random_state=1), "Halving": dict(n_candidates=8, factor=2, random_state=1),
               "Hyperband": dict(random_state=1)}.get(kind, {})
    found = search(estimator, space, cv=3, n_jobs=2, scoring="neg_log_loss", **options).fit(x, y)
    assert found.best_params_ == {"alpha": 1e-3, "eta0": 0.02}
    assert found.cv_results_["params"][found.best_index_] == found.best_params_
    assert found.best_score_ == found.cv_results_["mean_test_score"][found.best_index_]
    again = clone(estimator).set_params(**found.best_params_).fit(x, y)
    np.testing.assert_array_equal(found.best_estimator_.coef_, again.coef_)
    np.testing.assert_array_equal(found.predict(x), again.predict(x))
    assert found.score(x, y) < 0 and list(found.classes_) == [0, 1] and found.n_features_in_ == x.shape[1]


def test_halving_trains_a_third_further():
    x, y = two_classes()
    estimator = SGDClassifier(max_iter=9, tol=None, learning_rate="constant", random_state=0)
    space = {"eta0": list(np.linspace(0.001, 0.09, 9))}
    found = hw.search.Halving(estimator, space, n_candidates=9, cv=2, random_state=0).fit(x, y)
    table = found.cv_results_
    assert table["n_resources"].tolist() == [1] * 9 + [3] * 3 + [9]
    assert table["iter"].tolist() == [0] * 9 + [1] * 3 + [2]
    last = {p["eta0"] for p, e in zip(table["params"], table["n_resources"]) if e == 3}
    first = table["mean_test_score"][:9]
    assert min(first[i] for i in range(9) if table["params"][i]["eta0"] in last) >= np.sort(first)[-3]
    # A candidate that was trained in parts equals one that was trained at once.
    whole = hw.search.Grid(estimator, {"eta0": [found.best_params_["eta0"]]}, cv=2).fit(x, y)
    assert found.best_score_ == pytest.approx(whole.best_score_, abs=FEW_ROWS)


def test_the_table_is_scikit_learns():
    x, y = two_classes(300)
    grid = [{"alpha": [1e-4, 1e-3]}, {"alpha": [1e-2], "eta0": [0.1]}]
    options = dict(cv=3, scoring=["accuracy", "roc_auc"], refit="roc_auc", return_train_score=True)
    ours = hw.search.Grid(SGDClassifier(random_state=0, eta0=0.05, max_iter=5, tol=None), grid, **options).fit(x, y)
    theirs = GridSearchCV(Theirs(random_state=0, eta0=0.05, learning_rate="constant", max_iter=5, tol=None), grid,
                          **options).fit(x, y)
    assert list(ours.cv_results_) == list(theirs.cv_results_)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for name, column in theirs.cv_results_.items():
        assert np.shape(ours.cv_results_[name]) == np.shape(column)
    assert set(vars(theirs)) - {"pre_dispatch", "_checked_cv_orig"} <= set(vars(ours)) | {"pre_dispatch"}
    assert ours.multimetric_ and set(ours.scorer_) == {"accuracy", "roc_auc"}
    assert ours.best_score_ == ours.cv_results_["mean_test_roc_auc"].max()


def test_folds_are_given_as_scikit_learn_takes_them():
    x, y = two_classes(600)
    names = np.array(["no", "yes"])[y]
    groups = np.arange(600) % 5
    estimator = SGDClassifier(random_state=0, max_iter=3, tol=None, eta0=0.05)
    splits = list(ShuffleSplit(2, test_size=0.3, random_state=0).split(x))
    for cv, folds in ((4, 4), (None, 5), (ShuffleSplit(3, random_state=0), 3), (splits, 2), (GroupKFold(5), 5)):
        keywords = {"groups": groups} if isinstance(cv, GroupKFold) else {}
        found = hw.search.Grid(estimator, {"alpha": [1e-3, 1e-4]}, cv=cv).fit(x, names, **keywords)
        assert found.n_splits_ == folds and table_of(found).min() > 0.6
        assert set(found.predict(x)) == {"no", "yes"}


def test_weights_are_cut_as_rows_are():
    x, y = two_classes()
    weight = np.random.default_rng(0).uniform(0.2, 3.0, len(y))
    for options in ({}, {"class_weight": "balanced"}, {"class_weight": {0: 5.0, 1: 1.0}}):
        estimator = SGDClassifier(loss="log_loss", max_iter=6, tol=None, eta0=0.02, random_state=0, shuffle=False,
                                  **options)
        search = hw.search.Grid(estimator, {"alpha": [1e-3, 1e-1]}, cv=3).fit(x, y, sample_weight=weight)
        alone = GridSearchCV(estimator, {"alpha": [1e-3, 1e-1]}, cv=3).fit(x, y, sample_weight=weight)
        assert np.abs(table_of(search) - table_of(alone)).max() <= FEW_ROWS
        by_engine = hw.search.Grid(estimator, {"alpha": [1e-3, 1e-1]}, cv=3).fit(x, y)  # the engine measures
        alone = GridSearchCV(estimator, {"alpha": [1e-3, 1e-1]}, cv=3).fit(x, y)
        assert np.abs(table_of(by_engine) - table_of(alone)).max() <= FEW_ROWS


def test_what_has_no_lanes_is_trained_by_a_fit_each(monkeypatch):
    x, y = two_classes(600)
    fits = counted(monkeypatch, SGDClassifier)
    grid = {"early_stopping": [False, True], "alpha": [1e-4, 1e-2]}
    found = hw.search.Grid(SGDClassifier(random_state=0, max_iter=5, eta0=0.02), grid, cv=2, n_jobs=2).fit(x, y)
    assert fits.fits == 2 * 2 + 1 and np.all(table_of(found) > 0.6)
    # Three classes, too, and steps of any estimator.
    x3, y3 = make_classification(600, 12, n_informative=6, n_classes=3, random_state=0)
    pipeline = make_pipeline(StandardScaler(), SGDClassifier(random_state=0, max_iter=10, tol=None))
    found = hw.search.Grid(pipeline, {"sgdclassifier__alpha": [1e-4, 1e-2]}, cv=2).fit(x3, y3)
    assert found.best_score_ > 0.55
    found = hw.search.Halving(SGDClassifier(random_state=0, max_iter=9, tol=None), {"alpha": [1e-4, 1e-2, 1.0]},
                              n_candidates=3, cv=2, random_state=0).fit(StandardScaler().fit_transform(x3), y3)
    assert found.cv_results_["n_resources"].tolist() == [3, 3, 3, 9]


@pytest.mark.parametrize("estimator", [LogisticRegression(max_iter=30, random_state=0),
                                       LinearSVC(max_iter=30, random_state=0)])
def test_the_inverse_of_a_penalty_is_searched_too(estimator, monkeypatch):
    x, y = two_classes(600)
    fits = counted(monkeypatch, type(estimator))
    with pytest.warns(sklearn.exceptions.ConvergenceWarning):
        clone(estimator).set_params(max_iter=1).fit(x, y)
    fits.fits = 0
    found = hw.search.Grid(estimator, {"C": [1e-3, 1.0]}, cv=3).fit(x, y)
    assert fits.fits == 1
    alone = scores_alone(estimator, found.cv_results_["params"], x, y, list(StratifiedKFold(3).split(x, y)),
                         lambda e, a, b: e.score(a, b))
    assert np.abs(table_of(found) - alone).max() <= FEW_ROWS


def test_wrong_spaces_are_refused_as_scikit_learn_refuses_them():
    x, y = two_classes(200)
    for space in ({"alpha": []}, {"alpha": 0.1}, [1], {"no_such": [1]}, {"alpha": [-1.0]}, {"loss": ["no_such"]}, {}):
        def tried(search, estimator):
            try:
                search(estimator, space, cv=2).fit(x, y)
            except Exception as fault:
                return type(fault)
            return None

        theirs = tried(GridSearchCV, Theirs())
        ours = tried(hw.search.Grid, SGDClassifier(max_iter=2, tol=None, eta0=0.1))
        assert (ours is None) == (theirs is None), space
        assert ours is None or issubclass(ours, theirs) or issubclass(theirs, ours), (space, ours, theirs)
    estimator = SGDClassifier(max_iter=9, tol=None)
    with pytest.raises(ValueError, match="max_iter"):
        hw.search.Halving(estimator, {"max_iter": [1, 2]}).fit(x, y)
    with pytest.raises(ValueError, match="factor"):
        hw.search.Hyperband(estimator, {"alpha": [1e-3]}, factor=1).fit(x, y)
    with pytest.raises(ValueError, match="alpha"):
        hw.search.Grid(estimator, {"alpha": [-1.0]}, error_score="raise").fit(x, y)


def test_folds_are_cut_from_datasets_and_files(tmp_path):
    x, y = two_classes(400)
    x = sp.csr_matrix(np.where(np.abs(x) < 0.5, 0.0, x).astype(np.float32))
    def searched(*rows, **more):
        estimator = SGDClassifier(max_iter=5, tol=None, eta0=0.05, random_state=0)
        return hw.search.Grid(estimator, {"alpha": [1e-4, 1e-2]}, cv=StratifiedKFold(3)).fit(*rows, **more)

    expected = searched(x, y)
    of_rows = searched(hw.Dataset(x, y))
    np.testing.assert_array_equal(table_of(of_rows), table_of(expected))
    np.testing.assert_array_equal(of_rows.best_estimator_.coef_, expected.best_estimator_.coef_)
    weight = np.linspace(0.5, 2.0, len(y)).astype(np.float32)
    np.testing.assert_array_equal(table_of(searched(hw.Dataset(x, y, weight=weight))),
                                  table_of(searched(x, y, sample_weight=weight)))
    dump_svmlight_file(x, y, str(tmp_path / "train.svm"), zero_based=False)
    for data in (hw.open(tmp_path / "train.svm"), hw.Dataset(x, y, shuffle=True)):
        rows, labels, _ = data._arrays()
        by_hand = sorted(map(tuple, np.column_stack([rows.toarray(), labels]).tolist()))
        assert by_hand == sorted(map(tuple, np.column_stack([x.toarray(), y]).tolist()))
        found = searched(data)
        np.testing.assert_array_equal(table_of(found), table_of(searched(rows, labels)))
        assert found.best_score_ > 0.75 and found.predict(x).shape == (400,)
    with pytest.raises(ValueError, match="labels and weights itself"):
        searched(hw.Dataset(x, y), y)
    (tmp_path / "ratings").write_text("1 2 3.0\n2 1 4.0\n")
    with pytest.raises(TypeError, match="ids"):
        searched(hw.open(tmp_path / "ratings", model="matrix_factorization"))


@pytest.mark.filterwarnings("ignore")
def test_a_candidate_that_cannot_be_trained_is_passed_over():
    x, y = two_classes(300)
    estimator = SGDClassifier(max_iter=3, tol=None, learning_rate="constant", eta0=0.1, random_state=0)
    found = hw.search.Grid(estimator, {"alpha": [1e-3, 20.0]}, cv=2).fit(x, y)  # a step * l2 of 2 has no meaning
    assert np.isnan(found.cv_results_["mean_test_score"]).tolist() == [False, True]
    assert found.best_params_ == {"alpha": 1e-3}
    given = hw.search.Grid(estimator, {"alpha": [1e-3, 20.0]}, cv=2, error_score=-1.0).fit(x, y)
    assert given.cv_results_["mean_test_score"][1] == -1.0


def test_a_search_clones_and_pickles():
    x, y = two_classes(300)
    search = hw.search.Random(SGDClassifier(max_iter=3, tol=None, eta0=0.1, random_state=0), {"alpha": [1e-3, 1e-2]},
                              n_iter=2, random_state=0, cv=2)
    assert clone(search).get_params()["n_iter"] == 2
    search.fit(x, y)
    again = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(again.predict(x), search.predict(x))
    assert again.best_score_ == search.best_score_


def test_threads_do_not_change_what_is_found():
    x, y = two_classes(800)
    estimator = SGDClassifier(max_iter=5, tol=None, eta0=0.05, random_state=0)
    grid = {"alpha": list(np.logspace(-6, -1, 20))}
    one, two = (hw.search.Grid(estimator, grid, cv=3, n_jobs=n).fit(x, y) for n in (1, 2))
    np.testing.assert_array_equal(table_of(one), table_of(two))


def test_folds_are_held_out_as_rows_are_cut(monkeypatch):
    # Small steps, so that the order of rows, which differs where they are cut, matters little; and a fold whose labels
    # are turned, so that it matters which rows are trained on and which are measured.
    x, y = two_classes(1026)  # two more than are measured at a time, so that a fold has none of the last ones
    splits = list(KFold(5, shuffle=True, random_state=0).split(x))
    y[splits[3][1]] = 1 - y[splits[3][1]]
    y = np.where(y, "yes", "no")
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    grid = {"alpha": [1e-4, 1e-2], "eta0": [0.002, 0.001]}
    cut = []
    monkeypatch.setattr("hogwild._lanes.Fold", lambda *given: cut.append(given))
    estimator = SGDClassifier(loss="log_loss", max_iter=5, tol=None, learning_rate="constant", random_state=3,
                              class_weight={"no": 1.0, "yes": 1.2})
    known = get_scorer("neg_log_loss")
    for form in (np.asarray, sp.csr_matrix):
        rows = form(x)
        for penalty, weights in (("l2", {}), ("l1", {}), ("l2", {"sample_weight": weight})):
            estimator.set_params(penalty=penalty)
            by_engine = hw.search.Grid(estimator, grid, cv=splits, scoring="neg_log_loss", n_jobs=2)
            found = table_of(by_engine.fit(rows, y, **weights))
            if not weights:  # which would weigh measured rows, too, for a scorer that scikit-learn knows
                scored = hw.search.Grid(estimator, grid, cv=splits, scoring=lambda e, a, b: known(e, a, b), n_jobs=2)
                np.testing.assert_allclose(found, table_of(scored.fit(rows, y)), rtol=0, atol=2e-6)
            expected = np.empty_like(found)
            for i, params in enumerate(by_engine.cv_results_["params"]):
                for f, (train, test) in enumerate(splits):
                    own, measured = ({name: w[part] for name, w in weights.items()} for part in (train, test))
                    alone = clone(estimator).set_params(**params).fit(rows[train], y[train], **own)
                    expected[i, f] = known(alone, rows[test], y[test], **measured)
            assert found[:, 3].max() < found[:, [0, 1, 2, 4]].min() - 0.3
            assert np.abs(found - expected).max() < 0.02
    assert not cut
    # Steps and class weights found on the rows of a fold differ from those without its rows; and rows in their order
    # may have one fold after the other.
    for other in ({"eta0": None}, {"class_weight": "balanced"}, {"shuffle": False}):
        cut.clear()
        estimator = SGDClassifier(max_iter=3, tol=None, eta0=0.02, random_state=0).set_params(**other)
        hw.search.Grid(estimator, {"alpha": [1e-4, 1e-2]}, cv=2).fit(x, y)
        assert len(cut) == 2


def test_splits_are_of_folds_only_where_each_row_is_tested_once():
    rows = np.arange(6)
    folds = [(rows[2:], rows[:2]), (np.r_[0, 1, 4, 5], rows[2:4]), (rows[:4], rows[4:])]
    assert fold_of_rows(folds, 6).tolist() == [0, 0, 1, 1, 2, 2]
    for wrong in ([folds[0]], folds[:2], [*folds[:2], (rows[1:4], rows[4:])], [*folds[:2], (rows[:4], np.r_[4, 4])],
                  [*folds[:2], (np.r_[0, 1, 2, 4], rows[4:])], [*folds, folds[0]],
                  [(rows >= 2, rows < 2), folds[1], folds[2]]):
        assert fold_of_rows(wrong, 6) is None


def test_folds_that_weigh_more_than_others_are_cut():
    x, y = two_classes()
    splits = list(KFold(3).split(x))
    fold_of, last = fold_of_rows(splits, len(y)), np.repeat([1.0, 1.0, 5.0], len(y) // 3)

    def common(weight, **parameters):
        return CommonRows(SGDClassifier(**parameters), x, y, splits, fold_of, weight, 1).folds

    assert common(None) and common(np.resize([0.5, 2.0], len(y))) and common(None, class_weight={1: 1.1})
    assert common(last) is None and common(np.resize([0.5, 2.0], len(y)) * last) is None
    ordered = np.argsort(y, kind="stable")
    x, y = x[ordered], np.where(np.arange(len(y)) == 0, 1, y[ordered])
    assert common(None) and common(None, class_weight={1: 9.0}) is None


def test_the_best_one_is_what_a_fit_makes_of_all_rows():
    x, y = two_classes()
    for form in (np.asarray, sp.csr_matrix):
        estimator = SGDClassifier(max_iter=5, tol=None, eta0=0.05, random_state=0)
        search = hw.search.Grid(estimator, {"alpha": [1e-4, 1e-2]}, cv=3, n_jobs=2).fit(form(x), y)
        alone = clone(search.best_estimator_).fit(form(x), y)
        np.testing.assert_array_equal(search.best_estimator_.coef_, alone.coef_)
        assert vars(search.best_estimator_).keys() == vars(alone).keys()


def test_columns_of_a_frame_keep_their_names():
    pandas = pytest.importorskip("pandas")
    x, y = two_classes(400, 12)
    names = list("abcdefghijkl")
    frame = pandas.DataFrame(x, columns=names)
    for eta0 in (0.05, None):  # folds are held out, and cut
        found = hw.search.Grid(SGDClassifier(max_iter=5, tol=None, random_state=0, eta0=eta0), {"alpha": [1e-4, 1e-2]},
                               cv=3).fit(hw.Dataset(frame, y))
        assert found.feature_names_in_.tolist() == found.best_estimator_.feature_names_in_.tolist() == names
        assert found.score(frame, y) > 0.7
        with pytest.raises(ValueError, match="feature names"):
            found.predict(frame[names[::-1]])
    pipeline = make_pipeline(StandardScaler(), SGDClassifier(max_iter=5, tol=None, random_state=0))
    found = hw.search.Grid(pipeline, {"sgdclassifier__alpha": [1e-4, 1e-2]}, cv=2).fit(hw.Dataset(frame, y))
    assert found.best_estimator_.feature_names_in_.tolist() == names
    sparse = pandas.DataFrame.sparse.from_spmatrix(sp.csr_matrix(x), columns=names)
    found = hw.search.Grid(SGDClassifier(max_iter=5, tol=None, random_state=0, eta0=0.05), {"alpha": [1e-4, 1e-2]},
                           cv=3).fit(hw.Dataset(sparse, y))
    assert found.best_estimator_.feature_names_in_.tolist() == names


def test_ctrl_c_ends_a_search():
    x, y = two_classes(4000, 50)
    search = hw.search.Grid(SGDClassifier(max_iter=10**9, tol=None, eta0=0.01), {"alpha": [1e-4, 1e-3]}, cv=2)
    interrupt_in(Lanes._bring)
    with pytest.raises(KeyboardInterrupt):
        search.fit(x, y)


def test_the_engine_says_who_is_trained_further():
    assert [len(b) for b in _engine.plan_search("hyperband", 27, 1, 3)] == [4, 3, 2, 1]
    known, asked = [], []
    while True:
        some, epochs, best = _engine.go_on_with_search("halving", 9, 9, 3, known)
        if not some:
            break
        asked.append((some, epochs))
        known += [(k, epochs, float(abs(k - 4))) for k in some]
    assert asked == [(list(range(9)), 1), ([3, 4, 5], 3), ([4], 9)] and best == 4


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [
    lambda e, space: hw.search.Grid(e, space, cv=2, error_score="raise"),
    lambda e, space: hw.search.Random(e, space, n_iter=1, cv=2, error_score="raise"),
    lambda e, space: hw.search.Halving(e, space, n_candidates=1, cv=2, error_score="raise")])
def test_a_candidate_is_refused_in_the_terms_of_its_estimator(make):
    x, y = two_classes(300)
    with pytest.raises(ValueError, match="step is eta0 here, l2 is alpha here"):
        make(SGDClassifier(max_iter=3, tol=None, random_state=0), {"eta0": [1e10], "alpha": [1.0]}).fit(x, y)
