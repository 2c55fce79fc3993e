# SPDX-License-Identifier: Apache-2.0
"""Rows to train on, in memory or in a file."""
from __future__ import annotations

import contextlib
import numbers
import os
import re
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _engine
from ._engine import ConfigError, InputError
from ._arrow_files import is_arrow_file, written_as_table
from ._numpy_files import is_numpy_file, read_numpy_file
from ._arrays import MOST_COLUMNS, Csr, flag_of, frame_of, labels_of, laid_out, table_of, weights_of

# CSR that is not shuffled is renumbered if it has more columns than MOST_A_NUMBER * entries + FEW_COLUMNS: a run takes
# some fifty bytes for each column.
MOST_A_NUMBER, FEW_COLUMNS = 4, 65536

_forked = False  # threads of oneTBB do not survive a fork: a child reads rows with one thread
_reader = threading.local()  # .threads: how many threads read rows for this thread


def _after_fork():
    global _forked
    _forked = True


os.register_at_fork(after_in_child=_after_fork)


def _threads():
    return 1 if _forked else getattr(_reader, "threads", None)


@contextlib.contextmanager
def read_by(threads):
    """Context in which this many threads read rows (None: as many as CPUs), unless an outer one has set the number."""
    before = getattr(_reader, "threads", None)
    _reader.threads = before or threads
    try:
        yield
    finally:
        _reader.threads = before


