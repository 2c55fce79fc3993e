# SPDX-License-Identifier: Apache-2.0
"""Rows that are borrowed, copied or refused."""
import gzip
import os
import pickle
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import hogwild as hw


def some_csr(rows=200, columns=50, dtype=np.float32, seed=0):
    return sp.random(rows, columns, density=0.1, format="csr", dtype=np.float64,
                     random_state=np.random.default_rng(seed)).astype(dtype)


def labels_of(x):
    return (np.asarray(x @ np.linspace(-1, 1, x.shape[1])).reshape(-1) > 0).astype(np.int64)


def coefficients(data, **options):
    model = hw.train(data, "logistic", engine="serial", epochs=5, step=0.5, l2=1e-3, **options)
    return dict(zip(model._saved.columns.tolist(), model._saved.weights.tolist()))


@pytest.mark.parametrize("start", [np.int32, np.int64])
def test_csr_of_single_precision_is_borrowed(start):
    x = some_csr()
    x.indptr = x.indptr.astype(start)
    data = hw.Dataset(x, labels_of(x))
    assert data.copies == () and data.shape == x.shape and data.nnz == x.nnz and len(data) == 200


# The peak of this process alone: ru_maxrss starts with that of its parent.
PEAK = """
def peak():
    with open("/proc/self/status") as file:
        return 1024 * int(file.read().split("VmHWM:")[1].split()[0])
"""


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
    for laid in (np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], np.repeat(x, 2, axis=0)[::2], x[::-1][::-1]):
        assert hw.Dataset(laid, y, shuffle=True).copies == ("shuffled",)  # by the engine, once
        assert coefficients(hw.Dataset(laid, y, shuffle=True)) == coefficients(hw.Dataset(x, y, shuffle=True))
    backwards = hw.Dataset(np.ascontiguousarray(x[::-1])[::-1], y, shuffle=True)
    assert coefficients(backwards) == coefficients(hw.Dataset(x, y, shuffle=True))
    assert "shuffled" in hw.Dataset(x, y, shuffle=True).copies
    expected = coefficients(hw.Dataset(x, y), order="sequential")
    assert coefficients(hw.Dataset(x.tolist(), y), order="sequential") == expected
    assert coefficients(hw.Dataset(x.astype(np.float64), y), order="sequential") == expected


def frames_of(values, names):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    columns = dict(zip(names, values.T))
    return pandas.DataFrame(columns), polars.DataFrame(columns), arrow.table(columns)


def test_frames_of_numbers_are_rows():
    x = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    y = x[:, 0] > 0
    expected = coefficients(hw.Dataset(x, y), order="sequential")
    for frame in frames_of(x, ["a", "b", "c"]):
        data = hw.Dataset(frame, y)
        assert data.names == ["a", "b", "c"] and len(data.copies) == 1
        assert coefficients(data, order="sequential") == expected


def test_a_sparse_frame_stays_sparse():
    pandas = pytest.importorskip("pandas")
    x = some_csr()
    data = hw.Dataset(pandas.DataFrame.sparse.from_spmatrix(x), labels_of(x))
    assert data.nnz == x.nnz


def test_a_column_of_words_is_named():
    words = np.array([["x", "y"], ["z", "w"]])
    for frame in frames_of(words, ["size", "colour"]):
        with pytest.raises(TypeError, match="size"):
            hw.Dataset(frame, [0, 1])


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


def write_svm(path, x, y):
    lines = []
    for r in range(x.shape[0]):
        row = x[[r]].tocoo()
        lines.append(" ".join([str(y[r])] + [f"{j + 1}:{v!r}" for j, v in zip(row.col.tolist(), row.data.tolist())]))
    path.write_text("\n".join(lines) + "\n")


def test_a_file_is_opened_and_pickled_by_its_name(tmp_path):
    x = some_csr()
    y = labels_of(x)
    write_svm(tmp_path / "train.svm", x, y)
    data = hw.open(tmp_path / "train.svm")
    assert data.nnz == x.nnz and data.path == str(tmp_path / "train.svm") and data.copies == ()
    assert sorted(data.y.tolist()) == sorted(y.tolist())
    taken = pickle.dumps(data)
    assert len(taken) < 1000
    assert coefficients(pickle.loads(taken)) == coefficients(data)
    assert hw.open(tmp_path / "train.svm")._rows.from_cache
    with gzip.open(tmp_path / "same.svm.gz", "wt") as packed:
        packed.write((tmp_path / "train.svm").read_text())
    assert coefficients(hw.open(tmp_path / "same.svm.gz", cache=False)) == coefficients(data)


