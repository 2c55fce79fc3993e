# SPDX-License-Identifier: Apache-2.0
"""Estimators: the meaning of scikit-learn's parameters, and results as good as its own."""
import copy
import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

sklearn = pytest.importorskip("sklearn")
from sklearn import linear_model
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hogwild as hw
from hogwild.sklearn import LinearSVC, LogisticRegression, SGDClassifier, SGDRegressor

from estimated import objective, two_classes


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "squared_hinge", "modified_huber"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_classifier_comes_to_the_objective_of_scikit_learns(loss, weighted):
    x, y = two_classes()
    x = StandardScaler().fit_transform(x)
    weight = np.random.default_rng(0).uniform(0.5, 4.0, len(y)) if weighted else None
    ours = SGDClassifier(loss=loss, alpha=1e-2, random_state=0, tol=None, max_iter=40).fit(x, y, sample_weight=weight)
    theirs = linear_model.SGDClassifier(loss=loss, alpha=1e-2, random_state=0, tol=None, max_iter=200)
    theirs.fit(x, y, sample_weight=weight)
    signs = 2 * y - 1
    assert objective(ours, x, signs, weight) <= 1.005 * objective(theirs, x, signs, weight)
    assert np.mean(ours.predict(x) == theirs.predict(x)) > 0.98


@pytest.mark.parametrize("loss", ["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"])
def test_a_regressor_comes_to_the_objective_of_scikit_learns(loss):
    x, y = make_regression(1000, 10, noise=5.0, random_state=0)
    x, y = StandardScaler().fit_transform(x), (y - y.mean()) / y.std()
    ours = SGDRegressor(loss=loss, alpha=1e-2, random_state=0, tol=None, max_iter=60).fit(x, y)
    theirs = linear_model.SGDRegressor(loss=loss, alpha=1e-2, random_state=0, tol=None, max_iter=300).fit(x, y)
    assert objective(ours, x, y) <= 1.005 * objective(theirs, x, y)


@pytest.mark.parametrize("penalty", ["l1", "elasticnet", None])
def test_penalties_mean_what_they_mean(penalty):
    x, y = two_classes()
    x = StandardScaler().fit_transform(x)
    keywords = dict(loss="log_loss", penalty=penalty, alpha=2e-2, l1_ratio=0.5, random_state=0, tol=None)
    ours = SGDClassifier(max_iter=40, **keywords).fit(x, y)
    theirs = linear_model.SGDClassifier(max_iter=200, **keywords)
    if penalty is None:
        theirs.set_params(learning_rate="invscaling", eta0=0.1)
    theirs.fit(x, y)
    assert objective(ours, x, 2 * y - 1) <= 1.005 * objective(theirs, x, 2 * y - 1)
    if penalty is not None:
        assert np.sum(ours.coef_ == 0) > 0


def test_sparse_rows_train_as_dense_ones_do():
    x, y = two_classes(500)
    x[np.abs(x) < 0.7] = 0.0
    dense = SGDClassifier(random_state=0, tol=None, max_iter=30, alpha=1e-2).fit(x, y)
    for form in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array):
        sparse = SGDClassifier(random_state=0, tol=None, max_iter=30, alpha=1e-2).fit(form(x), y)
        assert objective(sparse, x, 2 * y - 1) <= 1.005 * objective(dense, x, 2 * y - 1)
        assert np.mean(sparse.predict(form(x)) == dense.predict(x)) > 0.97


def test_sorted_rows_are_no_trap():
    x, y = load_iris(return_X_y=True)  # all of a class, then all of the next
    assert SGDClassifier(loss="log_loss", random_state=0).fit(StandardScaler().fit_transform(x), y).score(
        StandardScaler().fit_transform(x), y) > 0.9


