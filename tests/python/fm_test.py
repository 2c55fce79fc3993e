# SPDX-License-Identifier: Apache-2.0
"""Estimators that are not linear, and ratings."""
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError

import hogwild as hw
from hogwild.sklearn import FFM, FactorizationMachineClassifier, FactorizationMachineRegressor, MLPClassifier


def pairs(rows=4000, seed=0):
    """Labels that no linear model can predict: the product of two columns."""
    x = np.random.default_rng(seed).normal(size=(rows, 6)).astype(np.float32)
    return x, (x[:, 0] * x[:, 1] > 0).astype(int)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_factorization_machine_sees_pairs(workers):
    x, y = pairs()
    fitted = FactorizationMachineClassifier(random_state=0, eta0=0.1, n_jobs=workers).fit(x[:3000], y[:3000])
    assert fitted.score(x[3000:], y[3000:]) > 0.9
    assert np.allclose(fitted.predict_proba(x).sum(axis=1), 1.0)
    sparse = clone(fitted).fit(sp.csr_matrix(x[:3000]), y[:3000])
    assert sparse.score(sp.csr_matrix(x[3000:]), y[3000:]) > 0.9


def test_a_factorization_machine_of_numbers():
    x, _ = pairs()
    target = 3 + x[:, 0] * x[:, 1] + 2 * x[:, 2]
    fitted = FactorizationMachineRegressor(random_state=0, eta0=0.1, max_iter=40).fit(x[:3000], target[:3000])
    assert fitted.score(x[3000:], target[3000:]) > 0.9


def test_fields_are_told_apart():
    draw = np.random.default_rng(0)
    user, item = draw.integers(0, 30, 6000), draw.integers(0, 20, 6000)
    likes = draw.normal(size=(30, 20)) @ np.eye(20) > 0
    x = sp.csr_matrix((np.ones(12000, np.float32), np.column_stack([user, 30 + item]).reshape(-1),
                       np.arange(0, 12001, 2)), shape=(6000, 50))
    y = likes[user, item]
    fields = np.repeat([0, 1], [30, 20])
    fitted = FFM(8, fields=fields, random_state=0, max_iter=60, eta0=0.2).fit(x[:5000], y[:5000])
    assert fitted.score(x[5000:], y[5000:]) > 0.85
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.decision_function(x), fitted.decision_function(x))
    with pytest.raises(ValueError, match="fields"):
        FFM(fields=[0, 1]).fit(x, y)


@pytest.mark.parametrize("solver", ["adam", "momentum"])
def test_a_net_bends(solver):
    x, y = make_moons(3000, noise=0.2, random_state=0)
    rate = {"adam": 0.01, "momentum": 0.05}[solver]
    fitted = MLPClassifier((32,), solver=solver, learning_rate_init=rate, max_iter=40, random_state=0)
    fitted.fit(x[:2000], y[:2000])
    assert fitted.score(x[2000:], y[2000:]) > 0.94
    assert np.array_equal(clone(fitted).fit(x[:2000], y[:2000]).predict(x), fitted.predict(x))


@pytest.mark.parametrize("estimator", [FactorizationMachineClassifier(random_state=0), FFM(random_state=0),
                                       FactorizationMachineRegressor(random_state=0),
                                       MLPClassifier((8,), random_state=0)], ids=lambda e: type(e).__name__)
def test_copies_say_the_same(estimator):
    x, y = pairs(300)
    fitted = clone(estimator).fit(x, y)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict(x), fitted.predict(x))


def test_fields_are_numbered_once(monkeypatch):
    x, y = pairs(300)
    fitted = FFM(2, fields=[0, 0, 1, 1, 2, 2], max_iter=2, random_state=0).fit(x, y)
    told = fitted.decision_function(x)
    calls = []
    monkeypatch.setattr(FFM, "_numbers", lambda self, columns: calls.append(columns))
    # A fitted model keeps the fields that it was trained with.
    np.testing.assert_array_equal(fitted.set_params(fields=[0, 1, 2, 0, 1, 2]).decision_function(x), told)
    assert calls == []


def some_ratings(seed=0):
    draw = np.random.default_rng(seed)
    users, items = draw.normal(size=(200, 3)), draw.normal(size=(80, 3))
    told = draw.random((200, 80)) < 0.4
    ratings = users @ items.T + draw.normal(size=(200, 1)) + 3
    train = told & (draw.random(told.shape) < 0.9)
    return ratings, train, told & ~train


