# SPDX-License-Identifier: Apache-2.0
"""Converts users' tables to arrays for the engine, with as few copies as possible, and reports the copies."""
import contextlib
import numbers
import operator
import sys
import zipfile
import zlib

import numpy as np

from ._engine import ResourceError

MOST_COLUMNS = 0xFFFFFFFE


class Csr:
    """Sparse rows: `row_start`, `index` and `value` of a matrix of this shape."""

    def __init__(self, row_start, index, value, shape):
        self.row_start, self.index, self.value, self.shape = row_start, index, value, shape


class Table:
    """X after conversion: `rows` is a Csr or a two-dimensional numpy array."""

    def __init__(self, rows, names=None, copies=()):
        self.rows, self.names, self.copies = rows, names, list(copies)

    @property
    def shape(self):
        return self.rows.shape


def single(values):
    """Numbers as float32 in C order. Those too large become infinite; the engine refuses them and names their place."""
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(np.float32, order="C", copy=False)


def _is(x, module, *names):
    """Whether x has one of these types, or a subclass; False if the types' module has not been imported."""
    known = sys.modules.get(module)
    types = tuple(t for t in (getattr(known, name, None) for name in names) if isinstance(t, type))
    return isinstance(x, types)


def is_sparse(x):
    """Whether x is a sparse matrix or array of scipy, or of a subclass."""
    known = sys.modules.get("scipy.sparse")
    return known is not None and bool(known.issparse(x))


def _refuse_column(name, dtype):
    raise TypeError(f"column {name!r} holds {dtype}, and rows are of numbers: encode or leave it out")


def _pandas(x):
    for name, dtype in x.dtypes.items():
        if getattr(dtype, "kind", "O") not in "biuf":
            _refuse_column(name, dtype)
    names = [str(n) for n in x.columns]
    if len(names) and all(_is(dtype, "pandas", "SparseDtype") for dtype in x.dtypes):
        return Table(_csr(x.sparse.to_coo()).rows, names, ["sparse frame to CSR"])
    kinds = set(x.dtypes)
    if len(kinds) == 1 and isinstance(next(iter(kinds)), np.dtype):  # a single array holds them
        values = x.to_numpy()
    else:
        values = x.to_numpy(dtype=np.float32, na_value=np.nan)
    return Table(single(values), names, ["frame to one array"])


def _joined(columns, names):
    """Columns of float32 as one array."""
    values = np.empty((len(columns[0]) if columns else 0, len(columns)), np.float32)
    for j, column in enumerate(columns):
        values[:, j] = column
    return Table(values, names, ["frame to one array"])


def _polars(x):
    import polars

    for name, dtype in x.schema.items():
        if not (dtype.is_numeric() or dtype == polars.Boolean):
            _refuse_column(name, dtype)
    return _joined([x[name].cast(polars.Float32).to_numpy() for name in x.columns], list(x.columns))


def _arrow(x):
    import pyarrow as pa

    columns, names = [], list(x.schema.names)
    for name, column in zip(names, x.columns):
        kind = column.type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
            _refuse_column(name, kind)
        columns.append(column.cast(pa.float32(), safe=False).to_numpy(zero_copy_only=False))
    return _joined(columns, names)


def _frame(x):
    """A frame of pandas or polars, or an object that exports Arrow columns, as a Table with the names of its columns;
    None for any other object."""
    if _is(x, "pandas", "DataFrame"):
        return _pandas(x)
    if _is(x, "polars", "LazyFrame"):
        raise TypeError("X is a LazyFrame, which holds no rows yet: collect() it")
    if _is(x, "polars", "DataFrame"):
        return _polars(x)
    if _is(x, "pyarrow", "Table", "RecordBatch"):
        return _arrow(x)
    if isinstance(x, np.ndarray):
        return None
    # Any other data frame library: it need not be known by name.
    for protocol, reader in (("__arrow_c_stream__", "table"), ("__dataframe__", "interchange.from_dataframe")):
        if not hasattr(x, protocol):
            continue
        try:
            import pyarrow.interchange
        except ImportError:
            raise TypeError(f"X is a {type(x).__name__}, which pyarrow reads, and that is not installed: install it, or "
                            "pass an array") from None
        return _arrow(operator.attrgetter(reader)(pyarrow)(x))
    return None


def exported(x):
    """X for scikit-learn: as a frame, if it is an object that exports columns, and numpy does not read it."""
    if is_sparse(x) or hasattr(x, "__array__") or isinstance(x, (list, tuple)):
        return x
    table = _frame(x)
    return x if table is None else frame_of(table.rows, table.names)


def _csr(x, wide=False):
    """Converts a scipy matrix or array; uses its own arrays if the engine accepts them."""
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
    if index.dtype != np.int32 and not (wide and index.dtype == np.int64):
        copies.append(f"indices of {index.dtype} to 32 bits")
        if len(index) and not (index.min() >= 0 and index.max() < x.shape[1]):
            raise ValueError(f"X has {x.shape[1]} columns, and indices from {index.min()} to {index.max()}")
        index = index.astype(np.uint32)
    if value.dtype != np.float32 and not (wide and value.dtype == np.float64):
        if value.dtype.kind not in "biuf":
            raise TypeError(f"X holds {value.dtype}, and rows are of numbers")
        copies.append(f"values of {value.dtype} to float32")
        value = single(value)
    if start.dtype not in (np.int32, np.int64):
        start = start.astype(np.int64)
    return Table(Csr(np.ascontiguousarray(start), np.ascontiguousarray(index), np.ascontiguousarray(value), x.shape),
                 None, copies)


