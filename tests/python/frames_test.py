# SPDX-License-Identifier: Apache-2.0
"""Data frames, and objects that are rows by their protocol."""
import numpy as np
import pytest
import scipy.sparse as sp

import hogwild as hw

from rows_of_tests import coefficients, labels_of, some_csr


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
