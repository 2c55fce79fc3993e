# SPDX-License-Identifier: Apache-2.0
"""Unsuitable rows are refused by an exception of scikit-learn's type, with a message."""
import ctypes
import mmap
import os
import re

import numpy as np
import pytest
import scipy.sparse as sp

sklearn = pytest.importorskip("sklearn")
from sklearn import linear_model, neural_network, svm
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

import hogwild as hw
from hogwild.sklearn import (FFM, FactorizationMachineClassifier, FactorizationMachineRegressor, LinearSVC,
                             LogisticRegression, MLPClassifier, SGDClassifier, SGDRegressor)

PAIRS = [(SGDClassifier, linear_model.SGDClassifier), (SGDRegressor, linear_model.SGDRegressor),
         (LinearSVC, svm.LinearSVC), (LogisticRegression, linear_model.LogisticRegression),
         (FactorizationMachineClassifier, linear_model.SGDClassifier), (FFM, linear_model.SGDClassifier),
         (FactorizationMachineRegressor, linear_model.SGDRegressor),
         (MLPClassifier, neural_network.MLPClassifier)]
DRAW = np.random.default_rng(0)
X = DRAW.normal(size=(20, 4)).astype(np.float32)
Y = (X[:, 0] > 0).astype(int)


def with_one(value, at=(3, 2)):
    x = X.astype(np.float64)
    x[at] = value
    return x


def of_objects():
    x = X.astype(object)
    x[1, 1] = "three"
    return x


NOTHING = np.zeros((0, 4), np.float32)
ROWS = {"one dimension": (X[0], Y), "three dimensions": (X.reshape(5, 4, 4), Y[:5]), "fewer labels": (X, Y[:7]),
        "fewer rows": (X[:7], Y), "no rows": (NOTHING, Y[:0]), "no columns": (X[:, :0], Y), "text": (X.astype(str) + "a", Y),
        "an object": (of_objects(), Y), "complex numbers": (X + 1j, Y), "NaN": (with_one(np.nan), Y),
        "infinity": (with_one(np.inf), Y), "less than all": (with_one(-np.inf), Y),
        "sparse NaN": (sp.csr_matrix(with_one(np.nan)), Y), "sparse infinity": (sp.csc_matrix(with_one(np.inf)), Y),
        "sparse complex": (sp.csr_matrix(X + 1j), Y), "fewer labels of sparse rows": (sp.csr_matrix(X), Y[:7]),
        "NaN as a label": (X, np.where(Y == 0, np.nan, 1.0)), "infinity as a label": (X, np.where(Y == 0, np.inf, 1.0)),
        "a table of labels": (X, np.column_stack([Y, Y, Y])), "no labels": (X, None),
        "labels of no length": (X, 3.0), "a ragged list": ([[1.0, 2.0], [3.0]], [0, 1])}
OF_CLASSES = {"one class": (X, np.ones(20)), "numbers": (X, np.linspace(0.0, 1.0, 20)),
              "labels of two kinds": (X, np.array(["a", 1] * 10, dtype=object))}
OF_NUMBERS = {"words": (X, np.array(["a", "b"] * 10))}


def fault_of(call):
    try:
        call()
    except Exception as fault:  # of any type
        return fault
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ours, theirs", PAIRS, ids=lambda e: e.__module__.split(".")[0] + "." + e.__name__)
def test_rows_are_refused_as_scikit_learn_refuses_them(ours, theirs):
    for what, (x, y) in {**ROWS, **(OF_CLASSES if is_classifier(ours()) else OF_NUMBERS)}.items():
        told, expected = fault_of(lambda: ours().fit(x, y)), fault_of(lambda: theirs().fit(x, y))
        if theirs is neural_network.MLPClassifier and what in ("one class", "a table of labels", "labels of no length"):
            expected = ValueError()  # it learns the first two, and its error for the third is unlike all others
        assert expected is not None, what
        assert isinstance(told, type(expected)) or isinstance(expected, type(told)), (what, told, expected)
        assert " " in str(told), (what, told)
    unfitted = ours()
    assert isinstance(fault_of(lambda: unfitted.predict(X)), NotFittedError)
    fitted = ours().fit(X, Y)
    for what, x in {"fewer columns": X[:, :3], "more columns": np.hstack([X, X]), "NaN": with_one(np.nan),
                    "one dimension": X[0], "no rows": NOTHING, "sparse rows of fewer columns": sp.csr_matrix(X[:, :3])}.items():
        told = fault_of(lambda: fitted.predict(x))
        assert isinstance(told, ValueError) and " " in str(told), (what, told)