def test_several_classes_are_told_apart():
    x, y = make_classification(2000, 20, n_informative=10, n_classes=4, random_state=1)
    x = StandardScaler().fit_transform(x)
    names = np.array(["ash", "beech", "cedar", "oak"])[y]
    for ours, theirs in ((SGDClassifier(random_state=0), linear_model.SGDClassifier(random_state=0)),
                         (LinearSVC(random_state=0), sklearn.svm.LinearSVC(random_state=0)),
                         (LogisticRegression(random_state=0), linear_model.LogisticRegression())):
        ours.fit(x, names), theirs.fit(x, names)
        assert ours.classes_.tolist() == sorted(set(names)) and ours.coef_.shape == (4, 20)
        assert ours.decision_function(x).shape == (2000, 4) and set(ours.predict(x)) <= set(names)
        assert ours.score(x, names) > theirs.score(x, names) - 0.02


def test_logistic_regression_comes_to_the_optimum():
    for classes in (2, 3):
        x, y = make_classification(1500, 12, n_informative=8, n_classes=classes, random_state=2)
        x = StandardScaler().fit_transform(x)
        for c in (0.01, 1.0):
            ours, theirs = LogisticRegression(C=c, random_state=0).fit(x, y), linear_model.LogisticRegression(C=c).fit(x, y)

            def minimised(e):
                return -c * e.predict_log_proba(x)[np.arange(len(y)), y].sum() + (e.coef_**2).sum() / 2

            assert minimised(ours) <= 1.005 * minimised(theirs)
            assert np.abs(ours.predict_proba(x) - theirs.predict_proba(x)).max() < 0.05


def badly_scaled():
    x, y = make_classification(300, 8, n_informative=6, random_state=3)
    return x * np.logspace(-2, 1, 8), y


@pytest.mark.parametrize("estimator", [LogisticRegression(C=100.0, random_state=0, max_iter=20),
                                       LinearSVC(C=100.0, random_state=0, max_iter=20),
                                       LinearSVC(C=100.0, loss="hinge", random_state=0, max_iter=20)], ids=repr)
def test_what_says_it_is_at_the_optimum_is_or_warns(estimator):
    for x, y in (badly_scaled(), make_classification(300, 8, n_informative=6, n_classes=3, random_state=3)):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            fitted = clone(estimator).fit(x, y)
        of_distance = [w for w in told if issubclass(w.category, ConvergenceWarning)]
        assert (fitted.run_["status"] == "converged") == (not of_distance) == (fitted.run_["gap"] <= fitted.tol)
        for w in of_distance:
            assert f"{fitted.run_['gap']:.2g}" in str(w.message) and "max_iter" in str(w.message)


def test_the_gap_of_a_logistic_regression_is_at_least_its_distance_from_the_optimum():
    x, y = badly_scaled()
    for c in (0.01, 1.0, 100.0):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            ours = LogisticRegression(C=c, random_state=0, max_iter=30).fit(x, y)
        theirs = linear_model.LogisticRegression(C=c, tol=1e-10, max_iter=10_000).fit(x, y)

        def minimised(e):
            return -c * e.predict_log_proba(x)[np.arange(len(y)), y].sum() + (e.coef_**2).sum() / 2

        assert 1.0 - minimised(theirs) / minimised(ours) <= ours.run_["gap"] + 1e-6


def test_stochastic_estimators_claim_nothing_of_the_optimum():
    x, y = badly_scaled()
    for estimator in (SGDClassifier(random_state=0), SGDRegressor(random_state=0)):
        fitted = estimator.fit(x, y)
        assert fitted.run_["status"] in ("no_progress", "done") and "gap" not in fitted.run_


@pytest.mark.parametrize("loss", ["log_loss", "modified_huber"])
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_those_of_scikit_learn(loss, classes):
    x, y = make_classification(500, 10, n_informative=6, n_classes=classes, random_state=0)
    ours = SGDClassifier(loss=loss, random_state=0).fit(x, y)
    theirs = linear_model.SGDClassifier(loss=loss, random_state=0).fit(x, y)
    theirs.coef_, theirs.intercept_ = ours.coef_, ours.intercept_
    assert np.allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-12)
    assert np.array_equal(ours.predict(x), theirs.predict(x))
    assert not hasattr(SGDClassifier(loss="hinge").fit(x, y), "predict_proba")


