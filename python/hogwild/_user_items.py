# SPDX-License-Identifier: Apache-2.0
"""Matrices of users by items as the engine's rows, and its models as arrays."""
import numbers

import numpy as np

from ._arrays import Csr, is_sparse
from ._data import Dataset

MOST_IDS = 2**31 - 1  # users are odd 32-bit numbers, items even ones


def csr_of(matrix, named="user_items is a matrix of users by items"):
    """A matrix as CSR, in which no entry occurs twice: as in scipy, the matrix has their sum there."""
    from scipy.sparse import csr_array

    dimensions = matrix.ndim if is_sparse(matrix) else np.asarray(matrix).ndim
    if dimensions != 2:
        raise ValueError(f"{named}, and this has {dimensions} dimensions")
    given = csr_array(matrix)
    if given.data.dtype.kind not in "biuf":
        raise TypeError(f"entries are numbers, and these are of the type {given.data.dtype}")
    if not given.has_canonical_format:
        given = given.copy()
        given.sum_duplicates()
    if not np.all(np.isfinite(given.data)):
        raise ValueError("an entry is NaN or infinite: leave it out")
    return given


def entries_of(user_items):
    """The entries of a matrix of users by items, in coordinates."""
    given = csr_of(user_items).tocoo()
    if len(given.data) == 0:
        raise ValueError("there are no ratings, and no pairs: the matrix has no entry")
    if max(given.shape) > MOST_IDS:
        raise ValueError(f"user_items has the shape {given.shape}, and there are at most {MOST_IDS} users and items")
    return given


def seed_of(random_state):
    """The seed of all draws of a fit."""
    if random_state is None:
        return int(np.random.default_rng().integers(1 << 31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(1 << 31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(1 << 31))
    if isinstance(random_state, numbers.Integral) and random_state >= 0:
        return int(random_state)
    raise ValueError(f"random_state={random_state!r}: it must be a whole number not below 0, a RandomState or Generator of "
                     "numpy, or None")


def _by_popularity(columns, known):
    """The columns that occur, by falling frequency, and those known besides."""
    found, counts = np.unique(columns, return_counts=True)
    return np.concatenate([found[np.argsort(-counts, kind="stable")], np.setdiff1d(known, found)])


def rows_of(entries, labels, known, seed):
    """A Dataset with a row for each entry of a matrix in coordinates, in random order. `known`: columns that the data
    have besides those that occur."""
    n = len(entries.data)
    user, item = (2 * np.asarray(c, np.int64) + k for k, c in enumerate(entries.coords, 1))  # as in a text of ratings
    order = np.random.default_rng(seed).permutation(n)
    index = np.empty(2 * n, np.uint32)
    index[0::2], index[1::2] = user[order], item[order]
    known = np.asarray(known, np.int64)
    # Users come first, and each by popularity.
    numbering = np.concatenate([_by_popularity(user, known[known % 2 == 1]), _by_popularity(item, known[known % 2 == 0])])
    rows = Csr(np.arange(0, 2 * n + 1, 2, dtype=np.int64), index, np.ones(2 * n, np.float32), (n, len(numbering)))
    return Dataset._of_csr(rows, labels[order], numbering=numbering.astype(np.uint32))


def parameters_of(saved, odd):
    """Of the users (1) or the items (0) of a saved model their numbers, factors and biases."""
    columns, factors = saved.columns.astype(np.int64), int(dict(saved.options)["rank"])
    mine = columns % 2 == odd
    weights = saved.weights.reshape(-1, saved.width)[mine]
    bias = weights[:, factors] if saved.width > factors else np.zeros(len(weights), np.float32)
    return (columns[mine] - 1) // 2, weights[:, :factors], bias