@pytest.mark.parametrize("ours", [o for o, _ in PAIRS], ids=lambda e: e.__name__)
@pytest.mark.parametrize("weight", [-np.ones(20), np.zeros(20), np.full(20, np.nan), np.full(20, np.inf), np.ones(3),
                                    np.ones((20, 2)), -1.0])
def test_weights_are_refused(ours, weight):
    with pytest.raises(ValueError, match=" "):
        ours().fit(X, Y, sample_weight=weight)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ours", [o for o, _ in PAIRS], ids=lambda e: e.__name__)
def test_unsorted_and_doubled_indices_mean_what_they_mean_to_scipy(ours):
    x = sp.csr_matrix(X)
    backwards = sp.csr_matrix((x.data.reshape(20, 4)[:, ::-1].reshape(-1), np.tile(np.arange(3, -1, -1), 20), x.indptr),
                              shape=x.shape)
    halves = sp.csr_matrix((np.repeat(x.data / 2, 2), np.repeat(x.indices, 2), 2 * x.indptr), shape=x.shape)
    keywords = dict(random_state=0, max_iter=3)
    expected = ours(**keywords).fit(x, Y).predict(x)
    for same in (backwards, halves):
        before = same.indices.copy(), same.data.copy()
        assert np.allclose(ours(**keywords).fit(same, Y).predict(same), expected, rtol=1e-5, atol=1e-6)
        assert np.array_equal(same.indices, before[0]) and np.array_equal(same.data, before[1])


@pytest.mark.parametrize("change", [dict(indices=77), dict(indices=-1), dict(indptr=10**6), dict(indptr=-3)])
def test_damaged_matrices_are_refused(change):
    for estimator in (SGDClassifier(shuffle=False), SGDClassifier(), FactorizationMachineClassifier()):
        x = sp.csr_matrix(X)
        for name, value in change.items():
            getattr(x, name)[5] = value
        x.has_canonical_format = True
        told = fault_of(lambda: estimator.fit(x, Y))
        assert isinstance(told, (ValueError, IndexError)) and " " in str(told), told