def test_class_weights_count():
    x, y = make_classification(2000, 10, weights=[0.9], flip_y=0.1, random_state=0)
    recall = {}
    for weight in (None, "balanced", {1: 20.0}):
        fitted = SGDClassifier(loss="log_loss", class_weight=weight, random_state=0).fit(x, y)
        recall[str(weight)] = np.mean(fitted.predict(x)[y == 1])
    assert recall["balanced"] > recall["None"] and recall["{1: 20.0}"] > recall["balanced"]


def test_early_stopping_keeps_the_best_epoch():
    x, y = two_classes()
    fitted = SGDClassifier(loss="log_loss", early_stopping=True, n_iter_no_change=2, random_state=0, tol=None,
                           learning_rate="constant", eta0=0.02, max_iter=200).fit(x, y)
    assert fitted.n_iter_ < 200 and fitted.run_["status"] == "no_progress"
    best = min(e["validation_loss"] for e in fitted.run_.history)
    assert fitted.run_["validation_loss"] == pytest.approx(best)


def test_a_warm_start_begins_with_what_there_is():
    x, y = two_classes()
    x = StandardScaler().fit_transform(x)
    cold = SGDClassifier(loss="log_loss", random_state=0, max_iter=1, tol=None, eta0=1e-3).fit(x, y)
    warm = SGDClassifier(loss="log_loss", random_state=0, max_iter=1, tol=None, eta0=1e-3, warm_start=True).fit(x, y)
    for _ in range(5):
        warm.fit(x, y)
    assert objective(warm, x, 2 * y - 1) < objective(cold, x, 2 * y - 1)
    given = SGDClassifier(loss="log_loss", random_state=0, max_iter=1, tol=None, eta0=1e-6)
    given.fit(x, y, coef_init=np.ones(20), intercept_init=[0.5])
    assert np.allclose(given.coef_, 1.0, atol=1e-2)  # and the intercept is where the loss is least
    with pytest.raises(ValueError, match="coef_init"):
        given.fit(x, y, coef_init=np.ones(3))


@pytest.mark.parametrize("average", [False, 0.5])  # by lanes, and one by one
def test_a_warm_start_of_several_classes(average):
    x, y = make_classification(2000, 20, n_informative=10, n_classes=4, random_state=1)
    x = StandardScaler().fit_transform(x)
    keywords = dict(loss="log_loss", random_state=0, max_iter=4, tol=None, eta0=1e-3, average=average)
    cold = SGDClassifier(**keywords).fit(x, y)
    warm = SGDClassifier(warm_start=True, **keywords).fit(x, y)
    assert np.array_equal(warm.coef_, cold.coef_)
    for _ in range(5):
        warm.fit(x, y)
    assert warm.run_["train_loss"] < 0.97 * cold.run_["train_loss"]
    coef, intercept = np.arange(80.0).reshape(4, 20) / 100, np.arange(4.0)
    given = SGDClassifier(**{**keywords, "eta0": 1e-9}).fit(x, y, coef_init=coef, intercept_init=intercept)
    assert np.allclose(given.coef_, coef, atol=1e-4)  # and intercepts are where the losses are least
    data = hw.Dataset(sp.csr_matrix(x.astype(np.float32)), y, shuffle=True)
    given.fit(data, coef_init=coef, intercept_init=intercept)
    assert np.allclose(given.coef_, coef, atol=1e-4)
    begin = hw.train(data, "logistic", multiclass="ovr", bias=True, epochs=5, step=0.01)
    again = hw.train(data, "logistic", multiclass="ovr", bias=True, epochs=1, step=1e-9, initial=begin)
    assert np.mean(again.predict(x) == y) > 0.5 and np.mean(again.predict(x) == begin.predict(x)) > 0.99
    for wrong in (dict(coef_init=coef[:3]), dict(intercept_init=intercept[:2]), dict(coef_init=coef.reshape(-1))):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            given.fit(x, y, **wrong)
    with pytest.raises(ValueError, match="coef_init"):
        warm.fit(x[y < 3], y[y < 3])


def test_reproducible_runs_have_the_same_bits_for_any_number_of_workers():
    x, y = two_classes()
    models = [SGDClassifier(random_state=3, reproducible=True, n_jobs=n).fit(x, y) for n in (None, 2, 2, 3)]
    for other in models[1:]:
        assert np.array_equal(models[0].coef_, other.coef_)
    assert models[1].run_["workers"] == 2


