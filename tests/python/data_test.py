# SPDX-License-Identifier: Apache-2.0
"""Rows that are borrowed, copied or refused."""
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp

import hogwild as hw

from rows_of_tests import coefficients, labels_of, PEAK, some_csr


@pytest.mark.parametrize("start", [np.int32, np.int64])
def test_csr_of_single_precision_is_borrowed(start):
    x = some_csr()
    x.indptr = x.indptr.astype(start)
    data = hw.Dataset(x, labels_of(x))
    assert data.copies == () and data.shape == x.shape and data.nnz == x.nnz and len(data) == 200


def test_borrowing_takes_no_memory():
    code = PEAK + textwrap.dedent("""
        import numpy as np, scipy.sparse as sp
        import hogwild as hw
        rows, each = 200_000, 50
        index = np.tile(np.arange(each, dtype=np.int32) * 20, rows)
        value = np.ones(rows * each, np.float32)
        x = sp.csr_array((value, index, np.arange(rows + 1, dtype=np.int32) * each), shape=(rows, 1000))
        x.has_canonical_format = True
        y = np.arange(rows) % 2
        hw.train(hw.Dataset(x[:100], y[:100]), epochs=1, engine="serial", step=0.1)
        before = peak()
        data = hw.Dataset(x, y)
        hw.train(data, epochs=1, engine="serial", step=0.1)
        grown = peak() - before
        size = x.data.nbytes + x.indices.nbytes + x.indptr.nbytes
        assert data.copies == () and grown < 0.15 * size, (grown, size)
    """)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_cannot_be_borrowed_is_copied_and_told():
    x = some_csr(dtype=np.float64)
    y = labels_of(x)
    told = hw.Dataset(x, y).copies
    assert len(told) == 1 and "float64" in told[0]
    wide = x.astype(np.float32)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert "int64" in hw.Dataset(wide, y).copies[0]
    assert "COO" in hw.Dataset(x.tocoo(), y).copies[0]
    assert "CSC" in hw.Dataset(x.tocsc(), y).copies[0]


def test_every_form_of_rows_trains_the_same_model():
    x = some_csr()
    y = labels_of(x)
    expected = coefficients(hw.Dataset(x, y), order="sequential")
    wide = x.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    backwards = sp.csr_matrix((x.data[::-1].copy(), x.indices[::-1].copy(), (x.nnz - x.indptr[::-1]).astype(np.int32)),
                              shape=x.shape)[::-1]
    for same in (x.astype(np.float64), wide, x.tocoo(), x.tocsc(), sp.csr_array(x), backwards):
        assert coefficients(hw.Dataset(same, y), order="sequential") == expected


def test_doubled_entries_are_summed_and_the_matrix_stays_as_it_was():
    row_start, index = np.array([0, 3, 4], np.int32), np.array([1, 0, 1, 2], np.int32)
    x = sp.csr_matrix((np.array([1, 2, 3, 4], np.float32), index, row_start), shape=(2, 3))
    data = hw.Dataset(x, [0, 1])
    assert data.nnz == 3 and "doubled" in data.copies[0] and x.nnz == 4


def test_dense_rows_are_borrowed_or_copied():
    x = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    y = x[:, 0] > 0
    assert hw.Dataset(x, y).copies == ()
    assert "float64" in hw.Dataset(x.astype(np.float64), y).copies[0]
    assert "order" in hw.Dataset(np.asfortranarray(x), y).copies[0]
    for laid in (np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, :7:2], np.repeat(x, 2, axis=0)[::2], x[::-1][::-1]):
        assert hw.Dataset(laid, y, shuffle=True).copies == ("shuffled",)  # by the engine, once
        assert coefficients(hw.Dataset(laid, y, shuffle=True)) == coefficients(hw.Dataset(x, y, shuffle=True))
    backwards = hw.Dataset(np.ascontiguousarray(x[::-1])[::-1], y, shuffle=True)
    assert coefficients(backwards) == coefficients(hw.Dataset(x, y, shuffle=True))
    assert "shuffled" in hw.Dataset(x, y, shuffle=True).copies
    expected = coefficients(hw.Dataset(x, y), order="sequential")
    assert coefficients(hw.Dataset(x.tolist(), y), order="sequential") == expected
    assert coefficients(hw.Dataset(x.astype(np.float64), y), order="sequential") == expected


