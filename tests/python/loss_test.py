# SPDX-License-Identifier: Apache-2.0
"""Losses of the user's own."""
import copy
import gc
import math
import pickle
import weakref

import numpy as np
import pytest

pytest.importorskip("numba", reason="numba is not installed")
import hogwild as hw


@hw.loss
def squared_hinge(margin, label):
    gap = max(0.0, 1.0 - margin * label)
    return gap * gap, -2.0 * label * gap


@hw.loss
def logistic(margin, label):
    z = margin * label
    if z > 0:
        e = math.exp(-z)
        return math.log1p(e), -label * e / (1.0 + e)
    e = math.exp(z)
    return math.log1p(e) - z, -label / (1.0 + e)


@hw.loss(labels="numbers")
def log_cosh(margin, label):
    r = margin - label
    return abs(r) + math.log1p(math.exp(-2.0 * abs(r))) - math.log(2.0), math.tanh(r)


def rows(n=4000, columns=20, seed=0):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(n, columns)).astype(np.float32)
    w = draw.normal(size=columns)
    return x, x @ w + 0.3 + 0.5 * draw.normal(size=n)


@pytest.mark.parametrize("options", [{"engine": "serial"}, {"engine": "serial", "batch": 1},
                                     {"engine": "serial", "optimizer": "adagrad"},
                                     {"engine": "threads", "workers": 2, "reproducible": True}])
def test_it_trains_as_the_same_loss_of_the_engine(options):
    x, target = rows()
    data = hw.Dataset(x, target > 0)
    for own, native in [(squared_hinge, "squared_hinge"), (logistic, "logistic")]:
        how = {"epochs": 5, "step": 0.02, "l2": 1e-4, "bias": True, **options}
        mine, theirs = hw.train(data, own, **how), hw.train(data, native, **how)
        assert mine.run_["train_loss"] == pytest.approx(theirs.run_["train_loss"], rel=1e-5)
        assert np.allclose(mine.scores(x), theirs.scores(x), rtol=1e-3, atol=1e-4)
        assert np.array_equal(mine.classes_, [0, 1]) and np.mean(mine.predict(x) == (target > 0)) > 0.9


def test_a_step_is_found_and_several_workers_train():
    x, target = rows()
    fitted = hw.train(hw.Dataset(x, target > 0), logistic, epochs=10, engine="threads", workers=2)
    assert np.mean(fitted.predict(x) == (target > 0)) > 0.9


def test_a_loss_of_numbers():
    x, target = rows()
    fitted = hw.train(hw.Dataset(x, target), log_cosh, epochs=20, bias=True, engine="serial")
    assert np.mean(np.abs(fitted.predict(x) - target)) < 0.5


def test_estimators_take_it():
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.multiclass import OneVsRestClassifier
    from hogwild.sklearn import SGDClassifier, SGDRegressor
    x, target = rows()
    names = np.where(target > 0, "yes", "no")
    mine = SGDClassifier(squared_hinge, max_iter=10, random_state=0).fit(x, names)
    theirs = SGDClassifier("squared_hinge", max_iter=10, random_state=0).fit(x, names)
    assert mine.score(x, names) > 0.9 and np.allclose(mine.coef_, theirs.coef_, rtol=1e-3, atol=1e-4)
    assert clone(mine).loss is squared_hinge
    three = np.digitize(target, [-1, 1])
    several = SGDClassifier(squared_hinge, max_iter=10, random_state=0)
    with pytest.raises(ValueError, match="OneVsRestClassifier"):
        several.fit(x, three)
    assert OneVsRestClassifier(several).fit(x, three).score(x, three) > 0.7
    assert SGDRegressor(log_cosh, max_iter=20, random_state=0).fit(x, target).score(x, target) > 0.9
    with pytest.raises(ValueError, match="numbers"):
        SGDRegressor(squared_hinge).fit(x, target)
    with pytest.raises(ValueError, match="partial_fit"):
        SGDClassifier(squared_hinge).partial_fit(x, names, classes=["no", "yes"])


def test_a_run_keeps_the_loss_that_it_trains_with(monkeypatch):
    x, target = rows()
    made = []
    compiled = hw._loss._compiled
    monkeypatch.setattr(hw._loss, "_compiled", lambda function: made.append(compiled(function)) or made[-1])

    def started():
        @hw.loss
        def temporary(margin, label):
            gap = max(0.0, 1.0 - margin * label)
            return gap * gap, -2.0 * label * gap
        return hw.start(hw.Dataset(x, target > 0), temporary, epochs=10**6, step=0.01, engine="serial")

    job = started()
    functions = [weakref.ref(each) for each in made.pop()]
    gc.collect()
    assert all(f() is not None for f in functions)
    while len(job.history) < 3:
        job.wait(0.01)
    job.stop()
    assert np.mean(job.result().predict(x) == (target > 0)) > 0.9
    del job
    gc.collect()
    assert all(f() is None for f in functions)


def test_a_derivative_of_another_loss_is_refused():
    with pytest.raises(hw.ConfigError, match="wrong and its derivative.*margin"):
        @hw.loss
        def wrong(margin, label):
            gap = max(0.0, 1.0 - margin * label)
            return gap * gap, -label * gap
    @hw.loss(labels="numbers")
    def half(margin, label):
        return (margin - label) ** 2, margin - label
    x, target = rows(200)
    with pytest.raises(hw.ConfigError, match="half and its derivative"):
        hw.train(hw.Dataset(x, target), half, epochs=1)


def test_what_cannot_be_compiled_is_refused():
    with pytest.raises(TypeError, match="numba cannot compile the loss of_text"):
        @hw.loss
        def of_text(margin, label):
            return open("x"), label
    with pytest.raises(TypeError, match="numba cannot compile the loss alone"):
        @hw.loss
        def alone(margin, label):
            return margin * label
    with pytest.raises(ValueError, match="binary"):
        hw.loss(labels="classes")(lambda margin, label: (0.0, 0.0))
    with pytest.raises(TypeError, match="function"):
        hw.loss(3)


def test_worker_processes_are_refused():
    x, target = rows(200)
    for engine in ("processes", "ring"):
        with pytest.raises(hw.ConfigError, match="lies in this process alone"):
            hw.train(hw.Dataset(x, target > 0), logistic, engine=engine)
    with pytest.raises(hw.ConfigError, match="no model own_loss"):
        hw.train(hw.Dataset(x, target > 0), "own_loss")
    assert "own_loss" not in hw.models()


def test_it_is_a_function_still_and_copies_of_models_predict(tmp_path):
    assert squared_hinge(0.5, 1.0) == (0.25, -1.0) and squared_hinge.__name__ == "squared_hinge"
    assert copy.deepcopy(squared_hinge) is squared_hinge and pickle.loads(pickle.dumps(squared_hinge)) is squared_hinge
    x, target = rows(500)
    fitted = hw.train(hw.Dataset(x, target > 0), logistic, epochs=3, engine="serial")
    fitted.save(tmp_path / "own.bin")
    for again in (hw.load(tmp_path / "own.bin"), pickle.loads(pickle.dumps(fitted))):
        assert np.array_equal(again.scores(x), fitted.scores(x))
    warm = hw.train(hw.Dataset(x, target > 0), logistic, epochs=1, engine="serial", initial=fitted)
    assert warm.run_["train_loss"] <= fitted.run_["train_loss"] * 1.05