def test_a_model_of_a_file_predicts_arrays(tmp_path):
    x = some_csr()
    y = labels_of(x)
    write_svm(tmp_path / "train.svm", x, y)
    model = hw.train(hw.open(tmp_path / "train.svm"), "logistic", engine="serial", epochs=30)
    assert np.mean(model.predict(x) == y) > 0.9


def test_a_model_of_a_text_says_the_same_once_it_is_read_again(tmp_path):
    x = some_csr()
    y = labels_of(x)
    write_svm(tmp_path / "train.svm", x, y)
    of_file = hw.train(hw.open(tmp_path / "train.svm"), "logistic", engine="serial", epochs=30)
    of_arrays = hw.train(hw.Dataset(x, y), "logistic", engine="serial", epochs=30)
    subprocess.run([sys.executable, "-m", "hogwild", "train", tmp_path / "train.svm", "--save", tmp_path / "command.bin",
                    "--quiet"], check=True)
    for model, first in ((of_file, 1), (of_arrays, 0), (hw.load(tmp_path / "command.bin"), 1)):
        assert model._saved.first_column == first and np.mean(model.predict(x) == y) > 0.9
        for name in ("model.txt", "model.bin"):
            model.save(tmp_path / name)
            assert np.array_equal(hw.load(tmp_path / name).scores(x), model.scores(x))
        assert np.array_equal(pickle.loads(pickle.dumps(model)).scores(x), model.scores(x))
    # A model that begins with another one has its columns, whether they count from 0 or 1.
    for data in (hw.Dataset(x, y), hw.open(tmp_path / "train.svm")):
        for begin in (of_file, of_arrays):
            warm = hw.train(data, "logistic", engine="serial", epochs=1, step=1e-9, initial=begin)
            assert np.allclose(warm.scores(x), begin.scores(x), atol=1e-4)
    of_file.save(tmp_path / "model.bin")
    said = subprocess.run([sys.executable, "-m", "hogwild", "predict", tmp_path / "model.bin", tmp_path / "train.svm"],
                          check=True, capture_output=True, text=True).stdout.split()
    assert np.array_equal(np.array(said, float), of_file.predict(x))


@pytest.mark.parametrize("how", [dict(model="huber"), dict(model="softmax"), dict(model="factorization_machine"),
                                 dict(model="mlp", hidden=4), dict(model="logistic", multiclass="ovr"),
                                 dict(model="logistic", ensemble=3), dict(model="softmax", class_loss="one_vs_rest")])
def test_every_model_of_a_text_is_read_again(how, tmp_path):
    x = some_csr()
    y = labels_of(x)
    if {"multiclass", "class_loss"} & set(how):
        y += np.arange(len(y)) % 2
    write_svm(tmp_path / "train.svm", x, y)
    try:
        model = hw.train(hw.open(tmp_path / "train.svm"), engine="serial", epochs=3, **how)
    except hw.ConfigError as fault:
        pytest.skip(str(fault))  # no Eigen, no nets
    model.save(tmp_path / "model.bin")
    again = hw.load(tmp_path / "model.bin")
    assert again._saved.first_column == 1 and np.array_equal(again.scores(x), model.scores(x))


