# SPDX-License-Identifier: Apache-2.0
"""What users hold rows in, as arrays that the engine takes: as few copies as their types allow, and told."""
import sys

import numpy as np

MOST_COLUMNS = 0xFFFFFFFE


class Csr:
    """Sparse rows: `row_start`, `index` and `value` of a matrix with so many columns."""

    def __init__(self, row_start, index, value, shape):
        self.row_start, self.index, self.value, self.shape = row_start, index, value, shape


class Table:
    """What has been made of X: `rows` is a Csr or a numpy array of two dimensions."""

    def __init__(self, rows, names=None, copies=()):
        self.rows, self.names, self.copies = rows, names, list(copies)

    @property
    def shape(self):
        return self.rows.shape


def _single(values):
    """As float32: what is too large becomes infinite, which the engine refuses by its place."""
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(np.float32, copy=False)


def _library(x):
    """The name of the package that x's type comes from; it is there, or x would not be."""
    return type(x).__module__.partition(".")[0]


def _of_numbers(name, dtype):
    kind = getattr(np.dtype(dtype), "kind", "O") if dtype is not None else "O"
    if kind not in "biuf":
        raise TypeError(f"column {name!r} holds {dtype}, and rows are of numbers: encode or leave it out")


def _frame(x):
    """A pandas or polars frame, or an Arrow table, as a dense array and the names of its columns."""
    library = _library(x)
    if library == "pandas":
        for name, dtype in x.dtypes.items():
            numeric = dtype.kind if hasattr(dtype, "kind") else "O"
            if numeric not in "biuf":
                raise TypeError(f"column {name!r} holds {dtype}, and rows are of numbers: encode or leave it out")
        if len(x.columns) and all(str(dtype).startswith("Sparse") for dtype in x.dtypes):
            return Table(_csr(x.sparse.to_coo()).rows, [str(n) for n in x.columns], ["sparse frame to CSR"])
        values = x.to_numpy(dtype=np.float32, na_value=np.nan)
        return Table(np.ascontiguousarray(values), [str(n) for n in x.columns], ["frame to one array"])
    if library == "polars":
        for name, dtype in x.schema.items():
            if not (dtype.is_numeric() or str(dtype) == "Boolean"):
                raise TypeError(f"column {name!r} holds {dtype}, and rows are of numbers: encode or leave it out")
        columns = [x[name].cast(_polars_float(x)).to_numpy() for name in x.columns]
        names = list(x.columns)
    else:
        import pyarrow as pa

        columns, names = [], list(x.column_names)
        for name, column in zip(names, x.columns):
            if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
                    or pa.types.is_boolean(column.type)):
                raise TypeError(f"column {name!r} holds {column.type}, and rows are of numbers: encode or leave it out")
            columns.append(column.cast(pa.float32(), safe=False).to_numpy())
    values = np.empty((len(columns[0]) if columns else 0, len(columns)), np.float32)
    for j, column in enumerate(columns):
        values[:, j] = column
    return Table(values, names, ["frame to one array"])


def _polars_float(_):
    import polars

    return polars.Float32


def _csr(x):
    """A scipy matrix or array. Its own arrays where the engine takes them."""
    copies = []
    if x.ndim != 2:
        raise ValueError(f"X has {x.ndim} dimensions, and rows of columns have 2: reshape it")
    if x.format != "csr":
        copies.append(f"{x.format.upper()} to CSR")
        x = x.tocsr()
    if not x.has_canonical_format:
        copies.append("columns out of order or doubled")
        x = x.copy()
        x.sum_duplicates()
    index, value, start = x.indices, x.data, x.indptr
    if x.shape[1] > MOST_COLUMNS:
        raise ValueError(f"X has {x.shape[1]} columns, and {MOST_COLUMNS} are the most")
    if index.dtype != np.int32:
        copies.append(f"indices of {index.dtype} to 32 bits")
        if len(index) and not (index.min() >= 0 and index.max() < x.shape[1]):
            raise ValueError(f"X has {x.shape[1]} columns, and indices from {index.min()} to {index.max()}")
        index = index.astype(np.uint32)
    if value.dtype != np.float32:
        if value.dtype.kind not in "biuf":
            raise TypeError(f"X holds {value.dtype}, and rows are of numbers")
        copies.append(f"values of {value.dtype} to float32")
        value = _single(value)
    if start.dtype not in (np.int32, np.int64):
        start = start.astype(np.int64)
    return Table(Csr(np.ascontiguousarray(start), np.ascontiguousarray(index), np.ascontiguousarray(value), x.shape),
                 None, copies)


def frame_of(values, names):
    """An array with names of its columns: a pandas frame, or one of polars where there is no pandas; else as it is."""
    try:
        import pandas

        return pandas.DataFrame(values, columns=names, copy=False)
    except ImportError:
        pass
    try:
        import polars

        return polars.DataFrame(values, schema=names)
    except ImportError:
        return values


def table_of(x):
    """X as a Table. Raises TypeError for what is no table of numbers, ValueError for a wrong shape."""
    if "scipy" in sys.modules and _library(x) == "scipy":
        return _csr(x)
    if _library(x) in ("pandas", "polars", "pyarrow") and hasattr(x, "columns"):
        return _frame(x)
    values = np.asarray(x)
    if values.ndim != 2:
        raise ValueError(f"X has {values.ndim} dimensions, and rows of columns have 2: reshape it")
    if values.dtype.kind not in "biuf":
        raise TypeError(f"X holds {values.dtype}, and rows are of numbers")
    if values.dtype == np.float32 and values.flags.c_contiguous:
        return Table(values)
    what = f"values of {values.dtype} to float32" if values.dtype != np.float32 else "another order to C"
    return Table(np.ascontiguousarray(_single(values)), None, [what])


def _column_of(x, rows, what):
    """One number for each of `rows` rows, as they are."""
    values = np.asarray(x)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{what} hold {values.dtype}, and are numbers here: encode them")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (rows,):
        raise ValueError(f"{what} have the shape {values.shape}, and X has {rows} rows")
    return values


def weights_of(x, rows):
    """One float32 for each of `rows` rows. Raises TypeError and ValueError."""
    return np.ascontiguousarray(_single(_column_of(x, rows, "weights")))


def labels_of(y, rows):
    """One label for each of `rows` rows: float32 where that holds them all, else float64. Raises TypeError, ValueError."""
    values = _column_of(y, rows, "labels")
    if values.dtype.kind in "iu":
        large = np.unique(values[(values > 2**53) | (values < -(2**53))])
        if any(int(float(v)) != int(v) for v in large):
            raise ValueError("labels are whole numbers beyond 2^53, which float64 cannot tell apart: encode them")
    made = np.ascontiguousarray(_single(values))
    if np.array_equal(made, values):
        return made
    exact = np.ascontiguousarray(values, np.float64)
    # What is too large for training becomes infinite, which the engine refuses by its place.
    return made if np.any(np.isinf(made)) else exact
