# SPDX-License-Identifier: Apache-2.0
"""Calibrated probabilities, against scikit-learn's of the same margins."""
import numpy as np
import pytest

import hogwild as hw

calibration = pytest.importorskip("sklearn.calibration")
isotonic = pytest.importorskip("sklearn.isotonic")
metrics = pytest.importorskip("sklearn.metrics")

DRAW = np.random.default_rng(3)
X = DRAW.normal(size=(2000, 6))
Y = np.where(X @ [2, -1, 0.5, 0, 0, 1] + DRAW.logistic(size=2000) > 0.7, 1, -1)
WEIGHT = DRAW.integers(1, 4, size=2000)


def held_back(rows, labels, model):
    """Which rows the run has held back: the ones whose change leaves the uncalibrated parameters as they are."""
    held = np.zeros(len(rows), bool)
    for r in range(len(rows)):
        other = rows.copy()
        other[r] *= 3
        held[r] = np.array_equal(trained(other, labels).scores(rows[:1]), model.scores(rows[:1]))
    return held


def trained(rows, labels, **more):
    return hw.train(hw.Dataset(rows, labels), "hinge_svm", engine="serial", epochs=3, validation=0.5, seed=2, step=0.1,
                    patience=50, **more)


def shown(model):
    """The map from margins to probabilities, of rows that have one column."""
    first = np.eye(X.shape[1])[0]
    constant, one = model.scores(np.array([0 * first, first])).astype(float)
    assert one != constant
    return lambda margins: model.predict_proba(np.outer((margins - constant) / (one - constant), first))[:, 1]


@pytest.mark.parametrize("kind", ["platt", "isotonic"])
def test_the_map_is_scikit_learns(kind):
    rows, labels = X[:120], Y[:120]
    held = held_back(rows, labels, trained(rows, labels))
    assert held.sum() == 60
    model = trained(rows, labels, calibrate=kind)
    np.testing.assert_array_equal(model.scores(rows), trained(rows, labels).scores(rows))
    margins = model.scores(rows).astype(float)
    if kind == "platt":
        theirs = calibration._SigmoidCalibration().fit(margins[held], labels[held])
    else:
        theirs = isotonic.IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1)
        theirs.fit(margins[held], (labels[held] > 0).astype(float))
    said = model.predict_proba(rows)[:, 1]
    np.testing.assert_allclose(said, theirs.predict(margins), atol=2e-4 if kind == "platt" else 1e-6)
    beyond = np.linspace(margins.min() - 1, margins.max() + 1, 301)
    np.testing.assert_allclose(shown(model)(beyond), theirs.predict(beyond), atol=1e-3)


@pytest.mark.parametrize("kind", ["platt", "isotonic"])
def test_labels_follow_the_probabilities_and_stay_so_in_a_file(kind, tmp_path):
    model = hw.train(hw.Dataset(X, Y), "hinge_svm", engine="serial", epochs=5, validation=0.4, calibrate=kind,
                     weight_positive=20)
    said = model.predict_proba(X)
    np.testing.assert_allclose(said.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(X), np.where(said[:, 1] >= 0.5, 1, -1))
    assert (model.predict(X) != np.where(model.scores(X) > 0, 1, -1)).any()
    for name in ("model.bin", "model.txt"):
        model.save(tmp_path / name)
        again = hw.load(tmp_path / name)
        np.testing.assert_array_equal(again.predict_proba(X), said)
        np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_weighted_rows_count_as_that_many():
    rows, labels, weight = X[:400], Y[:400], WEIGHT[:400].astype(np.float32)
    kept = dict(engine="serial", epochs=3, validation=0.5, step=0.1, patience=50, calibrate="platt")
    weighted = hw.train(hw.Dataset(rows, labels, weight=weight), "logistic", **kept)
    plain = hw.train(hw.Dataset(rows, labels), "logistic", **kept)
    assert not np.allclose(weighted.predict_proba(rows), plain.predict_proba(rows))
    # Its own held-back rows, weighted, have as many of the larger label as it says.
    assert abs(np.average(weighted.predict_proba(rows)[:, 1], weights=weight)
               - np.average(labels > 0, weights=weight)) < 0.05


def test_probabilities_of_a_large_margin_come_true():
    model = hw.train(hw.Dataset(X[:1000], Y[:1000]), "squared_hinge", engine="serial", epochs=10, validation=0.5,
                     calibrate="isotonic")
    said = model.predict_proba(X[1000:])[:, 1]
    constant = np.full(1000, (Y[:1000] > 0).mean())
    assert metrics.brier_score_loss(Y[1000:] > 0, said) < 0.7 * metrics.brier_score_loss(Y[1000:] > 0, constant)


def test_refusals():
    data = hw.Dataset(X, Y)
    for options, why in (({"calibrate": "platt"}, "validation"), ({"calibrate": "beta", "validation": 0.2}, "isotonic")):
        with pytest.raises(hw.ConfigError, match=why):
            hw.train(data, "hinge_svm", **options)
    with pytest.raises(hw.ConfigError, match="two labels"):
        hw.train(hw.Dataset(X, X[:, 0]), "least_squares", validation=0.2, calibrate="platt")
