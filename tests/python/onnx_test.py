# SPDX-License-Identifier: Apache-2.0
"""Models as graphs of ONNX, which onnxruntime scores as the package does; and models in the forms of other programs."""
import json
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import hogwild as hw

COLUMNS = 12


def rows(kind, count=400, seed=0):
    draw = np.random.default_rng(seed)
    x = (draw.normal(size=(count, COLUMNS)) * (draw.random((count, COLUMNS)) < 0.6)).astype(np.float32)
    s = x @ np.cos(np.arange(COLUMNS)) + x[:, 0] * x[:, 1]
    return x, {"two": np.where(s > 0, 5, -2), "three": np.digitize(s, [-1, 1]) * 10 + 1, "number": 100 + 20 * s,
               "count": np.maximum(0, np.round(2 + s))}[kind]


def scored(graph, x):
    """The outputs of a graph by name."""
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, {"X": x})))


def assert_near(said, wanted, size=1.0):
    """To 1e-6 of numbers, and of the size of terms whose sum is small."""
    assert said.shape == wanted.shape
    assert np.all(np.abs(said.astype(float) - wanted) <= 1e-6 * np.maximum(np.abs(wanted), size))


MODELS = [("logistic", "two", {}), ("logistic", "two", {"bias": False}), ("hinge_svm", "two", {}),
          ("modified_huber", "two", {}), ("factorization_machine", "two", {"factors": 3}), ("softmax", "three", {}),
          ("softmax", "three", {"class_loss": "one_vs_rest"}), ("logistic", "three", {"multiclass": "ovr"}),
          ("hinge_svm", "three", {"multiclass": "ovr"}), ("least_squares", "number", {}), ("poisson", "count", {}),
          ("factorization_machine", "number", {"loss": "squared"})]


@pytest.mark.parametrize("name, kind, options", MODELS)
def test_onnxruntime_scores_as_the_model_does(name, kind, options):
    pytest.importorskip("onnx")
    model = hw.train(hw.Dataset(*rows(kind)), name, epochs=5, **options)
    x, _ = rows(kind, seed=1)
    said = scored(model.to_onnx(), x)
    size = np.abs(x).sum(axis=1).max()
    if kind in ("number", "count"):
        assert list(said) == ["prediction"]
        return assert_near(said["prediction"], model.predict(x), size if kind == "number" else 1.0)
    assert (said["label"] == model.predict(x)).all() and said["label"].dtype == np.int64
    scores = model.scores(x) if kind == "two" else model.class_scores(x)
    assert_near(said["scores"], scores, size)
    assert ("probabilities" in said) == ("hinge" not in name)
    if "probabilities" in said:
        assert_near(said["probabilities"], model.predict_proba(x))


def estimators():
    pytest.importorskip("sklearn")
    from hogwild import sklearn as hs

    return {"two": [hs.LogisticRegression(tol=1e-3), hs.LinearSVC(tol=1e-3), hs.SGDClassifier(loss="modified_huber"),
                    hs.FactorizationMachineClassifier()],
            "three": [hs.LogisticRegression(tol=1e-3), hs.SGDClassifier(loss="log_loss"), hs.SGDClassifier(loss="modified_huber"),
                      hs.LinearSVC(tol=1e-3)],
            "number": [hs.SGDRegressor(), hs.SGDRegressor(fit_intercept=False), hs.FactorizationMachineRegressor()]}


@pytest.mark.parametrize("kind", ["two", "three", "number"])
def test_onnxruntime_scores_as_a_fitted_estimator_does(kind):
    pytest.importorskip("onnx")
    x, y = rows(kind)
    x[:, -1] = 0  # a column without weights is one of X nevertheless
    y = y if kind == "number" else np.array([f"class {label}" for label in y])
    test, _ = rows(kind, seed=1)
    for estimator in estimators()[kind]:
        fitted = estimator.set_params(random_state=0).fit(x, y)
        said = scored(fitted.to_onnx(), test)
        if kind == "number":
            assert_near(said["prediction"], fitted.predict(test), 10.0)
            continue
        assert (said["label"] == fitted.predict(test)).all(), fitted
        assert_near(said["scores"], fitted.decision_function(test), 10.0)
        assert ("probabilities" in said) == hasattr(fitted, "predict_proba")
        if "probabilities" in said:
            assert_near(said["probabilities"], fitted.predict_proba(test))