def joined(blocks):
    """An array of these blocks, of whole pages each, one behind the other: a repeated block takes memory only once."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    files = {}
    for block in blocks:
        if id(block) not in files:
            files[id(block)] = os.memfd_create("block")
            os.write(files[id(block)], block.tobytes())
    no_reserve, fixed = 0x4000, 0x10
    size = blocks[0].nbytes
    begin = libc.mmap(None, size * len(blocks), 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve, -1, 0)
    for k, block in enumerate(blocks):
        at = libc.mmap(begin + k * size, size, mmap.PROT_READ, mmap.MAP_SHARED | fixed, files[id(block)], 0)
        assert at == begin + k * size
    for file in files.values():
        os.close(file)
    room = (ctypes.c_byte * (size * len(blocks))).from_address(begin)
    numbers = np.frombuffer(room, blocks[0].dtype)
    return numbers, lambda: libc.munmap(ctypes.c_void_p(begin), ctypes.c_size_t(size * len(blocks)))


def test_more_than_2_31_entries_neither_crash_nor_wrap():
    columns, rows = 1 << 20, 2**11 + 2  # the last row is behind 2^31 entries
    all_columns, zeros = np.arange(columns, dtype=np.int32), np.zeros(columns, np.float32)
    last = zeros.copy()
    last[7] = 1.0
    index, free_index = joined([all_columns] * rows)
    value, free_value = joined([zeros] * (rows - 1) + [last])
    x = sp.csr_matrix((rows, columns), dtype=np.float32)
    x.indptr, x.indices, x.data = np.arange(rows + 1, dtype=np.int64) * columns, index, value
    x.has_canonical_format = True
    y = np.arange(rows) == rows - 1
    try:
        data = hw.Dataset(x, y)
        assert data.nnz == rows * columns > 2**31 and data.copies == ()
        if os.environ.get("HOGWILD_LARGE"):  # some passes over all of them, which take a minute: before a release
            model = hw.train(data, "logistic", engine="serial", epochs=1, step=0.1, l2=0.0, bias=False)
            assert model._saved.weights[7] > 0.0 and np.count_nonzero(model._saved.weights) == 1
        x.indptr = x.indptr.copy()
        x.indptr[-1] -= 2**32  # what would be left of it in 32 bits
        with pytest.raises(ValueError, match="row"):
            hw.Dataset(x, y)
    finally:
        data = model = x = index = value = None  # everything that refers to them
        free_index(), free_value()


NO_PYTHON = r"\w\(\)|::|(^|\s)--\w"  # functions and names of C++, options of the command


def messages():
    """Messages about options and rows that do not suit models of the engine, as pairs: (what was asked for, the
    message)."""
    labels = {"two": Y, "three": np.arange(20) % 3, "numbers": X[:, 0], "one": np.ones(20)}
    asked = [(name, hw.Dataset(x, y), {}) for name in hw.models() for y in labels.values() for x in (X, sp.csr_matrix(X))]
    two = hw.Dataset(X, Y)
    asked += [("logistic", two, options) for options in (
        dict(step=1e9), dict(step=-1), dict(l2=-1), dict(epochs=0), dict(epochs="ten"), dict(optimizer="x"),
        dict(optimizer="adam", l1=0.1), dict(engine="ring"), dict(workers=10**6), dict(validation=2), dict(stream=True),
        dict(schedule="plateau"), dict(multiclass="ovr"), dict(ensemble=3, segment="x"), dict(sharing="x"), dict(test=0.1),
        dict(resume="x"), dict(folds=3), dict(init="x"), dict(freeze="bias"), dict(target="loss=0.1"), dict(tolerance=-1),
        dict(patience=3), dict(class_weights=["0=-1"]), dict(average=2.0), dict(update="locked", sharing="head"),
        dict(initial=hw.train(hw.Dataset(X, labels["three"]), "softmax", epochs=1)))]
    for name, data, options in asked:
        yield (name, options), fault_of(lambda: hw.train(data, name, **{"epochs": 1, **options}))
    model = hw.train(two, "logistic", epochs=1)
    for ask in (lambda: model.class_scores(X), lambda: hw.load("/no/such/file"), lambda: hw.open("/no/such/file"),
                lambda: hw.load(__file__), lambda: hw.train(two, "hinge_svm", epochs=1).predict_proba(X)):
        yield "others", ask and fault_of(ask)
    for ours, _ in PAIRS:
        for parameter in ("alpha", "eta0", "C", "tol", "learning_rate_init", "dropout", "n_factors", "validation_fraction"):
            if parameter in ours().get_params():
                for value in (-1, 1e30, "x", np.nan):
                    yield (ours, parameter, value), fault_of(lambda: ours(**{parameter: value}).fit(X, Y))


@pytest.mark.filterwarnings("ignore")
def test_what_is_said_is_said_in_the_terms_of_python():
    told = [(what, fault) for what, fault in messages() if fault is not None]
    assert len(told) > 80
    for what, fault in told:
        assert isinstance(fault, (ValueError, TypeError, AttributeError, OSError)), (what, fault)
        assert not re.search(NO_PYTHON, str(fault)), (what, fault)
        assert " " in str(fault), (what, fault)


@pytest.mark.parametrize("model, says", [("ffm", "sklearn.FFM"), ("deepfm", "libffm text"), ("skip_gram", "hw.Word2Vec"),
                                         ("cbow", "hw.Word2Vec"), ("matrix_factorization", "hw.MatrixFactorization"),
                                         ("graph_cut", "hw.open")])
def test_models_that_arrays_do_not_suit_say_what_to_take(model, says):
    with pytest.raises(hw.ConfigError, match=f"{model} does not train on arrays: .*{says}"):
        hw.train(hw.Dataset(X, Y), model)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator, says", [
    (SGDClassifier(eta0=1e30), "step is eta0 here, l2 is alpha here"), (SGDRegressor(alpha=1e30, eta0=1.0), "alpha here"),
    (MLPClassifier(learning_rate_init="x"), "step is learning_rate_init here")])
def test_a_parameter_is_named_as_the_estimator_has_it(estimator, says):
    with pytest.raises(ValueError, match=says):
        estimator.fit(X, Y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [o() for o, _ in PAIRS], ids=lambda e: type(e).__name__)
def test_advice_is_about_parameters_that_there_are(estimator):
    # Whatever the engine says about such rows, no estimator advises an option that it lacks.
    for x in (X * 1e30, X * 1e-30, X * np.float32([1e30, 1, 1, 1])):
        told = str(fault_of(lambda: clone(estimator).set_params(random_state=0).fit(x, Y)) or "")
        for parameter in ("eta0", "alpha", "learning_rate_init", "tol", "C"):
            assert parameter in estimator.get_params() or not re.search(rf"\b{parameter}\b", told), told
