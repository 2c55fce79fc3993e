# SPDX-License-Identifier: Apache-2.0
"""Recommenders of pairs: hogwild.recommend."""
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import hogwild as hw
from hogwild.recommend import BPR, WARP, SampledSoftmax

KINDS = [BPR, WARP, SampledSoftmax]
GROUPS, USERS, ITEMS = 4, 60, 80


def some_pairs():
    """Users like the items of their group: user u, item i with u % GROUPS == i % GROUPS. A fifth of them is held back."""
    user, item = np.nonzero(np.arange(USERS)[:, None] % GROUPS == np.arange(ITEMS) % GROUPS)
    held_back = (item // GROUPS) % 5 == user % 5
    matrices = [sp.csr_matrix((np.ones(mine.sum()), (user[mine], item[mine])), shape=(USERS, ITEMS))
                for mine in (~held_back, held_back)]
    return matrices


def fitted(kind, train, **options):
    return kind(factors=8, iterations=40, **options).fit(train)


def recall(model, train, test, users, **options):
    best, _ = model.recommend(users, train[users], N=12, **options)  # of 64 that are not known
    return np.mean([np.isin(test[u].indices, best[k]).mean() for k, u in enumerate(users)])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_what_users_like_is_found(kind, threads):
    train, test = some_pairs()
    model = fitted(kind, train, num_threads=threads)
    users = np.arange(USERS)
    assert recall(model, train, test, users) > 0.9
    assert model.user_factors.shape == (USERS, 8) and model.item_factors.shape == (ITEMS, 8)
    best, scores = model.recommend(5, train[[5]], N=6)
    several, _ = model.recommend([4, 5], train[[4, 5]], N=6)
    assert np.array_equal(several[1], best) and np.all(np.diff(scores) <= 0) and not train[5, best].toarray().any()
    for what, near in (("item", model.similar_items(7, N=5)), ("user", model.similar_users(7, N=5))):
        assert near[0][0] == 7 and near[1][0] == pytest.approx(1, abs=1e-5), what
        assert np.all(near[0] % GROUPS == 7 % GROUPS), what
    assert set(model.recommend(5, N=3, items=[1, 2, 3])[0]) == {1, 2, 3}
    assert 5 not in model.recommend(5, N=ITEMS, filter_items=[5])[0][:ITEMS - 1]


@pytest.mark.parametrize("kind", KINDS)
def test_users_that_are_not_known_are_learned_from_their_pairs(kind):
    train, test = some_pairs()
    known, new = train[:40], np.arange(40, USERS)
    model = fitted(kind, known)
    items = model.item_factors.copy()
    assert recall(model, train, test, new, recalculate_user=True) > 0.9
    assert np.array_equal(model.item_factors, items)
    factors = model.recalculate_user([7, 8], train[[7, 8]])
    assert factors.shape == (2, 8) and np.array_equal(factors, model.recalculate_user([70, 80], train[[7, 8]]))
    assert model.recalculate_user(7, train[[7]]).shape == (8,)
    model.set_params(factors=3)  # which the next fit will have
    assert np.array_equal(model.recalculate_user([7, 8], train[[7, 8]]), factors)
    # Items that nobody had say nothing.
    alone = sp.hstack([known, sp.csr_matrix((40, 1))]).tocsr()
    model = fitted(kind, alone)
    assert not model.recalculate_user(0, sp.csr_matrix(([1.0], ([0], [ITEMS])), shape=(1, ITEMS + 1))).any()


@pytest.mark.parametrize("kind", KINDS)
def test_training_goes_on(kind):
    train, test = some_pairs()
    step_by_step = kind(factors=8)
    for _ in range(8):
        step_by_step.fit_partial(train, epochs=5)
    assert recall(step_by_step, train, test, np.arange(USERS)) > 0.9
    # New users and items are learned, and others keep their factors.
    before = fitted(kind, train[:40])
    factors = before.user_factors.copy()
    new = sp.csr_matrix(train.toarray() * (np.arange(USERS) >= 40)[:, None])
    before.fit_partial(sp.hstack([new, sp.csr_matrix((USERS, 3))]).tocsr(), epochs=40)
    assert np.array_equal(before.user_factors[:40], factors) and before.item_factors.shape == (ITEMS + 3, 8)
    assert recall(before, sp.hstack([train, sp.csr_matrix((USERS, 3))]).tocsr(), test, np.arange(40, USERS)) > 0.9


def test_entries_above_0_are_pairs():
    train, _ = some_pairs()
    of_counts = train.copy()
    of_counts.data = np.arange(1.0, len(train.data) + 1)
    disliked = sp.csr_matrix((-np.ones(3), ([0, 1, 2], [1, 2, 3])), shape=train.shape)
    models = [BPR(factors=4, iterations=2).fit(each) for each in (train, of_counts, train + disliked)]
    for other in models[1:]:
        np.testing.assert_array_equal(other.item_factors, models[0].item_factors)
    for none in (disliked, sp.csr_matrix((3, 3))):
        with pytest.raises(ValueError, match="no pairs"):
            BPR().fit(none)


@pytest.mark.parametrize("kind", KINDS)
def test_a_recommender_of_pairs_has_the_habits_of_an_estimator(kind, tmp_path):
    train, _ = some_pairs()
    model = kind(factors=4, iterations=2, reproducible=True).fit(train)
    again = clone(model)
    assert again.get_params() == model.get_params() and repr(again) == repr(model)
    with pytest.raises(NotFittedError, match=f"this {kind.__name__} is not fitted"):
        again.recommend(0)
    np.testing.assert_array_equal(again.set_params(num_threads=2).fit(train).item_factors, model.item_factors)
    model.save(tmp_path / "model")
    model.model_.save(tmp_path / "model.bin")
    assert hw.load(tmp_path / "model.bin").name == model.model_.name
    for other in (pickle.loads(pickle.dumps(model)), kind.load(tmp_path / "model.npz")):
        np.testing.assert_array_equal(other.recommend([3, 4])[1], model.recommend([3, 4])[1])
        np.testing.assert_array_equal(other.recalculate_user(0, train[[0]]), model.recalculate_user(0, train[[0]]))
        other.fit_partial(train)
    for bad in (dict(factors=0), dict(iterations=0), dict(num_threads=-1)):
        with pytest.raises(ValueError, match="it must be a whole number"):
            kind(**bad).fit(train)
    with pytest.raises(ValueError, match="step is learning_rate here"):
        kind(learning_rate=-1).fit(train)
    with pytest.raises(ValueError, match="epochs=0"):
        kind().fit_partial(train, epochs=0)
    with pytest.raises(ValueError, match="sampler"):
        kind(sampler="all").fit(train)


def test_many_users_are_told_the_same_as_each_alone(monkeypatch):
    train, _ = some_pairs()
    model = fitted(BPR, train)
    whole = model.recommend(np.arange(USERS), train, N=10)
    monkeypatch.setattr("hogwild._recommender._MOST_SCORES", 7 * ITEMS)
    for one, other in zip(whole, model.recommend(np.arange(USERS), train, N=10)):
        np.testing.assert_array_equal(one, other)


def test_runs_end_by_how_they_rank_the_pairs_that_they_hold_back(tmp_path):
    train = some_pairs()[0].tocoo()
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{u}\t{i}\n" for u, i in zip(train.row, train.col)))
    rows = hw.open(path, "pairs")
    for by in ("ndcg_at_20", "mrr_at_20", "loss"):
        chosen = {} if by == "ndcg_at_20" else {"stop_by": by}
        run = hw.train(rows, "bpr", factors=8, engine="serial", step=0.2, epochs=300, validation=0.25, **chosen).run_
        values = [epoch[f"validation_{by}"] for epoch in run.history]
        best = min(values) if by == "loss" else max(values)
        assert run["status"] == "no_progress" and run[f"validation_{by}"] == best
        assert values.index(best) == len(values) - 4
        # Four of the sixteen pairs of each user.
        assert run["validation_precision_at_20"] == pytest.approx(run["validation_recall_at_20"] * 4 / 20)
    with pytest.raises(hw.ConfigError, match="'accuracy' is not measured on pairs in training: take one of loss, auc"):
        hw.train(rows, "bpr", epochs=1, validation=0.2, stop_by="accuracy")
    with pytest.raises(hw.ConfigError, match="last:N are the command's"):
        hw.train(rows, "bpr", epochs=1, validation="last:1")


def some_features(items=ITEMS + 8):
    """Of items, of which the last ones are in no pair: their group, and one that says nothing."""
    group = np.eye(GROUPS)[np.arange(items) % GROUPS]
    return sp.csr_matrix(np.hstack([group, np.full((items, 1), 0.5)]))


@pytest.mark.parametrize("kind", KINDS)
def test_items_without_a_pair_are_ranked_by_their_features(kind):
    train, test = some_pairs()
    everything = train + test
    model = kind(factors=8, iterations=40).fit(everything, item_features=some_features())
    assert model.item_factors.shape == (ITEMS + 8, 8) and np.all(np.linalg.norm(model.item_factors, axis=1) > 0)
    users = np.arange(USERS)
    best, _ = model.recommend(users, everything, N=2)
    new = best[(best % GROUPS == (users % GROUPS)[:, None]) & (best >= ITEMS)]
    assert len(new) > 0.9 * best.size
    # Two further passes, with features of users, and a user more; what the model knows stays about the same.
    more = sp.vstack([everything, sp.csr_matrix((1, ITEMS))]).tocsr()
    of_users = sp.csr_matrix(np.ones((USERS + 1, 1)))
    before = model.item_factors.copy()
    model.set_params(learning_rate=1e-6).fit_partial(more, 2, item_features=some_features(), user_features=of_users)
    assert np.allclose(model.item_factors, before, atol=1e-3) and model.user_factors.shape == (USERS + 1, 8)
    with pytest.raises(ValueError, match="give fit_partial"):
        model.fit_partial(everything)
    assert recall(kind(factors=8, iterations=40).fit(train, item_features=some_features()), train, test, users) > 0.7
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.recommend(3, N=5)[0], model.recommend(3, N=5)[0])
    model.set_params(learning_rate=None)
    assert model.recommend(0, everything[[4]], N=1, recalculate_user=True)[0][0] % GROUPS == 0


def test_features_alone_make_factors_where_this_is_asked_for():
    train, _ = some_pairs()
    model = WARP(factors=8, iterations=5, features_alone=True).fit(train, item_features=some_features())
    assert np.array_equal(model.item_factors[0], model.item_factors[GROUPS])
    assert not np.array_equal(model.item_factors[0], model.item_factors[1])
    with pytest.raises(hw.ConfigError, match="leaves out the own vectors"):
        WARP(features_alone=True).fit(train)


@pytest.mark.parametrize("features, fault", [
    (sp.csr_matrix((ITEMS, 2)), "no user and no item has a feature"), (np.zeros(ITEMS), "item_features: .*dimensions"),
    (sp.csr_matrix(np.full((1, 1), np.nan)), "item_features: an entry is NaN")])
def test_features_that_are_none_are_refused(features, fault):
    with pytest.raises((ValueError, hw.ConfigError), match=fault):
        BPR().fit(some_pairs()[0], item_features=features)