class Dataset:
    """Rows with labels, as the engine trains on them.

    Parameters
    ----------
    X : scipy CSR or other sparse matrix, array of shape (rows, columns), pandas or polars frame, Arrow table
        Numbers, finite in single precision. CSR with int32 indices and float32 values, and C-ordered float32 arrays,
        are borrowed: do not write into them during training. Everything else is copied once. This includes CSR with
        many more columns than entries, so that a run needs memory only for columns that occur.
    y : array of shape (rows,), optional
        A number for each row; by default 0. Classes are distinguished in float64; targets of regression are trained in
        single precision, about 7 digits.
    weight : array of shape (rows,), optional
        The weight of each row: finite, not negative, at least one above 0.
    shuffle : bool, default False
        False: rows are trained in the order given, piece by piece. True: they are copied, as narrowly as possible
        without loss, and put in random order once; their columns are ordered by falling popularity, which makes
        several threads faster. Use it if rows are sorted.

    Attributes
    ----------
    copies : tuple of str
        What was copied, and why; empty if everything is borrowed.
    names : list of str or None
        The names of columns: of a frame, of entities and relations, or of users and items that have names.
    path : str or None
        The file, if open() returned this Dataset.

    Raises
    ------
    TypeError
        X, y or weight do not hold numbers.
    ValueError
        Shapes that do not fit; its subclass InputError for numbers that are not finite.
    """

    _label_in_file: tuple = ()  # of a file of arrays: what open() was given for the labels

    def __init__(self, X: Any, y: Any = None, *, weight: Any = None, shuffle: bool = False) -> None:
        self._take(X, y, weight, shuffle, True)

    @classmethod
    def _of_all_columns(cls, X, y, weight):
        """Rows in their order, with all columns of X, whether or not they occur: for a stream of such rows."""
        made = cls.__new__(cls)
        made._take(X, y, weight, False, False)
        return made

    def _take(self, X, y, weight, shuffle, compact):
        shuffle = flag_of(shuffle, "shuffle")
        table = table_of(X, wide=shuffle)
        rows, columns = table.shape
        if rows == 0 or columns == 0:
            raise ValueError(f"X has the shape {table.shape}: there is nothing to train on")
        label = np.zeros(rows, np.float32) if y is None else labels_of(y, rows)
        if weight is not None:
            weight = weights_of(weight, rows)
        copies = table.copies
        if isinstance(table.rows, Csr):
            csr = table.rows
            if shuffle:
                copies = copies + ["shuffled"]
                self._rows = _engine.Rows.copy_csr(csr.row_start, csr.index, csr.value, label, columns, weight, None,
                                                   threads=_threads())
            elif compact and columns > MOST_A_NUMBER * len(csr.index) + FEW_COLUMNS:
                copies = copies + ["columns that occur, of many more"]
                self._rows = _engine.Rows.copy_csr(csr.row_start, csr.index, csr.value, label, columns, weight,
                                                   np.unique(csr.index).astype(np.uint32), threads=_threads())
            else:
                self._rows = _engine.Rows.borrow_csr(csr.row_start, csr.index, csr.value, label, columns, weight)
        else:
            if shuffle:
                copies = copies + ["shuffled"]
            values, stride, column_stride = laid_out(table.rows)
            self._rows = _engine.Rows.dense(values, label, columns, stride, column_stride, weight, shuffle)
        self.copies, self.names, self.path = tuple(copies), table.names, None
        self.shape = (rows, columns)
        self._first_column = 0
        self._made_of = None if shuffle else (table.rows, label, weight, table.names, tuple(copies))

    @classmethod
    def _of_csr(cls, rows, label, weight=None, numbering=None):
        """Rows whose columns have any 32-bit numbers; with `numbering` they get its positions."""
        made = cls.__new__(cls)
        label = labels_of(label, rows.shape[0])
        weight = None if weight is None else weights_of(weight, rows.shape[0])
        made._rows = _engine.Rows.copy_csr(rows.row_start, rows.index, rows.value, label, MOST_COLUMNS, weight, numbering,
                                           threads=_threads())
        made.copies, made.names, made.path, made._made_of, made._first_column = ("shuffled",), None, None, None, 0
        made.shape = rows.shape
        return made

    @classmethod
    def _of_file(cls, path, options):
        made = cls.__new__(cls)
        if is_arrow_file(path):
            if options["format"] not in ("auto", "csv"):
                raise ConfigError(f"{path}: this is a file of Parquet or Arrow, which is read as a table: leave out the format")
            with written_as_table(path) as text:
                try:
                    made._rows = _engine.Rows.open(path=text, **options | {"format": "csv", "no_cache": True})
                except (InputError, ConfigError) as fault:
                    raise type(fault)(str(fault).replace(text, path)) from None
        else:
            made._rows = _engine.Rows.open(path=path, **options)
        made.copies, made.path, made._options, made._made_of = (), path, options, None
        made.names = made._rows.column_names or None
        made.shape = (made._rows.rows, made._rows.columns)
        made._first_column = made._rows.first_column
        return made

    @classmethod
    def _of_numpy_file(cls, path, label):
        """Rows of arrays in a file, shuffled as those of other files. Columns count from 0."""
        rows, labels = read_numpy_file(path, label)
        try:
            made = cls(rows, labels, shuffle=True)
        except (TypeError, ValueError) as fault:
            raise InputError(f"{path}: {fault}") from None
        made.path, made._label_in_file = path, (label,)
        return made

    @property
    def _of_arrays(self):
        """Whether columns are places in arrays, of the caller or in a file."""
        return self.path is None or bool(self._label_in_file)

    @property
    def nnz(self) -> int:
        """Number of stored entries."""
        return self._rows.nonzeros

    @property
    def y(self) -> np.ndarray:
        """The labels, in the order of training: for a file, or after shuffle=True, not the order of the input."""
        return self._rows.labels()

    def _named_arrays(self):
        """The same as _arrays(), with the names of columns if there are any and X is dense."""
        rows, label, weight = self._arrays()
        named = self.names is not None and isinstance(rows, np.ndarray)
        return frame_of(rows, self.names) if named else rows, label, weight

    def _arrays(self):
        """X, y and weights (or None) as scipy and numpy objects, for callers that split rows; copies for files."""
        from scipy.sparse import csr_matrix

        if self._made_of is not None:
            rows, label, weight = self._made_of[:3]
            if isinstance(rows, Csr):
                rows = csr_matrix((rows.value, _signed(rows.index), rows.row_start), shape=rows.shape)
            return rows, label, weight
        if not self._of_arrays and self._first_column == 0:
            raise TypeError("columns of this file are ids and no places: train on it as it is")
        row_start, index, value = self._rows.arrays()
        index = _signed(index - np.uint32(self._first_column))
        columns = self.shape[1] if self._of_arrays else int(index.max(initial=-1)) + 1
        rows = csr_matrix((value, index, row_start), shape=(self.shape[0], columns))
        rows.sort_indices()
        weight = self._rows.weights()
        return rows, self.y, weight if len(weight) else None

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self):
        source = f" of {self.path}" if self.path else ""
        return f"<Dataset{source}: {self.shape[0]} rows, {self.shape[1]} columns, {self.nnz} entries>"

    def __reduce__(self):
        if self._label_in_file:
            return Dataset._of_numpy_file, (self.path, *self._label_in_file)
        if self.path is not None:
            return _reopen, (self.path, self._options)
        if self._made_of is None:
            raise TypeError("a shuffled Dataset cannot be pickled: pickle the arrays that it was made of, or open a file")
        rows, label, weight, names, copies = self._made_of
        arrays = (rows.row_start, rows.index, rows.value, rows.shape) if isinstance(rows, Csr) else rows
        return _remade, (arrays, label, weight, names, copies)