@pytest.mark.parametrize("threads", [1, 2])
def test_ratings_are_learned(threads):
    ratings, train, test = some_ratings()
    matrix = sp.csr_matrix((ratings[train], np.nonzero(train)), shape=ratings.shape)
    fitted = hw.MatrixFactorization(8, iterations=60, regularization=0.01, learning_rate=0.1, num_threads=threads)
    fitted.fit(matrix)
    users, items = np.nonzero(test)
    error = np.sqrt(np.mean((fitted.predict(users, items) - ratings[test]) ** 2))
    assert error < 0.4 * ratings[test].std()
    best, told = fitted.recommend(3, matrix[[3]], N=5)
    assert not train[3, best].any() and np.all(np.diff(told) <= 0)
    assert np.allclose(told, fitted.predict(np.full(5, 3), best), atol=1e-5)
    several, _ = fitted.recommend([3, 4], matrix[[3, 4]], N=5)
    assert np.array_equal(several[0], best)
    near, cosine = fitted.similar_items(7, N=4)
    assert near[0] == 7 and cosine[0] == pytest.approx(1.0, abs=1e-5)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).item_factors, fitted.item_factors)


def test_ratings_that_are_none_are_refused():
    with pytest.raises(ValueError, match="no ratings"):
        hw.MatrixFactorization().fit(sp.csr_matrix((3, 3)))
    with pytest.raises(ValueError):
        hw.MatrixFactorization().fit(sp.csr_matrix(np.array([[np.nan, 1.0]])))


def some_recommender(**options):
    ratings = sp.random(60, 30, density=0.3, random_state=np.random.default_rng(0), format="csr")
    ratings = sp.hstack([ratings, sp.csr_matrix((60, 1))]).tocsr()  # nobody has rated the last item
    return hw.MatrixFactorization(4, iterations=3, **options).fit(ratings), ratings