def test_files_and_more_columns(tmp_path):
    onnx = pytest.importorskip("onnx")
    x, y = rows("two")
    model = hw.train(hw.Dataset(x[:, :5], y), epochs=2)
    written = model.to_onnx(tmp_path / "model.onnx", features=COLUMNS)
    read = onnx.load(tmp_path / "model.onnx")
    assert read == written and read.producer_name == "hogwild"
    assert_near(scored(read, x)["scores"], model.scores(x), 10.0)
    with pytest.raises(hw.ConfigError, match="features=3: this model has weights for 5 columns"):
        model.to_onnx(features=3)


def test_a_table_names_the_columns_of_its_graph(tmp_path):
    pytest.importorskip("onnx")
    table = tmp_path / "clicks.csv"
    table.write_text("click,price,site\n" + "yes,400.5,a\nno,100,b\nyes,,a\nno,30,c\n" * 20)
    model = hw.train(hw.open(table, label="click", cache=False), epochs=5)
    graph = model.to_onnx()
    names = json.loads({p.key: p.value for p in graph.metadata_props}["columns"])
    assert names == ["price", "price=missing", "site=a", "site=b", "site=c"]
    said = scored(graph, np.array([[400.5, 0, 1, 0, 0], [0, 1, 0, 1, 0]], np.float32))
    assert said["label"].tolist() == ["yes", "no"]
    model.export(tmp_path / "clicks.json")
    weights = {c["name"]: c["weights"][0] for c in json.loads((tmp_path / "clicks.json").read_text())["columns"]}
    constant = json.loads((tmp_path / "clicks.json").read_text())["intercept"][0]
    assert said["scores"][0] == pytest.approx(constant + 400.5 * weights["price"] + weights["site=a"], rel=1e-6)


def test_other_models_and_forms_are_refused(tmp_path):
    x, y = rows("two")
    votes = hw.train(hw.Dataset(x, y), "hinge_svm", ensemble=3, combine="vote", epochs=2)
    with pytest.raises(hw.ConfigError, match="ensemble of models"):
        votes.export(tmp_path / "model.liblinear")
    votes.export(tmp_path / "model", form="json")
    assert json.loads((tmp_path / "model").read_text())["decision"] == "vote"
    with pytest.raises(hw.ConfigError, match="its extension is of no form; there are .liblinear, .vw, .json, .csv"):
        votes.export(tmp_path / "model.svm")
    with pytest.raises(hw.ConfigError, match="no form 'nonsense' of models; there are liblinear, .*, fasttext"):
        votes.export(tmp_path / "model", form="nonsense")
    pytest.importorskip("onnx")
    with pytest.raises(hw.ConfigError, match="several models that make one prediction"):
        votes.to_onnx()
    far = sp.csr_matrix((np.ones(4, np.float32), ([0, 1, 2, 3], [0, 3 * 10**8, 0, 1])), shape=(4, 3 * 10**8 + 1))
    with pytest.raises(hw.ConfigError, match="300000001 columns are too many"):
        hw.train(hw.Dataset(far, [0, 1, 0, 1]), epochs=1).to_onnx()
    pytest.importorskip("sklearn")
    from hogwild.sklearn import FFM

    with pytest.raises(hw.ConfigError, match="the ffm model is no sum over columns"):
        FFM(max_iter=1).fit(x, y).to_onnx()


def test_a_missing_package_is_named(monkeypatch):
    model = hw.train(hw.Dataset(*rows("two")), epochs=1)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match="needs the package onnx: pip install onnx"):
        model.to_onnx()