def test_columns_of_images_and_of_libffm_text_keep_their_places(tmp_path):
    draw = np.random.default_rng(0)
    images, digits = draw.integers(0, 2, (300, 4, 4)), draw.integers(0, 2, 300)
    images[:, 1, 2], images[:, 1, 1], images[:, 1, 3] = 200 * digits, 100, 100
    header = np.array([2051, 300, 4, 4], ">u4").tobytes()
    (tmp_path / "images-idx3").write_bytes(header + images.astype(np.uint8).tobytes())
    (tmp_path / "labels-idx1").write_bytes(np.array([2049, 300], ">u4").tobytes() + digits.astype(np.uint8).tobytes())
    model = hw.train(hw.open(tmp_path / "images-idx3"), "logistic", engine="serial", epochs=30)
    assert np.mean(model.predict(images.reshape(300, 16).astype(np.float32)) == digits) == 1.0

    pytest.importorskip("sklearn")
    from hogwild.sklearn import FFM
    (tmp_path / "train.ffm").write_text("".join(f"{d} 0:{d}:1 1:{2 + k % 3}:1\n" for k, d in enumerate(digits)))
    fitted = FFM(random_state=0, fields=[0, 0, 1, 1, 1]).fit(hw.open(tmp_path / "train.ffm", model="ffm"))
    x = np.zeros((300, 5), np.float32)
    x[np.arange(300), digits] = x[np.arange(300), 2 + np.arange(300) % 3] = 1.0
    assert fitted.n_features_in_ == 5 and fitted.score(x, digits) == 1.0


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


def test_a_file_that_is_none_is_told_by_its_place(tmp_path):
    with pytest.raises(hw.InputError, match="nowhere.svm"):
        hw.open(tmp_path / "nowhere.svm")
    (tmp_path / "bad.svm").write_text("1 1:2\n0 3:x\n")
    with pytest.raises(hw.InputError, match="bad.svm:2:"):
        hw.open(tmp_path / "bad.svm")
    with pytest.raises(hw.ConfigError, match="format|ratings"):
        hw.open(tmp_path / "bad.svm", format="ratings")


def test_a_file_is_named_for_what_it_is(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"PAR1\x15\x04\x15\x10\0\0")
    with pytest.raises(hw.InputError, match="x.parquet: this is a Parquet file; read it in Python"):
        hw.open(tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text("0,7,3,5\n1,2,9,4\n")
    with pytest.raises(hw.InputError, match="x.csv:1:1: this is a table"):
        hw.open(tmp_path / "x.csv", model="softmax")


def test_the_header_of_ratings_is_told_as_a_warning(tmp_path):
    (tmp_path / "r.csv").write_text("userId,movieId,timestamp,rating\n1,10,964982703,5\n2,20,964982704,3\n")
    with pytest.warns(hw.Note, match="line 1 is a header, by which the user is 'userId'"):
        data = hw.open(tmp_path / "r.csv", model="matrix_factorization", cache=False)
    assert sorted(data.y) == [3, 5]


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


def test_a_model_is_saved_read_and_pickled(tmp_path):
    x = some_csr()
    y = labels_of(x)
    model = hw.train(hw.Dataset(x, y), "logistic", engine="serial", epochs=10)
    for name in ("model.txt", "model.bin"):
        model.save(tmp_path / name)
        assert np.array_equal(hw.load(tmp_path / name).scores(x), model.scores(x))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.scores(x), model.scores(x)) and again.run_["status"] == model.run_["status"]
    assert np.allclose(model.predict_proba(x).sum(axis=1), 1.0)
    assert np.array_equal(model.predict(x), model.classes_[(model.scores(x) > 0).astype(int)])


class View(sp.csr_matrix):
    """Like views of an AnnData."""


class ViewOfArray(sp.csc_array):
    pass


def test_subclasses_of_sparse_matrices_are_sparse():
    x = some_csr()
    y = labels_of(x)
    expected = coefficients(hw.Dataset(x, y), order="sequential")
    assert hw.Dataset(View(x), y).copies == ()
    for same in (View(x), ViewOfArray(x)):
        assert coefficients(hw.Dataset(same, y), order="sequential") == expected
        model = hw.train(hw.Dataset(x, y), "logistic", engine="serial", epochs=2)
        np.testing.assert_array_equal(model.predict(same), model.predict(x))