def test_ids_are_those_that_were_seen():
    fitted, ratings = some_recommender()
    for ask in (lambda: fitted.recommend(60), lambda: fitted.recommend(-1), lambda: fitted.recommend([0, 99]),
                lambda: fitted.similar_users(-1), lambda: fitted.predict([60], [0]), lambda: fitted.similar_items(31),
                lambda: fitted.predict([0], [-1]), lambda: fitted.recommend(0, filter_items=[31])):
        with pytest.raises(IndexError, match="there is no (user|item) -?[0-9]+: fit.. has seen .* 0 to"):
            ask()
    with pytest.raises(ValueError, match="item 30 has no entry"):
        fitted.similar_items(30)
    with pytest.raises(TypeError, match="whole numbers"):
        fitted.recommend("a")
    with pytest.raises(TypeError, match="one item"):
        fitted.similar_items([1, 2])
    with pytest.raises(ValueError, match="2 users and 3 items"):
        fitted.predict([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match="50 columns.*31 items"):
        fitted.recommend(0, sp.csr_matrix((1, 50)))
    with pytest.raises(ValueError, match="60 rows, and 1 users.*ratings.users."):
        fitted.recommend(0, ratings)
    for n in (0, -1, 2.5):
        with pytest.raises(ValueError, match="N="):
            fitted.recommend(0, N=n)
    assert fitted.recommend(0, N=100)[0].shape == (31,)
    assert set(fitted.recommend(0, items=[3, 5, 7], N=3)[0]) == {3, 5, 7}
    assert 3 not in fitted.recommend(0, N=31, filter_items=[3])[0][:30]


def test_a_recommender_has_the_habits_of_an_estimator(tmp_path):
    unfitted = hw.MatrixFactorization()
    for ask in (lambda: unfitted.recommend(0), lambda: unfitted.predict([0], [0]), lambda: unfitted.similar_items(0),
                lambda: unfitted.similar_users(0), lambda: unfitted.save(tmp_path / "none")):
        with pytest.raises(NotFittedError, match="call fit"):
            ask()
    fitted, ratings = some_recommender(learning_rate=0.05)
    again = clone(fitted)
    assert again.get_params() == fitted.get_params() and not hasattr(again, "mean")
    assert repr(again) == "MatrixFactorization(factors=4, learning_rate=0.05, iterations=3)"
    assert again.set_params(factors=5).factors == 5
    with pytest.raises(ValueError, match="no parameter 'rank'.*factors"):
        again.set_params(rank=3)
    for bad in (dict(factors=0), dict(iterations=1.5), dict(num_threads=-1), dict(random_state=-3), dict(random_state="1")):
        with pytest.raises(ValueError, match="it must be a whole number"):
            hw.MatrixFactorization(**bad).fit(ratings)
    fitted.save(tmp_path / "model")
    read = hw.MatrixFactorization.load(tmp_path / "model")
    assert read.get_params() == fitted.get_params() and read.mean == fitted.mean
    np.testing.assert_array_equal(read.recommend(5)[0], fitted.recommend(5)[0])
    np.savez(tmp_path / "other.npz", a=1)
    with pytest.raises(ValueError, match="not written by"):
        hw.MatrixFactorization.load(tmp_path / "other.npz")


@pytest.mark.parametrize("use_bias", [True, False])
def test_a_user_is_recalculated_from_ratings(use_bias):
    ratings, train, _ = some_ratings()
    matrix = sp.csr_matrix((ratings[train], np.nonzero(train)), shape=ratings.shape)
    fitted = hw.MatrixFactorization(8, iterations=80, regularization=0.01, learning_rate=0.1, use_bias=use_bias).fit(matrix)

    def objective(users, factors, bias):
        total = 0.0
        for user, p, b in zip(users, factors, bias):
            items = np.flatnonzero(train[user])
            error = fitted.mean + b + fitted.item_bias[items] + fitted.item_factors[items] @ p - ratings[user, items]
            total += error @ error / 2 + 0.01 * len(items) / 2 * (p @ p + b * b)
        return total

    users = [3, 50, 120]
    factors, bias = fitted._solved(matrix[users])
    # Nothing lowers their objective further: neither the learned factors, which are close, nor neighbours.
    learned = objective(users, fitted.user_factors[users], fitted.user_bias[users])
    least = objective(users, factors, bias)
    assert least <= learned <= 1.2 * least and (use_bias or not bias.any())
    for shift in (1e-3, -1e-3):
        assert objective(users, factors + shift, bias) > least
    # Unknown users get the same items as those who have the same ratings.
    best, _ = fitted.recommend([0, 10**6], matrix[[3, 3]], N=5, recalculate_user=True)
    assert np.array_equal(best[0], best[1]) and not train[3, best[0]].any()
    with pytest.raises(ValueError, match="user_items: give them"):
        fitted.recommend(3, recalculate_user=True)


@pytest.mark.parametrize("state", [lambda: 3, lambda: np.int64(3), lambda: np.random.RandomState(3),
                                   lambda: np.random.default_rng(3)])
def test_a_recommender_takes_any_random_state(state):
    first, second = some_recommender(random_state=state())[0], some_recommender(random_state=state())[0]
    np.testing.assert_array_equal(first.item_factors, second.item_factors)


def forward(net, x):
    """The probabilities that a net's layers give, by numpy."""
    for layer, (coef, intercept) in enumerate(zip(net.coefs_, net.intercepts_)):
        x = (np.maximum(x, 0.0) if layer else x) @ coef + intercept
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("hidden", [(6,), (5, 7), (4, 3, 6)])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_layers_of_a_net_are_those_that_predict(hidden, classes):
    x, y = pairs(600)
    y = y + 2 * (x[:, 2] > 0) if classes == 4 else y
    x[:, 5] = 0.0  # a column that never occurs, of sparse rows
    for rows in (x, sp.csr_matrix(x)):
        net = MLPClassifier(hidden, max_iter=4, random_state=0).fit(rows, y)
        assert [c.shape for c in net.coefs_] == list(zip((6, *hidden), (*hidden, classes)))
        assert [c.shape for c in net.intercepts_] == [(w,) for w in (*hidden, classes)]
        assert (net.n_layers_, net.n_outputs_, net.out_activation_) == (len(hidden) + 2, classes, "softmax")
        np.testing.assert_allclose(net.predict_proba(rows), forward(net, x), atol=1e-5)
        assert net.loss_ == net.loss_curve_[-1] and len(net.loss_curve_) == net.n_iter_ == 4
        assert net.validation_loss_curve_ is None
    held_back = MLPClassifier(hidden, max_iter=4, random_state=0, early_stopping=True, validation_fraction=0.2).fit(x, y)
    assert len(held_back.validation_loss_curve_) == len(held_back.loss_curve_)


def test_a_net_goes_on_from_the_last_fit():
    x, y = pairs(2000)
    net = MLPClassifier((16,), max_iter=8, random_state=0, warm_start=True, learning_rate_init=0.01).fit(x, y)
    first = net.loss_curve_
    again = net.fit(x, y).loss_curve_
    assert again[0] < first[0] and again[-1] < first[-1]
    assert MLPClassifier((16,), max_iter=8, random_state=0, learning_rate_init=0.01).fit(x, y).loss_curve_ == first
    for rows, labels, more in ((x[:, :5], y, {}), (x, y + 1, {}), (x, y + (x[:, 3] > 0), {}),
                               (x, y, dict(hidden_layer_sizes=(8,)))):
        with pytest.raises(ValueError, match="warm_start"):
            clone(net).fit(x, y).set_params(**more).fit(rows, labels)


@pytest.mark.parametrize("parameters, says", [
    (dict(activation="tanh"), "activation='tanh'.*torch"), (dict(solver="lbfgs"), "lbfgs.*adam"),
    (dict(learning_rate="adaptive"), "adaptive.*scikit-learn.*constant"), (dict(learning_rate="falling"), "one of constant"),
    (dict(learning_rate="plateau"), "early_stopping"), (dict(momentum=0.9), "solver='adam'.*of 'momentum'"),
    (dict(momentum=1.0, solver="momentum"), "below 1"), (dict(beta_1=0.5, solver="sgd"), "of 'adam'"),
    (dict(batch_size=257), "1 to 256"), (dict(batch_size=0), "batch_size"), (dict(hidden_layer_sizes=()), "one to four"),
])
def test_what_a_net_has_not_is_told(parameters, says):
    x, y = pairs(100)
    with pytest.raises(ValueError, match=says):
        MLPClassifier(**parameters).fit(x, y)


@pytest.mark.parametrize("parameters", [
    dict(learning_rate="cosine"), dict(momentum=0.5, solver="momentum"), dict(beta_1=0.5, beta_2=0.9),
    dict(batch_size="auto"), dict(learning_rate="plateau", early_stopping=True)])
def test_what_a_net_is_told_makes_another_one(parameters):
    x, y = pairs(1000)
    common = dict(hidden_layer_sizes=(8,), max_iter=3, random_state=0)
    plain = MLPClassifier(solver=parameters.get("solver", "adam"), **common).fit(x, y)
    told = MLPClassifier(**{**common, **parameters}).fit(x, y)
    assert not np.array_equal(told.coefs_[0], plain.coefs_[0]) and np.isfinite(told.loss_)


def test_what_other_packages_have_is_told():
    with pytest.raises(ImportError, match="has no MLPRegressor: .*SGDRegressor"):
        from hogwild.sklearn import MLPRegressor  # noqa: F401
    with pytest.raises(ImportError, match="penalty='l1'"):
        hw.sklearn.Lasso
    assert not hasattr(hw.sklearn, "NoSuchEstimator") and not hasattr(MLPClassifier(), "partial_fit")
    with pytest.raises(AttributeError, match="warm_start=True"):
        MLPClassifier().partial_fit


def test_doubled_ratings_are_summed_and_those_that_are_none_refused():
    draw = np.random.default_rng(0)
    user, item, rating = draw.integers(0, 20, 200), draw.integers(0, 10, 200), draw.random(200)  # many pairs twice
    doubled = sp.coo_array((rating, (user, item)), shape=(20, 10))
    of_both = [hw.MatrixFactorization(factors=2).fit(form) for form in (doubled, doubled.tocsr(), doubled.todense())]
    assert doubled.nnz == 200  # the caller's matrix stays as it was
    for other in of_both[1:]:
        assert other.mean == of_both[0].mean
        np.testing.assert_array_equal(other.item_factors, of_both[0].item_factors)
    fitted, asked = of_both[0], sp.csr_matrix(([np.nan], ([0], [1])), shape=(1, 10))
    with pytest.raises(ValueError, match="NaN"):
        fitted.recommend(0, asked, recalculate_user=True)
    with pytest.raises(ValueError, match="2 dimensions"):
        fitted.recommend([[0, 1]])
    asked.data[:] = 1.0
    expected = fitted.recommend(0, asked, recalculate_user=True)
    fitted.set_params(factors=16)  # which the next fit will have
    np.testing.assert_array_equal(fitted.recommend(0, asked, recalculate_user=True), expected)


@pytest.mark.parametrize("parameters, says", [
    (dict(learning_rate=-1), "step is learning_rate here"), (dict(regularization=-1), "l2 is regularization here"),
    (dict(random_state=2**70), "seed is random_state here")])
def test_a_parameter_of_a_recommender_is_named_as_it_is_here(parameters, says):
    with pytest.raises(ValueError, match=says):
        hw.MatrixFactorization(**parameters).fit(np.eye(4))


def test_columns_without_room_for_a_net_are_told():
    wide = sp.csr_matrix((np.ones(4), ([0, 1, 2, 3], [0, 1, 2, 2**31])), shape=(4, 2**32 - 2))
    with pytest.raises(hw.ResourceError, match="coefs_.*hogwild.train"):
        MLPClassifier(max_iter=1).fit(wide, [0, 1, 0, 1])


def test_a_machine_counts_columns_before_it_numbers_them(monkeypatch):
    monkeypatch.setattr(np, "arange", None)
    with pytest.raises(ValueError, match="4194304 at most"):
        FFM()._numbers(2**32 - 2)
