# SPDX-License-Identifier: Apache-2.0
"""Estimators used by others: scikit-learn's searches and pipelines, joblib, forked processes, Dask-ML."""
import multiprocessing

import numpy as np
import pytest
import scipy.sparse as sp

sklearn = pytest.importorskip("sklearn")
import joblib
from sklearn import linear_model
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, StackingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.experimental import enable_halving_search_cv  # noqa: F401: HalvingGridSearchCV is there by it
from sklearn.model_selection import (GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV, check_cv, cross_val_predict,
                                     cross_val_score, cross_validate)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hogwild as hw
from hogwild.sklearn import (FactorizationMachineClassifier, LinearSVC, LogisticRegression, MLPClassifier,
                             SGDClassifier, SGDRegressor)

ROWS, LABELS = make_classification(600, 12, n_informative=6, flip_y=0.02, random_state=0)
ROWS = StandardScaler().fit_transform(ROWS)


def plain(**options):
    return SGDClassifier(random_state=0, max_iter=8, tol=None, eta0=0.05, **options)


EVERY = [plain(), SGDRegressor(random_state=0, max_iter=8, tol=None, eta0=0.02),
         LogisticRegression(random_state=0, max_iter=20), LinearSVC(random_state=0, max_iter=20),
         FactorizationMachineClassifier(random_state=0, max_iter=5),
         MLPClassifier((8,), random_state=0, max_iter=5)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", EVERY, ids=lambda e: type(e).__name__)
def test_every_estimator_is_cloned_and_measured_by_folds(estimator):
    copied = clone(estimator)
    assert copied.get_params() == estimator.get_params() and copied is not estimator
    scores = cross_val_score(estimator, ROWS, LABELS, cv=3)
    assert scores.shape == (3,) and np.all(np.isfinite(scores))
    splits = list(check_cv(3, LABELS, classifier=is_classifier(estimator)).split(ROWS, LABELS))
    told = cross_validate(estimator, ROWS, LABELS, cv=splits, return_estimator=True)
    np.testing.assert_array_equal(told["test_score"], scores)
    for fitted, (train, _) in zip(told["estimator"], splits):
        np.testing.assert_array_equal(fitted.predict(ROWS), clone(fitted).fit(ROWS[train], LABELS[train]).predict(ROWS))


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing", "sequential"])
def test_joblib_trains_by_processes_and_threads(backend):
    grid = {"alpha": [1e-4, 1e-2], "loss": ["hinge", "log_loss"]}
    alone = GridSearchCV(plain(), grid, cv=3).fit(ROWS, LABELS)
    with joblib.parallel_backend(backend, n_jobs=1 if backend == "sequential" else 2):
        found = GridSearchCV(plain(), grid, cv=3).fit(ROWS, LABELS)
    np.testing.assert_array_equal(found.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(found.best_estimator_.coef_, alone.best_estimator_.coef_)


def test_workers_within_threads_are_as_many_as_are_asked_for():
    with joblib.parallel_backend("threading", n_jobs=2):
        scores = cross_val_score(plain(n_jobs=2, reproducible=True), ROWS, LABELS, cv=4)
    np.testing.assert_array_equal(scores, cross_val_score(plain(n_jobs=1, reproducible=True), ROWS, LABELS, cv=4))


def _coef_of(fold):
    return plain(n_jobs=2, reproducible=True).fit(ROWS[fold::2], LABELS[fold::2]).coef_


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_processes_train():
    here = [_coef_of(f) for f in (0, 1)]  # the parent has trained before it forks
    for start in ("fork", "spawn"):
        with multiprocessing.get_context(start).Pool(2) as pool:
            there = pool.map_async(_coef_of, [0, 1]).get(60)
        for a, b in zip(here, there):
            np.testing.assert_array_equal(a, b)


def test_pipelines_and_columns_of_text():
    texts = ["a good film", "a fine good story", "bad and dull", "a dull bad film"] * 30
    labels = ["+", "+", "-", "-"] * 30
    pipeline = make_pipeline(TfidfVectorizer(), plain())
    found = GridSearchCV(pipeline, {"sgdclassifier__alpha": [1e-4, 1e-3], "tfidfvectorizer__binary": [True, False]},
                         cv=3).fit(texts, labels)
    assert found.best_score_ == 1.0 and found.predict(["good", "dull"]).tolist() == ["+", "-"]
    ours = hw.search.Grid(pipeline, {"sgdclassifier__alpha": [1e-4, 1e-3]}, cv=3).fit(texts, labels)
    assert ours.best_score_ == 1.0 and ours.predict(["good", "dull"]).tolist() == ["+", "-"]


def test_searches_of_scikit_learn():
    found = RandomizedSearchCV(plain(), {"alpha": [1e-4, 1e-3, 1e-2]}, n_iter=2, random_state=0, cv=3, n_jobs=2)
    assert found.fit(sp.csr_matrix(ROWS), LABELS).best_score_ > 0.7
    found = HalvingGridSearchCV(SGDClassifier(random_state=0, tol=None, eta0=0.05), {"alpha": [1e-4, 1e-2, 1.0]}, cv=3,
                                resource="max_iter", max_resources=9, min_resources=1, random_state=0)
    assert found.fit(ROWS, LABELS).best_score_ > 0.7


def test_estimators_of_estimators():
    assert CalibratedClassifierCV(LinearSVC(random_state=0), cv=3).fit(ROWS, LABELS).score(ROWS, LABELS) > 0.7
    assert BaggingClassifier(plain(), 4, random_state=0, n_jobs=2).fit(ROWS, LABELS).score(ROWS, LABELS) > 0.7
    stacked = StackingClassifier([("a", plain()), ("b", plain(loss="log_loss"))], plain(), cv=3)
    assert stacked.fit(ROWS, LABELS).score(ROWS, LABELS) > 0.7
    iris = sklearn.datasets.load_iris(return_X_y=True)
    scaled = StandardScaler().fit_transform(iris[0])
    assert OneVsRestClassifier(plain(), n_jobs=2).fit(scaled, iris[1]).score(scaled, iris[1]) > 0.8
    said = cross_val_predict(plain(loss="log_loss"), ROWS, LABELS, cv=3, method="predict_proba")
    assert said.shape == (600, 2) and np.allclose(said.sum(1), 1.0)


def test_dask_ml_trains_block_by_block():
    wrappers = pytest.importorskip("dask_ml.wrappers", reason="Dask-ML is not installed", exc_type=ImportError)
    array = pytest.importorskip("dask.array")
    x, y = array.from_array(ROWS, chunks=(150, 12)), array.from_array(LABELS, chunks=150)
    found = wrappers.Incremental(plain(), shuffle_blocks=False).fit(x, y, classes=[0, 1])
    by_hand = plain()
    for first in range(0, 600, 150):
        by_hand.partial_fit(ROWS[first:first + 150], LABELS[first:first + 150], classes=[0, 1])
    np.testing.assert_allclose(found.estimator_.coef_, by_hand.coef_, rtol=0, atol=1e-6)
    assert found.score(x, y) > 0.7


def test_dask_ml_searches_block_by_block():
    search = pytest.importorskip("dask_ml.model_selection", reason="Dask-ML is not installed", exc_type=ImportError)
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    array = pytest.importorskip("dask.array")
    x, y = array.from_array(ROWS, chunks=(150, 12)), array.from_array(LABELS, chunks=150)
    space = {"alpha": [1e-5, 1e-4, 1e-3], "eta0": [0.01, 0.05]}

    def searched(estimator):
        with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None):
            return search.IncrementalSearchCV(estimator, space, n_initial_parameters=4, max_iter=8, random_state=0,
                                              decay_rate=None).fit(x, y, classes=[0, 1])

    try:
        searched(linear_model.SGDClassifier(random_state=0, tol=1e-3))
    except RuntimeError as fault:
        pytest.skip(f"this Dask-ML does not search on this Dask, with scikit-learn's estimators either: {fault}")
    found = searched(plain())
    assert found.best_score_ > 0.7 and found.best_estimator_.coef_.shape == (1, 12)
