# SPDX-License-Identifier: Apache-2.0
"""Estimators that are not linear, ratings, and words."""
import os
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.datasets import make_moons

import hogwild as hw
from hogwild.sklearn import FFM, FactorizationMachineClassifier, FactorizationMachineRegressor, MLPClassifier


def pairs(rows=4000, seed=0):
    """Labels that no linear model tells: the product of two columns."""
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


def sentences():
    draw = np.random.default_rng(0)
    groups = [["red", "green", "blue", "white"], ["one", "two", "three", "four"], ["oak", "ash", "elm", "fir"]]
    return [draw.choice(groups[k % 3], 8).tolist() for k in range(3000)]


@pytest.mark.parametrize("sg, hs", [(0, 0), (1, 0), (1, 1)])
def test_words_that_stand_together_are_near(sg, hs, tmp_path):
    made = hw.Word2Vec(sentences(), vector_size=16, min_count=1, workers=2, sg=sg, hs=hs, sample=0.0, epochs=10)
    assert len(made.wv) == 12 and made.wv["red"].shape == (16,)
    for word, others in (("red", {"green", "blue", "white"}), ("two", {"one", "three", "four"})):
        assert {w for w, _ in made.wv.most_similar(word, topn=3)} == others
    assert made.wv.similarity("oak", "elm") > made.wv.similarity("oak", "one")


def test_a_text_in_a_file_is_read_as_sentences_are(tmp_path):
    (tmp_path / "text").write_text("\n".join(" ".join(s) for s in sentences()))
    options = dict(vector_size=8, min_count=1, workers=1, sample=0.0)
    file, lists = hw.Word2Vec(corpus_file=tmp_path / "text", **options), hw.Word2Vec(sentences(), **options)
    assert file.wv.index_to_key == lists.wv.index_to_key and np.array_equal(file.wv.vectors, lists.wv.vectors)
    assert file.wv.analogies([("red", "green", "one", "two"), ("red", "green", "one", "nowhere")])[1] == 1


def test_words_of_any_bytes_keep_their_vectors(tmp_path):
    word = b"caf\xe9"  # latin-1
    (tmp_path / "text").write_bytes(b"\n".join([word + b" rouge vert"] * 50))
    options = dict(vector_size=4, min_count=1, workers=1, sample=0.0)
    file = hw.Word2Vec(corpus_file=tmp_path / "text", **options)
    assert {os.fsencode(w) for w in file.wv.index_to_key} == {word, b"rouge", b"vert"}
    lists = hw.Word2Vec([[os.fsdecode(word), "rouge", "vert"]] * 50, **options)
    assert np.array_equal(lists.wv[os.fsdecode(word)], file.wv[os.fsdecode(word)])
    (tmp_path / "vectors.txt").write_bytes(b"2 2\n" + word + b" 1 2\nrouge 3 4\n")
    read = hw.words.WordVectors.load(tmp_path / "vectors.txt")
    assert read[os.fsdecode(word)].tolist() == [1.0, 2.0] and "rouge" in read


def test_words_that_are_none_are_refused():
    with pytest.raises(TypeError, match="sentences"):
        hw.Word2Vec()
    with pytest.raises(TypeError, match="corpus_file"):
        hw.Word2Vec("a text")
    with pytest.raises(ValueError, match="blanks"):
        hw.Word2Vec([["two words"]])
    with pytest.raises(hw.InputError):
        hw.Word2Vec([["rare"]], min_count=5)
    with pytest.raises(KeyError, match="nowhere"):
        hw.Word2Vec([["a", "b"] * 10], min_count=1, workers=1).wv["nowhere"]