def test_two_workers_come_to_as_good_a_model():
    x, y = two_classes(5000)
    x = StandardScaler().fit_transform(x)
    one, two = (SGDClassifier(random_state=0, alpha=1e-2, n_jobs=n).fit(x, y) for n in (1, 2))
    assert objective(two, x, 2 * y - 1) <= 1.01 * objective(one, x, 2 * y - 1)


@pytest.mark.parametrize("estimator", [SGDClassifier(random_state=0), SGDClassifier(loss="log_loss", random_state=0),
                                       LogisticRegression(random_state=0), LinearSVC(random_state=0),
                                       SGDRegressor(random_state=0)], ids=repr)
def test_copies_say_the_same(estimator):
    x, y = two_classes(300)
    fitted = clone(estimator).fit(x, y)
    assert not hasattr(clone(fitted), "coef_")
    for same in (pickle.loads(pickle.dumps(fitted)), copy.copy(fitted), copy.deepcopy(fitted)):
        assert np.array_equal(same.predict(x), fitted.predict(x))
        assert same.run_["status"] == fitted.run_["status"]
    assert np.array_equal(clone(estimator).fit(x, y).coef_, fitted.coef_)


def test_coefficients_may_be_sparse():
    x, y = two_classes(500)
    for estimator in (SGDClassifier(penalty="l1", alpha=0.02, random_state=0), SGDRegressor(random_state=0)):
        fitted = estimator.fit(x, y)
        for rows in (x, sp.csr_matrix(x)):
            said = fitted.densify().predict(rows)
            assert np.allclose(fitted.sparsify().predict(rows), said) and sp.issparse(fitted.coef_)


def test_a_dataset_is_trained_as_it_is():
    x, y = two_classes(500)
    from_arrays = SGDClassifier(random_state=0, shuffle=False).fit(x, y)
    from_rows = SGDClassifier(random_state=0, shuffle=False).fit(hw.Dataset(x, y))
    assert np.array_equal(from_arrays.coef_, from_rows.coef_) and from_rows.n_features_in_ == 20
    balanced = SGDClassifier(random_state=0, shuffle=False, class_weight={0: 1.0, 1: 3.0})
    assert np.allclose(clone(balanced).fit(hw.Dataset(x, y)).coef_, clone(balanced).fit(x, y).coef_, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="Dataset"):
        SGDClassifier().fit(hw.Dataset(x, y), y)


def test_a_file_is_trained(tmp_path):
    x, y = two_classes(300)
    from sklearn.datasets import dump_svmlight_file

    dump_svmlight_file(x, y, str(tmp_path / "train.svm"), zero_based=False)
    fitted = SGDClassifier(random_state=0).fit(hw.open(tmp_path / "train.svm"))
    assert fitted.coef_.shape == (1, 20) and fitted.score(x, y) > 0.8


def test_the_record_is_told_and_drawn():
    x, y = two_classes(300)
    run = SGDClassifier(loss="log_loss", random_state=0, early_stopping=True).fit(x, y).run_
    assert run.status == run["status"] and run.epochs == len(run.history)
    assert "train_loss" in repr(run) and "<table>" in run._repr_html_()
    assert set(run) >= {"objective", "workers", "train_seconds"}
    with pytest.raises(AttributeError, match="no_such"):
        run.no_such


def test_search_and_pipelines_take_them_as_they_are():
    x, y = two_classes(400)
    line = make_pipeline(StandardScaler(), SGDClassifier(random_state=0))
    search = GridSearchCV(line, {"sgdclassifier__alpha": [1e-4, 1e-2]}, cv=3).fit(x, y)
    assert search.best_score_ > 0.75
    assert cross_val_score(line, x, y, cv=3, n_jobs=2).mean() > 0.75