def _signed(index):
    """Columns as scipy accepts them, without a copy if 31 bits suffice."""
    return index.view(np.int32) if index.max(initial=0) < 2**31 else index.astype(np.int64)


def _reopen(path, options):
    return Dataset._of_file(path, options)


def _remade(arrays, label, weight, names, copies):
    if isinstance(arrays, tuple):
        from scipy.sparse import csr_array

        row_start, index, value, shape = arrays
        made = Dataset(csr_array((value, _signed(index), row_start), shape=shape), label, weight=weight)
    else:
        made = Dataset(arrays, label, weight=weight)
    made.names, made.copies = names, copies
    return made


def _names(given, name):
    """The columns that an option of tables names."""
    names = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(each, str) and each and "," not in each for each in names):
        raise TypeError(f"{name}={given!r}: it is the name of a column, or a list of names, without commas in them")
    return [f"--{name}={','.join(names)}"] if names else []


def _count(given, name):
    """The word for a count of the command; none if it is None."""
    if given is not None and (not isinstance(given, numbers.Integral) or isinstance(given, bool)):
        raise TypeError(f"{name}={given!r}: it is a whole number, or None")
    return [] if given is None else [f"--{name.replace('_', '-')}={given}"]


def _table_words(single, columns, names, counts):
    """The words for the command's options of tables."""
    words = []
    for name, given in single.items():
        if given is not None and (not isinstance(given, str) or not given):
            raise TypeError(f"{name}={given!r}: it is a text, such as the name of a column")
        words += [] if given is None else [f"--{name.replace('_', '-')}={given}"]
    if columns is not None:
        words.append(f"--columns={os.fspath(columns)}")
    for name, given in names.items():
        words += _names(given, name)
    for name, given in counts.items():
        words += _count(given, name)
    return words


# Formats that are opened for what they are: several models are trained on each.
_OF_THEMSELVES = ("pairs", "pairs:lines", "pairs:lists", "triples")


