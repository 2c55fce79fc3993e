# SPDX-License-Identifier: Apache-2.0
"""partial_fit() of the estimators: as much as scikit-learn's learns, and what it refuses."""
import copy
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

sklearn = pytest.importorskip("sklearn")
from sklearn import linear_model
from sklearn.base import clone
from sklearn.datasets import make_regression
from sklearn.preprocessing import StandardScaler

import hogwild as hw
from hogwild.sklearn import SGDClassifier, SGDRegressor

from estimated import objective, two_classes


def test_partial_fit_learns_as_scikit_learns_does():
    x, y = two_classes(4000)
    x = StandardScaler().fit_transform(x)
    for classes in (2, 3):
        labels = y if classes == 2 else y + (x[:, 0] > 1)
        ours = SGDClassifier(loss="log_loss", random_state=0, alpha=1e-3)
        theirs = linear_model.SGDClassifier(loss="log_loss", random_state=0, alpha=1e-3)
        for first in range(0, 4000, 500):
            part = slice(first, first + 500)
            ours.partial_fit(x[part], labels[part], classes=np.arange(classes))
            theirs.partial_fit(x[part], labels[part], classes=np.arange(classes))
            assert ours.coef_.shape == theirs.coef_.shape and np.all(np.isfinite(ours.coef_))
        assert ours.score(x, labels) > theirs.score(x, labels) - 0.02


def test_partial_fit_goes_on_from_fit_and_after_pickling():
    x, y = two_classes(2000)
    x = StandardScaler().fit_transform(x)
    fitted = SGDClassifier(loss="log_loss", random_state=0, eta0=0.01).fit(x, y)
    before = fitted.coef_.copy()
    fitted.partial_fit(x[:10], y[:10])
    assert 0 < np.abs(fitted.coef_ - before).max() < 0.2 * np.abs(before).max()
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.coef_, fitted.coef_)
    again.partial_fit(x[10:20], y[10:20])
    assert 0 < np.abs(again.coef_ - fitted.coef_).max() < 0.2 * np.abs(before).max()


def test_partial_fit_of_numbers():
    x, y = make_regression(3000, 8, noise=1.0, random_state=0)
    x, y = StandardScaler().fit_transform(x), y / y.std()
    stream = SGDRegressor(random_state=0)
    for first in range(0, 3000, 300):
        stream.partial_fit(x[first:first + 300], y[first:first + 300])
    assert stream.score(x, y) > 0.9


def test_partial_fit_by_few_rows_does_not_diverge():
    draw = np.random.default_rng(0)
    x = sp.random(5000, 300, density=0.05, format="csr", dtype=np.float32, random_state=draw)
    y = x @ draw.normal(size=300)
    for few in (50, 100, 500):
        stream = SGDRegressor(random_state=0)
        for first in range(0, 2000, few):
            stream.partial_fit(x[first:first + few], y[first:first + few])
        assert stream.score(x, y) > 0.8, few
    with pytest.raises(ValueError, match="not finite"):
        broken = SGDRegressor(eta0=1e3, alpha=0.0)
        for _ in range(20):
            broken.partial_fit(x, y)


def test_partial_fit_warns_of_a_finite_blow_up():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(600, 20)).astype(np.float32)
    y = x @ draw.normal(size=20) + 100
    for eta0, wild in ((0.01, False), (0.15, True)):
        stream = SGDRegressor(learning_rate="constant", eta0=eta0)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for first in range(0, 600, 200):
                stream.partial_fit(x[first:first + 200], y[first:first + 200])
        assert any("worse than by an untrained model" in str(warning.message) for warning in told) == wild, eta0
        assert np.all(np.isfinite(stream.coef_)), eta0


def test_partial_fit_refuses_what_it_cannot_do():
    x, y = two_classes(100)
    with pytest.raises(ValueError, match="classes"):
        SGDClassifier().partial_fit(x, y)
    begun = SGDClassifier().partial_fit(x, y, classes=[0, 1])
    with pytest.raises(ValueError, match="classes"):
        begun.partial_fit(x, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="none of the classes"):
        begun.partial_fit(x, y + 1)
    for refused in (dict(early_stopping=True), dict(class_weight="balanced"), dict(average=0.5),
                    dict(learning_rate="cosine"), dict(reproducible=True)):
        with pytest.raises(ValueError, match=next(iter(refused))):
            SGDClassifier(**refused).partial_fit(x, y, classes=[0, 1])


@pytest.mark.parametrize("changed", [dict(alpha=0.3), dict(eta0=0.001), dict(loss="log_loss"), dict(penalty=None),
                                     dict(penalty="l1", alpha=0.05), dict(n_jobs=2)])