def frames_of_other_types(frame):
    """The same rows as a subclass of pandas' frame, and as the frames of other libraries."""
    import pandas as pd
    import pyarrow as pa

    class Frame(pd.DataFrame):
        _constructor = property(lambda self: Frame)

    class Stream:  # of an unknown library
        def __init__(self, table):
            self._table = table

        def __arrow_c_stream__(self, requested_schema=None):
            return self._table.__arrow_c_stream__(requested_schema)

    class Exchanged:
        def __init__(self, table):
            self._table = table

        def __dataframe__(self, nan_as_null=False, allow_copy=True):
            return self._table.__dataframe__(nan_as_null, allow_copy)

    table = pa.Table.from_pandas(frame)
    return [Frame(frame), table, table.to_batches()[0], Stream(table), Exchanged(table)]


def test_frames_are_told_by_what_they_are():
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"a": draw.normal(size=40), "b": draw.random(40) < 0.5, "c": draw.integers(0, 5, 40)})
    y = frame["a"] > 0
    expected = coefficients(hw.Dataset(frame.to_numpy(np.float32), y), order="sequential")
    for same in frames_of_other_types(frame):
        data = hw.Dataset(same, y)
        assert data.names == ["a", "b", "c"], type(same)
        assert coefficients(data, order="sequential") == expected, type(same)
    for words in frames_of_other_types(pd.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]})):
        with pytest.raises(TypeError, match="colour"):
            hw.Dataset(words, [0, 1])


def test_a_frame_that_holds_no_rows_yet_says_what_to_do():
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match="collect"):
        hw.Dataset(polars.LazyFrame({"a": [1.0, 2.0]}), [0, 1])


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


def test_a_model_that_others_may_change_is_told_as_a_warning(tmp_path):
    x = np.eye(4, dtype=np.float32)
    hw.train(hw.Dataset(x, [0, 1, 0, 1]), epochs=1).save(tmp_path / "model")
    os.chmod(tmp_path / "model", 0o644)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hw.load(tmp_path / "model")
    os.chmod(tmp_path / "model", 0o666)
    with pytest.warns(hw.Note, match="may be written by everybody") as told:
        hw.load(tmp_path / "model")
    assert told[0].filename == __file__


@pytest.mark.parametrize("options, fault, says", [
    (dict(format="foo"), hw.ConfigError, "format: 'foo' is none of auto"), (dict(memory="a"), TypeError, "memory='a'"),
    (dict(model="foo", cache=False), hw.ConfigError, "no model 'foo'"), (dict(cache="no"), TypeError, "cache='no'")])
def test_a_file_is_opened_by_names_that_there_are(tmp_path, options, fault, says):
    (tmp_path / "rows.svm").write_text("1 1:1\n0 2:1\n" * 5)
    with pytest.raises(fault, match=says):
        hw.open(tmp_path / "rows.svm", **options)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_a_flag_is_numpys_too_and_no_word(form):
    x, y = form(np.eye(6, dtype=np.float32)), np.arange(6) % 2
    for shuffle in (True, np.True_, 1, False, np.False_, 0):
        assert ("shuffled" in hw.Dataset(x, y, shuffle=shuffle).copies) == bool(shuffle)
    for shuffle in ("yes", 2, None):
        with pytest.raises(TypeError, match="shuffle=.*True or False"):
            hw.Dataset(x, y, shuffle=shuffle)


class Exported:
    """A table of which no more is known than how it is exported."""

    def __init__(self, table, protocol):
        setattr(type(self), protocol, lambda self, *args, **keywords: getattr(table, protocol)(*args, **keywords))


@pytest.mark.parametrize("protocol", ["__arrow_c_stream__", "__dataframe__"])
def test_estimators_take_what_exports_columns(protocol):
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("sklearn")
    from hogwild.sklearn import FFM, SGDClassifier

    x = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
    y = (x[:, 0] > 0).astype(int)
    table = type("Table", (Exported,), {})(pa.table({name: x[:, k] for k, name in enumerate("abc")}), protocol)
    for estimator in (SGDClassifier(random_state=0), FFM(random_state=0),
                      hw.search.Grid(SGDClassifier(max_iter=5, tol=None, random_state=0), {"alpha": [1e-4]}, cv=2)):
        fitted = estimator.fit(table, y)
        assert fitted.score(table, y) > 0.8 and list(fitted.feature_names_in_) == ["a", "b", "c"]
    assert SGDClassifier(random_state=0).partial_fit(table, y, classes=[0, 1]).score(table, y) > 0.8