@pytest.mark.parametrize("x, y, fault, says", [
    (np.zeros((0, 3)), [], ValueError, "nothing to train"),
    (np.zeros((3, 0)), [0, 1, 0], ValueError, "nothing to train"),
    (np.zeros(3), [0, 1, 0], ValueError, "dimensions"),
    (np.zeros((2, 2, 2)), [0, 1], ValueError, "dimensions"),
    (np.zeros((3, 2)), [0, 1], ValueError, "3 rows"),
    (np.zeros((3, 2)), ["a", "b", "c"], TypeError, "labels"),
    (np.zeros((3, 2), complex), [0, 1, 0], TypeError, "complex"),
    ([["a", "b"]], [0], TypeError, "numbers"),
    (np.zeros((3, 2)), [0, 1, 2**53 + 1], ValueError, "2\\^53"),
    (np.zeros((3, 2)), [0, 1, 1e39], ValueError, "label"),
    (np.zeros((3, 2)), [0, 1, np.nan], ValueError, "label"),
    ([[1.0, np.nan], [0.0, 1.0]], [0, 1], ValueError, "finite|nan"),
    ([[1.0, np.inf], [0.0, 1.0]], [0, 1], ValueError, "finite|inf"),
    ([[1e39, 0.0], [0.0, 1.0]], [0, 1], ValueError, "finite|inf"),
])
def test_what_is_no_table_of_numbers_is_refused(x, y, fault, says):
    with pytest.raises(fault, match=says), np.errstate(all="raise"):
        hw.train(hw.Dataset(x, y), "logistic", engine="serial", epochs=1, step=0.1)


@pytest.mark.parametrize("weight, says", [([1.0, -1.0, 1.0], "negative|weigh"), ([0.0, 0.0, 0.0], "weigh"),
                                          ([1.0, np.nan, 1.0], "finite|weigh"), ([1.0], "3 rows")])
def test_weights_that_are_none_are_refused(weight, says):
    for x in (np.eye(3, dtype=np.float32), sp.csr_matrix(np.eye(3, dtype=np.float32))):
        with pytest.raises(ValueError, match=says):
            hw.Dataset(x, [0, 1, 0], weight=weight)


def test_sparse_rows_with_numbers_that_are_not_finite_are_refused():
    for bad in (np.nan, np.inf):
        x = sp.csr_matrix(np.array([[1.0, bad], [0.0, 1.0]], np.float32))
        with pytest.raises(ValueError):
            hw.train(hw.Dataset(x, [0, 1]), "logistic", engine="serial", epochs=1, step=0.1)
        with pytest.raises(ValueError):
            hw.Dataset(x, [0, 1], shuffle=True)


def test_a_damaged_matrix_is_refused():
    x = some_csr(4, 6)
    x.indices[0] = 77
    x.has_canonical_format = True
    for shuffle in (False, True):
        with pytest.raises(ValueError):
            hw.train(hw.Dataset(x, [0, 1, 0, 1], shuffle=shuffle), "logistic", engine="serial", epochs=1, step=0.1)
    x.indices[0] = -1
    with pytest.raises(ValueError):
        hw.train(hw.Dataset(x, [0, 1, 0, 1]), "logistic", engine="serial", epochs=1, step=0.1)


def test_weights_count_as_rows():
    x = some_csr(60, 10)
    y = labels_of(x)
    weight = np.arange(60) % 3
    weighted = hw.train(hw.Dataset(x, y, weight=weight), "logistic", engine="serial", epochs=60, l2=0.1)
    several = np.repeat(np.arange(60), weight)
    repeated = hw.train(hw.Dataset(x[several], y[several]), "logistic", engine="serial", epochs=60, l2=0.1)
    assert np.allclose(weighted.scores(x), repeated.scores(x), atol=0.02)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("shuffle", [False, True])
def test_labels_that_float32_cannot_tell_apart_are_told_apart(form, shuffle):
    x = np.eye(6, dtype=np.float32)
    for labels in ([2**24, 2**24 + 1, 2**24 + 2], [16777216.0, 16777217.0, 16777218.0], [0.1, 0.1 + 1e-12, 3.0]):
        y = np.array(labels * 2)
        data = hw.Dataset(form(x), y, shuffle=shuffle)
        assert sorted(data.y) == sorted(y)
        model = hw.train(data, "softmax", engine="serial", epochs=50)
        assert model.classes_.tolist() == sorted(set(labels)) and np.array_equal(model.predict(form(x)), y)


def test_rows_in_memory_are_pickled_whole():
    x = some_csr()
    y = labels_of(x)
    data = hw.Dataset(x, y)
    assert coefficients(pickle.loads(pickle.dumps(data))) == coefficients(data)
    dense = hw.Dataset(x.toarray(), y)
    assert coefficients(pickle.loads(pickle.dumps(dense))) == coefficients(dense)
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(hw.Dataset(x, y, shuffle=True))


def test_arrays_live_as_long_as_the_rows():
    x = some_csr(2000, 300)
    y = labels_of(x)
    expected = coefficients(hw.Dataset(x.copy(), y))
    data = hw.Dataset(x.copy(), y)
    waste = [np.full(x.nnz, np.nan, np.float32) for _ in range(4)]  # would overwrite the copy if it were freed
    assert coefficients(data) == expected and len(waste) == 4


def test_masked_numbers_are_refused():
    x = np.ma.masked_array(np.eye(3), mask=np.eye(3) > 2)
    assert hw.Dataset(x, [0, 1, 0]).shape == (3, 3)
    x[1, 1] = np.ma.masked
    with pytest.raises(ValueError, match="masked"):
        hw.Dataset(x, [0, 1, 0])