def test_partial_fit_hears_what_was_changed(changed):
    x, y = two_classes(2000)
    x = StandardScaler().fit_transform(x)
    begun = SGDClassifier(loss="squared_hinge", eta0=0.005, random_state=0, alpha=1e-2)
    begun.partial_fit(x[:1000], y[:1000], classes=[0, 1])
    heard, deaf = copy.deepcopy(begun), copy.deepcopy(begun)
    anew = clone(begun).set_params(**changed)  # an estimator that has these from the beginning, and its coefficients
    anew.classes_, anew.coef_, anew.intercept_, anew.n_features_in_ = begun.classes_, begun.coef_, begun.intercept_, 20
    begun.set_params(**changed)
    for some in (begun, heard.set_params(**changed), anew, deaf):
        some.partial_fit(x[1000:], y[1000:])
    if changed == dict(n_jobs=2):
        assert begun._stream_begun["workers"] == 2 and "workers" not in deaf._stream_begun
        assert np.corrcoef(begun.decision_function(x), deaf.decision_function(x))[0, 1] > 0.9  # late adds differ
        return
    assert np.array_equal(begun.coef_, anew.coef_) and np.array_equal(heard.coef_, anew.coef_)
    assert not np.allclose(begun.coef_, deaf.coef_, rtol=1e-3)


def test_partial_fit_keeps_a_step_that_was_found():
    x, y = two_classes(2000)
    begun = SGDClassifier(loss="log_loss", random_state=0).partial_fit(x[:1500], y[:1500], classes=[0, 1])
    step = begun._stream.step
    begun.set_params(alpha=1e-3).partial_fit(x[1500:], y[1500:])
    assert begun._stream.step == step
    again = pickle.loads(pickle.dumps(begun)).partial_fit(x[:100], y[:100])
    assert again._stream.step == step
    again.set_params(eta0=step / 2).partial_fit(x[:100], y[:100])
    assert again._stream.step == step / 2
    again.set_params(fit_intercept=False)
    with pytest.raises(ValueError, match="fit_intercept"):
        again.partial_fit(x, y)


@pytest.mark.parametrize("penalty", ["l1", "elasticnet"])
@pytest.mark.parametrize("few", [100, 5000])
def test_partial_fit_with_l1_comes_to_the_objective_of_fit(penalty, few):
    x, y = two_classes(10_000, 40)
    x = StandardScaler().fit_transform(x)
    keywords = dict(loss="log_loss", penalty=penalty, l1_ratio=0.7, alpha=2e-2, random_state=0)
    fitted = SGDClassifier(tol=None, max_iter=30, **keywords).fit(x, y)
    stream = SGDClassifier(eta0=0.002, **keywords)
    for _ in range(8):
        for first in range(0, 10_000, few):
            stream.partial_fit(x[first:first + few], y[first:first + few], classes=[0, 1])
    assert objective(stream, x, 2 * y - 1) <= 1.01 * objective(fitted, x, 2 * y - 1)
    zeros = np.sum(stream.coef_ == 0)
    # With few rows a call, l1 takes less than a constant step may add to a coefficient meanwhile.
    assert zeros > 0 and (few < 1024 or abs(zeros - np.sum(fitted.coef_ == 0)) <= 8)


@pytest.mark.parametrize("classes", [2, 3])
def test_partial_fit_averages(classes):
    draw = np.random.default_rng(0)
    x = draw.normal(size=(20_000, 10))
    y = np.digitize(x @ draw.normal(size=10) + 2.0 * draw.normal(size=20_000), np.arange(1, classes) - classes / 2)
    fitted = SGDClassifier(loss="log_loss", random_state=0, tol=None, max_iter=30).fit(x, y)
    far = {}
    for average in (False, True):
        stream = SGDClassifier(loss="log_loss", random_state=0, eta0=0.05, average=average)
        for first in range(0, 20_000, 500):
            stream.partial_fit(x[first:first + 500], y[first:first + 500], classes=np.arange(classes))
            if first == 10_000:
                stream = pickle.loads(pickle.dumps(stream))  # the mean goes on
        far[average] = np.linalg.norm(stream.coef_ - fitted.coef_)
    assert far[True] < 0.5 * far[False]
    # It is the mean over the trained rows: here over calls one after another, by hand.
    plain, sums = SGDClassifier(loss="log_loss", random_state=0, eta0=0.05), 0.0
    mean = clone(plain).set_params(average=True)
    for first in range(0, 2048, 512):
        for each in (plain, mean):
            each.partial_fit(x[first:first + 512], y[first:first + 512], classes=np.arange(classes))
        sums = sums + plain.coef_ / 4
    assert np.allclose(mean.coef_, sums, atol=1e-6)
    assert np.allclose(mean.set_params(average=False).partial_fit(x[:64], y[:64]).coef_,
                       plain.partial_fit(x[:64], y[:64]).coef_, atol=1e-6)
