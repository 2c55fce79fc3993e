# SPDX-License-Identifier: Apache-2.0
"""Files of numpy and scipy: a dense array (.npy), arrays by name, or a sparse matrix of scipy.sparse.save_npz (.npz)."""
import os
import zipfile

import numpy as np

from ._engine import ConfigError, InputError


def is_numpy_file(path):
    """Whether the file begins as one of these."""
    try:
        with open(path, "rb") as file:
            beginning = file.read(6)
        if beginning == b"\x93NUMPY":
            return True
        if not beginning.startswith(b"PK\x03\x04"):
            return False
        with zipfile.ZipFile(path) as archive:
            return any(name.endswith(".npy") for name in archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False  # the reader of the file says why


def _loaded(path):
    """An array, or those of an archive by name."""
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            return {name: loaded[name] for name in loaded.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as fault:
        raise InputError(f"{path}: numpy cannot read it: {fault}") from None


def _rows_in(path, arrays, label):
    """The rows of an archive."""
    if {"format", "shape"} <= arrays.keys():
        from scipy.sparse import load_npz

        try:
            return load_npz(path)
        except (ValueError, KeyError, NotImplementedError) as fault:
            raise InputError(f"{path}: scipy cannot read it: {fault}") from None
    if "X" in arrays:
        return arrays["X"]
    tables = [name for name, array in arrays.items() if array.ndim == 2 and name != label]
    if len(tables) != 1:
        raise InputError(f"{path}: the archive has the arrays {', '.join(arrays)}; call that of the rows 'X'")
    return arrays[tables[0]]


def _labels_in(path, arrays, label):
    """The labels as an array."""
    if label is None and "y" in arrays:
        return arrays["y"]
    if label is None:
        raise ConfigError(f"{path}: it has no labels: give label=, an array" +
                          (", the name of one in it" if arrays else "") + " or the path of a .npy file")
    if not isinstance(label, (str, os.PathLike)):
        return np.asarray(label)
    if label in arrays:
        return arrays[label]
    if not os.path.exists(label):
        raise InputError(f"{path}: label={os.fspath(label)!r} is no file" +
                         (f", and none of the arrays {', '.join(arrays)}" if arrays else ""))
    labels = _loaded(label)
    if isinstance(labels, dict):
        raise InputError(f"{os.fspath(label)}: this is an archive of arrays; save the labels as a .npy file")
    return labels


def read_numpy_file(path, label):
    """The rows, an array or a sparse matrix, and their labels."""
    loaded = _loaded(path)
    arrays = loaded if isinstance(loaded, dict) else {}
    labels = _labels_in(path, arrays, label)
    rows = _rows_in(path, arrays, label) if arrays else loaded
    if labels.ndim == 2 and 1 in labels.shape:
        labels = labels.ravel()
    return rows, labels
