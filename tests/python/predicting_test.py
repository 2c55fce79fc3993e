# SPDX-License-Identifier: Apache-2.0
"""Predictions for rows of every form."""
import json
import os
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp

import hogwild as hw

DRAW = np.random.default_rng(0)
X = sp.random(300, 40, density=0.2, format="csr", random_state=DRAW, dtype=np.float64)
Y = (X @ np.linspace(-1, 1, 40) > 0).astype(int)
MODELS = ["logistic", "least_squares", "softmax", "text_classifier", "factorization_machine", "mlp"]


def model_of(name, x=X, y=Y):
    try:
        return hw.train(hw.Dataset(x, y), name, engine="serial", epochs=5)
    except hw.ConfigError as fault:
        pytest.skip(str(fault))  # no nets


@pytest.mark.parametrize("name", MODELS)
def test_every_form_of_rows_is_told_the_same(name):
    model = model_of(name)
    expected = model.scores(X)
    narrow, dense = X.astype(np.float32), X.toarray()
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    raw = (X.data, X.indices, X.indptr)
    unsigned = (narrow.data, narrow.indices.astype(np.uint32), narrow.indptr.astype(np.uint64))
    for same in (narrow, wide, X.tocoo(), sp.csc_array(X), raw, unsigned, hw.Dataset(X)):
        np.testing.assert_array_equal(model.scores(same), expected)
        np.testing.assert_array_equal(model.predict(same), model.predict(X))
    for same in (dense, dense.astype(np.float32), np.asfortranarray(dense), dense.tolist(), hw.Dataset(dense)):
        np.testing.assert_allclose(model.scores(same), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(model.scores(X, n_jobs=2), expected)
    for r in (0, 7, 299):
        np.testing.assert_array_equal(model.scores(X[[r]]), expected[[r]])
        row = slice(X.indptr[r], X.indptr[r + 1])
        alone = (X.data[row], X.indices[row], np.array([0, row.stop - row.start]))
        np.testing.assert_array_equal(model.scores(alone), expected[[r]])
    if name in ("logistic", "softmax", "text_classifier", "mlp"):
        np.testing.assert_array_equal(model.predict_proba(raw), model.predict_proba(X))
        np.testing.assert_allclose(model.predict_proba(dense), model.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("name", ["logistic", "factorization_machine"])
def test_columns_that_the_model_has_not_count_as_0(name):
    some = np.isin(X.indices, [3, 5, 8, 39])
    known = sp.csr_matrix((X.data[some], X.indices[some], np.concatenate([[0], np.cumsum(some)])[X.indptr]), shape=X.shape)
    model = hw.train(hw.Dataset(known, Y, shuffle=True), name, engine="serial", epochs=5)  # of columns that occur
    assert len(model._saved.columns) == 4
    wider = sp.hstack([X, sp.csr_matrix(np.ones((300, 9)))]).tocsr()
    for rows in (X, X.toarray(), wider, wider.toarray()):
        np.testing.assert_allclose(model.scores(rows), model.scores(known), rtol=1e-4, atol=1e-5)
    # Fewer columns than the model has, and rows without any.
    few = X[:, :6]
    padded = sp.csr_matrix((few.data, few.indices, few.indptr), shape=X.shape)
    for rows in (few, few.toarray()):
        np.testing.assert_allclose(model.scores(rows), model.scores(padded), rtol=1e-4, atol=1e-5)
    nothing = sp.csr_matrix((2, 40))
    np.testing.assert_allclose(model.scores(nothing), model.scores(np.zeros((2, 40))), atol=1e-6)
    assert model.scores(X[:0]).shape == model.scores(X[:0].toarray()).shape == (0,)


@pytest.mark.parametrize("rows, says", [
    (([1.0], [77], [0, 1]), "index.0., in row 1, is 77.*40 columns"),
    (([1.0], [-1], [0, 1]), "negative|from -1|is -1; columns count"),
    (([1.0, 2.0], [3, 3], [0, 2]), "twice"), (([1.0, 2.0, 3.0], [3, 1, 3], [0, 3]), "row 1 has column 3 twice"),
    (([np.nan], [1], [0, 1]), "finite"), (([1e39], [1], [0, 1]), "finite"), (([1.0, 2.0], [1, 2], [0, 3, 2]), "row_start"),
])
def test_rows_that_are_none_are_refused(rows, says):
    model = model_of("logistic")
    value, index, start = np.array(rows[0]), np.array(rows[1]), np.array(rows[2])
    x = sp.csr_matrix((len(start) - 1, 40))
    x.data, x.indices, x.indptr = value, index, start
    x.has_canonical_format = True
    with pytest.raises(ValueError, match=says):
        model.predict(x)
    if "77" not in says and "-1" not in says:
        with pytest.raises(ValueError, match=says):
            model.predict((value, index, start))
    dense = np.zeros((2, 40))
    dense[1, 3] = np.inf
    for wrong in (dense, dense.astype(np.float32)):
        with pytest.raises(ValueError, match="value.43., in row 2"):
            model.predict(wrong)


def test_three_dense_rows_are_no_raw_arrays():
    model = model_of("logistic", np.eye(3), np.array([0, 1, 1]))
    rows = (np.array([1.0, 2.0, 3.0]), np.array([0, 1, 2]), np.array([0, 1, 4]))
    np.testing.assert_allclose(model.scores(rows), model.scores(np.array(rows, np.float32)))


def test_a_call_makes_no_map_of_columns():
    # A map of a million columns has a thousand pages. With this threshold every array as large is mapped anew, so that
    # each of its pages is a fault.
    code = textwrap.dedent("""
        import resource
        import numpy as np, scipy.sparse as sp
        import hogwild as hw
        draw, columns = np.random.default_rng(0), 1 << 20
        index = np.concatenate([np.arange(columns), draw.integers(0, columns, 1000)]).astype(np.int32)
        x = sp.csr_matrix((np.ones(len(index), np.float32), index, np.arange(0, len(index) + 1, 8)))
        y = np.arange(x.shape[0]) % 2
        for name in ("logistic", "factorization_machine"):
            model = hw.train(hw.Dataset(x, y), name, engine="serial", epochs=1, step=1e-3)
            row = x[:1]
            model.predict(row)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            for _ in range(50):
                model.predict(row)
            faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
            assert faults < 1000, (name, faults)
    """)
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"})


def test_the_program_that_times_one_row_runs():
    pytest.importorskip("sklearn")
    program = pathlib.Path(__file__).resolve().parents[2] / "bench" / "serving" / "one_row.py"
    told = subprocess.run([sys.executable, "-W", "ignore", program, "--columns", "60", "200", "--rounds", "1", "--calls", "2"],
                          check=True, capture_output=True, text=True).stdout.splitlines()
    assert [json.loads(line)["columns"] for line in told] == [60, 200]
    for line in told:
        taken = json.loads(line)["microseconds"]
        assert len(taken) == 6 and all(number > 0 for number in taken.values())