@pytest.mark.parametrize("keywords", [
    dict(loss="perceptron"), dict(loss="squared_error"), dict(penalty="l3"), dict(alpha=-1.0), dict(alpha="x"),
    dict(penalty="elasticnet", l1_ratio=2.0), dict(max_iter=0), dict(max_iter=1.5), dict(eta0=0.0),
    dict(learning_rate="optimal"), dict(learning_rate="adaptive"), dict(learning_rate="plateau"),
    dict(early_stopping=True, validation_fraction=1.5), dict(n_iter_no_change=0), dict(engine="gpu"), dict(n_jobs=0),
    dict(average=10), dict(class_weight="even"), dict(tol="x")])
def test_parameters_that_do_not_suit_are_refused_by_name(keywords):
    x, y = two_classes(50)
    with pytest.raises(ValueError) as told:
        SGDClassifier(**keywords).fit(x, y)
    assert any(name in str(told.value) for name in keywords)


@pytest.mark.parametrize("estimator", [SGDClassifier(), LogisticRegression(), LinearSVC()], ids=repr)
def test_rows_that_do_not_suit_are_refused(estimator):
    x, y = two_classes(20, 20)
    for bad in (np.nan, np.inf):
        holed = x.copy()
        holed[3, 2] = bad
        with pytest.raises(ValueError, match="NaN|nfinity"):
            estimator.fit(holed, y)
        with pytest.raises(ValueError, match="NaN|nfinity"):
            estimator.fit(sp.csr_matrix(holed), y)
    for weight in (-np.ones(20), np.zeros(20), np.full(20, np.nan), np.ones(3)):
        with pytest.raises(ValueError):
            estimator.fit(x, y, sample_weight=weight)
    with pytest.raises(ValueError, match="1 class"):
        estimator.fit(x, np.zeros(20))
    with pytest.raises(ValueError):
        estimator.fit(x, y[:7])
    with pytest.raises(ValueError, match="0 sample"):
        estimator.fit(x[:0], y[:0])
    with pytest.raises(ValueError):
        estimator.fit(x, np.linspace(0, 1, 20))


def test_a_step_that_is_too_long_is_told():
    x, y = make_regression(200, 5, random_state=0)
    with pytest.raises(ValueError, match="not finite"):
        SGDRegressor(eta0=1e6, alpha=0.0, learning_rate="constant", random_state=0).fit(1e4 * x, y)


def logistic_objective(estimator, x, y, C, ratio):
    """The objective of scikit-learn's LogisticRegression, divided by C and the rows."""
    scores = x @ estimator.coef_.T + estimator.intercept_
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(y)), scores])
    loss = np.mean(np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), y])
    w = estimator.coef_
    return loss + ((1 - ratio) * np.sum(w * w) / 2 + ratio * np.abs(w).sum()) / (C * len(y))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("penalty, l1_ratio", [("l1", None), ("elasticnet", 0.5), ("l2", 0.3), (None, None), ("l2", None)])
def test_logistic_regression_has_the_penalties_of_scikit_learns(penalty, l1_ratio):
    x, y = two_classes(1000, 10)
    x = StandardScaler().fit_transform(x)
    C, ratio = 0.05, 1.0 if penalty == "l1" else l1_ratio or 0.0
    ours = LogisticRegression(penalty, C=C, l1_ratio=l1_ratio, random_state=0, max_iter=300, tol=1e-6).fit(x, y)
    theirs = linear_model.LogisticRegression(C=np.inf if penalty is None else C, l1_ratio=ratio, solver="saga", tol=1e-8,
                                             max_iter=5000).fit(x, y)
    C = 1e12 if penalty is None else C
    assert logistic_objective(ours, x, y, C, ratio) <= 1.002 * logistic_objective(theirs, x, y, C, ratio)
    if penalty == "l1":
        assert np.allclose(ours.coef_, theirs.coef_, atol=0.01) and np.any(ours.coef_ == 0.0)
    assert ours.n_iter_.shape == theirs.n_iter_.shape and ours.n_iter_.dtype == theirs.n_iter_.dtype