def open(path: str | os.PathLike, format: str = "auto", *, model: str | None = None, cache: bool = True,
         cache_folder: str | os.PathLike = "", memory: int | None = None, index_base: int | None = None,
         named_ids: bool = False, positive_from: float | None = None,
         label: Any = None, weight: str | None = None, group: str | None = None, numeric: str | Sequence[str] = (),
         categorical: str | Sequence[str] = (), list: str | Sequence[str] = (), text: str | Sequence[str] = (), date: str | Sequence[str] = (),
         ignore: str | Sequence[str] = (), interactions: str | Sequence[str] = (), hash_bits: int | None = None,
         min_rows: int | None = None, word_ngrams: int | None = None, word_skips: int | None = None,
         char_ngrams: str | None = None, columns: str | os.PathLike | None = None) -> Dataset:
    """Opens a file of rows: every format of the command `hogwild train`.

    Notes about the file, such as the header of ratings, become warnings of the category hogwild.Note.

    A text is parsed once, in parallel, into a cache beside it. All processes map the cache, so there is one copy of it
    in memory. Rows are shuffled once, and columns ordered by falling popularity.

    Parameters
    ----------
    path : str or path
        LIBSVM or libffm text, a table, ratings, images or a graph, plain or compressed (gzip, xz, zstd, bzip2); or a
        Parquet, Arrow or Feather file, which is read as a table of text by pyarrow, each time anew; or a file of
        numpy's (.npy, .npz) or of scipy.sparse.save_npz. Labels of a Matrix Market file lie beside it: NAME.labels for
        NAME.mtx.
    format : str, default "auto"
        "libsvm", "ffm", "csv", "tsv", "labelled_text", "vw", "mtx", "ratings", "pairs", "pairs:lines", "pairs:lists",
        "triples", "idx", "cifar", "graph" or "dimacs"; auto: the format that `model` reads; images, labelled text, text of Vowpal Wabbit and Matrix Market files are
        recognised by their content, and a table is read if `label` is given.
    model : str, optional
        The name of the model to train; by default "logistic", and any for pairs and triples.
    cache : bool, default True
        Whether caches are read and written.
    cache_folder : str, default ""
        Folder for caches if the file's own folder cannot be written; by default the user's.
    memory : int, optional
        The most memory for parsing, in bytes.
    index_base : int, optional
        LIBSVM text: 0 or 1, the number of the first column; by default 0 if the first lines have an index 0.
    named_ids : bool, default False
        Users and items of ratings and pairs are names, not numbers.
    positive_from : float, optional
        Ratings of at least this are pairs, and others are left out.
    label : str, or array for files of numpy's, optional
        Of a table the column of the label. A model that is trained on it reads other tables by the names of their
        columns, in the command. For a file of numpy's an array of labels, the path of a .npy file, or the name of an
        array in the archive, by default "y"; the rows are the array "X" of an archive, or its only one of two
        dimensions. No other options are for such files.
    weight : str, optional
        Of a table the column of the rows' weights.
    group : str, optional
        Of a table the column of the rows' groups: rows of a group stay together when rows are held back.
    numeric, categorical, list, text, date, ignore : str or sequence of str
        Of a table the columns of numbers, of values, of several values between bars, of text, of dates, and those that
        are left out; '*' stands for any part of a name. The others are guessed from the first rows.
    interactions : str or sequence of str
        Combinations of a table's columns, "site*device".
    hash_bits : int, optional
        Values of a table have 2^hash_bits columns by hash instead of one each by name.
    min_rows : int, optional
        Values of a table in fewer rows share a column.
    word_ngrams : int, optional
        Runs of up to so many words of a text, or features of Vowpal Wabbit's, have columns, too.
    word_skips : int, optional
        Vowpal Wabbit's text: such runs pass over up to so many features.
    char_ngrams : str, optional
        Labelled text: parts of words of so many characters have columns, too: "3-6".
    columns : str or path, optional
        A file with these options, one a line: "categorical site,device_*".

    Returns
    -------
    Dataset
        It pickles as a reference to its file.

    Raises
    ------
    InputError
        The file cannot be read, or is malformed; the message names the line and the column.
    """
    if is_numpy_file(path):
        others = {"weight": weight, "group": group, "columns": columns, "char_ngrams": char_ngrams, "index_base": index_base,
                  "hash_bits": hash_bits, "min_rows": min_rows, "word_ngrams": word_ngrams, "word_skips": word_skips,
                  "numeric": numeric, "categorical": categorical, "list": list, "text": text, "date": date,
                  "ignore": ignore, "interactions": interactions, "memory": memory, "cache_folder": cache_folder,
                  "named_ids": named_ids or None, "positive_from": positive_from}
        given = [name for name, value in others.items() if value not in (None, (), "", [])]
        if format != "auto":
            given.append("format")
        if given:
            raise ConfigError(f"{path}: this is a file of arrays, for which there is no {given[0]}: leave it out")
        return Dataset._of_numpy_file(os.path.abspath(os.fspath(path)), label)
    if model is None:
        model = "" if format in _OF_THEMSELVES else "logistic"
    elif not isinstance(model, str) or model not in _engine.facts_of_models():
        raise ConfigError(f"there is no model {model!r}: hogwild.models() has those that there are")
    if not isinstance(format, str):
        raise TypeError(f"format={format!r}: it is the name of a format, or 'auto'")
    if memory is not None and (not isinstance(memory, numbers.Integral) or memory < 0):
        raise TypeError(f"memory={memory!r}: it is a whole number of bytes, or None")
    if positive_from is not None and not isinstance(positive_from, numbers.Real):
        raise TypeError(f"positive_from={positive_from!r}: it is a number, or None")
    of_pairs = ["--named-ids"] if flag_of(named_ids, "named_ids") else []
    of_pairs += [] if positive_from is None else [f"--positive-from={float(positive_from)!r}"]
    options = {"format": format, "model": model, "no_cache": not flag_of(cache, "cache"),
               "cache_folder": os.fspath(cache_folder), "memory": memory,
               "table": of_pairs + _table_words(
                   {"label": label, "weight": weight, "group": group, "char_ngrams": char_ngrams}, columns,
                   {"numeric": numeric, "categorical": categorical, "list": list, "text": text, "date": date,
                    "ignore": ignore, "interactions": interactions},
                   {"index_base": index_base, "hash_bits": hash_bits, "min_rows": min_rows, "word_ngrams": word_ngrams, "word_skips": word_skips})}
    try:
        return Dataset._of_file(os.path.abspath(os.fspath(path)), options)
    except ConfigError as fault:  # it names options as the command does
        raise ConfigError(re.sub(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)",
                                 lambda option: option[1].replace("-", "_"), str(fault))) from None