def frame_of(values, names):
    """An array with names for its columns: a pandas frame, or a polars frame if there is no pandas; without names the
    array itself."""
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


def table_of(x, wide=False):
    """X as a Table of float32 and 32-bit indices; with `wide`, for callers that copy rows anyway, 64-bit numbers stay,
    and a dense array has any order that laid_out() takes.

    Raises TypeError for anything but a table of numbers, ValueError for a wrong shape.
    """
    if is_sparse(x):
        return _csr(x, wide)
    table = _frame(x)
    if table is not None:
        return table
    values = _unmasked(x, "X")
    if values.ndim != 2:
        raise ValueError(f"X has {values.ndim} dimensions, and rows of columns have 2: reshape it")
    if values.dtype.kind not in "biuf":
        raise TypeError(f"X holds {values.dtype}, and rows are of numbers")
    taken = laid_out(values) is not None if wide else values.flags.c_contiguous
    if taken and (values.dtype == np.float32 or (wide and values.dtype == np.float64)):
        return Table(values)
    what = f"values of {values.dtype} to float32" if values.dtype != np.float32 else "another order to C"
    return Table(single(values), None, [what])


def laid_out(values):
    """The numbers of a two-dimensional array as they lie in memory, with how many there are from a row, and from a
    column, to the next; None where two entries share one place, or the order is backwards."""
    (rows, columns), size = values.shape, values.itemsize
    if values.flags.c_contiguous:
        return values.reshape(-1), columns, 1
    row, column = values.strides
    apart = row > (columns - 1) * column or column > (rows - 1) * row
    if min(row, column) <= 0 or row % size or column % size or not apart:
        return None
    reach = (rows - 1) * row // size + (columns - 1) * column // size + 1
    return np.lib.stride_tricks.as_strided(values, (reach,), (size,), writeable=False), row // size, column // size


def _unmasked(x, what):
    """An array; refuses a numpy masked array with masked entries."""
    if np.ma.is_masked(x):
        raise ValueError(f"{what} has masked numbers, which nothing stands for here: fill them in, or leave the rows out")
    return np.asarray(x)


def _column_of(x, rows, what):
    """One number for each of `rows` rows, unconverted."""
    values = _unmasked(x, what)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{what} hold {values.dtype}, and are numbers here: encode them")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (rows,):
        raise ValueError(f"{what} have the shape {values.shape}, and X has {rows} rows")
    return values


def zeros_for(name, shape, dtype, order="C", instead="hogwild.train() returns a model of the columns that occur"):
    """Zeros for an attribute with a number for each column, or user, for which there may be no memory."""
    try:
        return np.zeros(shape, dtype, order)
    except (MemoryError, ValueError):  # numpy's, beyond all addresses
        raise ResourceError(f"there is no memory for {name}, of the shape {shape}: {instead}") from None


def require_count(name, value, least=1):
    """Raises ValueError for anything but a whole number that is not below `least`."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name}={value!r}: it must be a whole number not below {least}")


@contextlib.contextmanager
def saved_arrays(path, writer):
    """The arrays of a file .npz, within which whatever is missing or malformed raises ValueError: `writer` has not
    written it."""
    try:
        with np.load(path, allow_pickle=False) as read:
            yield read
    except (KeyError, ValueError, EOFError, AttributeError, TypeError, zipfile.BadZipFile, zlib.error):
        raise ValueError(f"{path} was not written by {writer}(), or is damaged: take a file that was") from None


def flag_of(value, name):
    """A flag as a bool, also numpy's, 0 or 1. Raises TypeError for anything else, for which bool() would be a guess."""
    if not isinstance(value, (bool, np.bool_, numbers.Integral)) or value not in (0, 1):
        raise TypeError(f"{name}={value!r}: it must be True or False")
    return bool(value)


def weights_of(x, rows):
    """One float32 for each of `rows` rows. Raises TypeError and ValueError."""
    return single(_column_of(x, rows, "weights"))


def labels_of(y, rows):
    """One label for each of `rows` rows: float32 if that holds them all, else float64. Raises TypeError, ValueError."""
    values = _column_of(y, rows, "labels")
    if values.dtype.kind in "iu":
        large = np.unique(values[(values > 2**53) | (values < -(2**53))])
        if any(int(float(v)) != int(v) for v in large):
            raise ValueError("labels are whole numbers beyond 2^53, which float64 cannot tell apart: encode them")
    made = single(values)
    if np.array_equal(made, values):
        return made
    exact = np.ascontiguousarray(values, np.float64)
    # Numbers too large for training become infinite; the engine refuses them and names their place.
    return made if np.any(np.isinf(made)) else exact