def test_dense_rows_are_copied_once():
    # One copy of single precision is half of what float64 takes; another one in float32 would be a whole.
    code = PEAK + textwrap.dedent("""
        import numpy as np
        import hogwild as hw
        x = np.ones((400_000, 25))
        hw.Dataset(x[:100], np.arange(100) % 2, shuffle=True)
        before = peak()
        y = np.arange(len(x)) % 2
        data = hw.Dataset(x, y, shuffle=True)
        grown = peak() - before
        assert grown < 0.8 * x.nbytes, (grown, x.nbytes)
    """)
    subprocess.run([sys.executable, "-c", code], check=True)


def far_columns(top):
    columns = np.array([0, top, 9], dtype=np.int64)
    return sp.csr_array((np.ones(3, np.float32), (np.arange(3), columns)), shape=(3, top + 1))


@pytest.mark.parametrize("top", [2**31 - 2, 2**31, 2**32 - 3])
def test_columns_of_32_bits_come_back(top):
    x = far_columns(top)
    data = hw.Dataset(x, [0, 1, 0])
    again = pickle.loads(pickle.dumps(data))
    assert again.shape == data.shape == x.shape and again.nnz == 3
    np.testing.assert_array_equal(again._rows.numbers(), [0, 9, top])
    models = [hw.train(rows, "logistic", engine="serial", epochs=50, step=0.5, l2=0.0) for rows in (data, again)]
    for model in models + [pickle.loads(pickle.dumps(models[0]))]:
        assert model.predict(x).tolist() == [0, 1, 0]


# Columns up to 3e8, of which three occur; the process may take 2 GiB more than it has.
FAR = PEAK + """
import resource
import numpy as np, scipy.sparse as sp
import hogwild as hw
def limit():
    with open("/proc/self/statm") as file:
        most = int(file.read().split()[0]) * resource.getpagesize() + (2 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
top = 3 * 10**8
x = sp.csr_array((np.ones(3, np.float32), (np.arange(3), np.array([0, top, 9]))), shape=(3, top + 1))
"""


def test_memory_is_by_columns_that_occur():
    code = FAR + textwrap.dedent("""
        limit()
        before = peak()
        for shuffle in (True, False):
            model = hw.train(hw.Dataset(x, [0, 1, 0], shuffle=shuffle), epochs=50, step=0.5, l2=0.0)
            assert model.predict(x).tolist() == [0, 1, 0]
        grown = peak() - before
        assert grown < 100e6, grown
    """)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_coefficients_that_find_no_room_are_told():
    pytest.importorskip("sklearn")
    code = FAR + textwrap.dedent("""
        from hogwild.sklearn import SGDClassifier
        limit()
        try:
            SGDClassifier(shuffle=False, eta0=0.5).fit(x.astype(np.float64), [0, 1, 0])
        except hw.ResourceError as fault:
            assert "coef_" in str(fault), fault
        else:
            raise AssertionError("2.4 GB have found room")
    """)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_memory_that_is_not_there_is_told():
    code = textwrap.dedent("""
        import resource
        import numpy as np, scipy.sparse as sp
        import hogwild as hw
        n = 4_000_000
        start = np.arange(0, n + 1, 1000, dtype=np.int32)
        x = sp.csr_array((np.full(n, 0.01, np.float32), np.arange(n, dtype=np.int32), start), shape=(n // 1000, n))
        data = hw.Dataset(x, np.arange(n // 1000) % 2)
        hw.train(hw.Dataset(x[:10], np.arange(10) % 2), epochs=1, step=0.1)
        with open("/proc/self/statm") as file:
            most = int(file.read().split()[0]) * resource.getpagesize() + (20 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        for model in ("logistic", "factorization_machine"):
            try:
                hw.train(data, model, epochs=1, step=0.1)
            except hw.ResourceError as fault:
                assert "memory" in str(fault), fault
            else:
                raise AssertionError("200 MB have found room")
    """)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_dataset_has_the_columns_of_its_rows():
    pytest.importorskip("sklearn")
    from hogwild.sklearn import SGDClassifier

    x = sp.csr_matrix(np.eye(4, 6, dtype=np.float32))  # the last columns never occur
    for shuffle in (False, True):
        fitted = SGDClassifier(eta0=0.1, max_iter=2, tol=None).fit(hw.Dataset(x, [0, 1, 0, 1], shuffle=shuffle))
        assert fitted.n_features_in_ == 6 and fitted.predict(x).shape == (4,)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_a_flag_is_numpys_too_and_no_word(form):
    x, y = form(np.eye(6, dtype=np.float32)), np.arange(6) % 2
    for shuffle in (True, np.True_, 1, False, np.False_, 0):
        assert ("shuffled" in hw.Dataset(x, y, shuffle=shuffle).copies) == bool(shuffle)
    for shuffle in ("yes", 2, None):
        with pytest.raises(TypeError, match="shuffle=.*True or False"):
            hw.Dataset(x, y, shuffle=shuffle)