@pytest.mark.filterwarnings("ignore")
def test_a_support_vector_machine_takes_l1():
    from sklearn import svm

    x, y = two_classes(1000, 20)
    x = StandardScaler().fit_transform(x)
    ours = LinearSVC("l1", C=0.01, random_state=0, max_iter=500).fit(x, y)
    theirs = svm.LinearSVC("l1", dual=False, C=0.01, intercept_scaling=100, tol=1e-6, max_iter=10000).fit(x, y)

    def objective_of(e):
        margin = (2 * y - 1) * e.decision_function(x)
        return np.mean(np.maximum(1 - margin, 0) ** 2) + np.abs(e.coef_).sum() / (0.01 * len(y))

    assert objective_of(ours) <= 1.005 * objective_of(theirs) and np.sum(ours.coef_ == 0) > 5


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_regression_goes_on_from_the_last_fit(classes):
    x, y = make_classification(1500, 12, n_informative=8, n_classes=classes, random_state=0)
    begun = LogisticRegression(C=0.1, random_state=0, max_iter=60, tol=0, warm_start=True).fit(x, y)
    before = logistic_objective(begun, x, y, 0.1, 0.0)
    again = begun.set_params(max_iter=1).fit(x, y)
    cold = LogisticRegression(C=0.1, random_state=0, max_iter=1, tol=0).fit(x, y)
    assert logistic_objective(again, x, y, 0.1, 0.0) < 0.3 * before + 0.7 * logistic_objective(cold, x, y, 0.1, 0.0)
    with pytest.raises(ValueError, match="coef_init"):
        begun.fit(x[:, :5], y)


@pytest.mark.parametrize("estimator, says", [
    (LogisticRegression(solver="lbfgs"), "solver='lbfgs'.*stochastic"), (LogisticRegression(dual=True), "dual=True"),
    (LogisticRegression(penalty="l3"), "penalty='l3'"), (LogisticRegression(penalty="elasticnet"), "l1_ratio=None"),
    (LogisticRegression(l1_ratio=2), "l1_ratio=2"), (LogisticRegression(penalty="l1", l1_ratio=0.5), "l1_ratio=0.5"),
    (LogisticRegression(intercept_scaling=2), "intercept_scaling=2"), (LinearSVC(dual=True), "dual=True"),
    (LinearSVC(penalty="elasticnet"), "'l2' or 'l1'"), (LinearSVC(intercept_scaling=10), "intercept_scaling"),
    (SGDClassifier(power_t=0.5), "power_t=0.5.*inverse"), (SGDRegressor(power_t=0.25), "power_t"),
    (SGDClassifier(learning_rate="optimal"), "optimal.*scikit-learn"), (SGDClassifier(loss="perceptron"), "hinge")])
def test_what_scikit_learn_has_beyond_it_is_told(estimator, says):
    with pytest.raises(ValueError, match=says):
        estimator.fit(*two_classes(50))


def test_advice_at_the_end_is_of_what_can_help():
    x, y = two_classes(100)
    fitted = LinearSVC()
    for status, helps in (("done", True), ("no_progress", False)):
        fitted.run_ = {"status": status, "gap": 0.5, "epochs": 139}
        with pytest.warns(ConvergenceWarning, match="scale the columns, or lower C") as told:
            fitted._warn_of_distance()
        assert ("Increase max_iter" in str(told[0].message)) == helps and "tol" in str(told[0].message)


def test_one_row_of_many_columns_is_predicted_without_a_copy_of_the_coefficients():
    x = sp.random(60, 1 << 20, density=1e-5, format="csr", random_state=0)
    y = np.arange(60) % 3
    for fitted in (LinearSVC(max_iter=1, tol=0.0).fit(x, y), SGDClassifier(max_iter=1).fit(x, y),
                   SGDClassifier().partial_fit(x, y, classes=[0, 1, 2])):
        fitted.predict(x[[0]])
        tracemalloc.start()
        fitted.predict(x[[0]])
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < fitted.coef_.nbytes / 4


@pytest.mark.parametrize("n_jobs", ["a", 2.5, 0, True])
def test_workers_are_a_whole_number(n_jobs):
    x, y = two_classes(100)
    with pytest.raises(ValueError, match=f"n_jobs={n_jobs!r} has no meaning"):
        SGDClassifier(n_jobs=n_jobs).fit(x, y)
