# SPDX-License-Identifier: Apache-2.0
"""Ratings as products of factors, with the interface of the package implicit."""
import inspect
import numbers
import os

import numpy as np

from . import _engine
from ._arrays import Csr, is_sparse, require_count, saved_arrays, zeros_for
from ._data import Dataset
from ._engine import ConfigError
from ._train import Job, keep_parameters, said_here, words_of, workers_of


class MatrixFactorization:
    """Learns ratings of items by users: rating = mean + user_bias + item_bias + user_factors . item_factors.

    Parameters
    ----------
    factors : int, default=32
        Factors of each user and item.
    learning_rate : float or None, default=None
        The first step; None: the model's default.
    regularization : float or None, default=None
        l2 for each rating that touches a row of factors; None: the model's default.
    iterations : int, default=20
        Passes over the ratings.
    use_bias : bool, default=True
        Whether users and items have a bias.
    num_threads : int, default=1
        Workers; 0: as many as this process may use.
    random_state : int, RandomState, Generator or None, default=1
        None: a seed is drawn.
    reproducible : bool, default=False
        Whether the result has the same bits for any num_threads.

    Attributes
    ----------
    user_factors, item_factors : float32 ndarray of shape (users, factors), (items, factors)
        Rows of users and items without ratings are 0.
    user_bias, item_bias : float32 ndarray
    mean : float
    l2_ : float
        The value used in training.
    run_ : hogwild.Run
    """

    def __init__(self, factors=32, learning_rate=None, regularization=None, iterations=20, use_bias=True,
                 num_threads=1, random_state=1, reproducible=False):
        keep_parameters(self, locals())

    def fit(self, user_items, callback=None):
        """Trains on a sparse matrix of ratings, users by items. Returns self.

        Each stored entry is a rating, even a 0; entries that occur twice are summed. Raises ValueError for numbers that are not finite.
        """
        self._check_parameters()
        ratings = _ratings(user_items)
        users, items = ratings.shape
        n = len(ratings.data)
        user, item = (np.asarray(c, np.int64) for c in ratings.coords)
        # As in ratings text: user k is column 2 k + 1, item k column 2 k + 2; users come first, and each by popularity.
        seed = _seed(self.random_state)
        order = np.random.default_rng(seed).permutation(n)
        index = np.empty(2 * n, np.uint32)
        index[0::2], index[1::2] = 2 * user[order] + 1, 2 * item[order] + 2
        numbering = np.concatenate([2 * _by_popularity(user) + 1, 2 * _by_popularity(item) + 2]).astype(np.uint32)
        rows = Csr(np.arange(0, 2 * n + 1, 2, dtype=np.int64), index, np.ones(2 * n, np.float32), (n, len(numbering)))
        data = Dataset._of_csr(rows, ratings.data[order], numbering=numbering)
        who = workers_of(None if self.num_threads == 1 else -1 if self.num_threads == 0 else self.num_threads)
        words = words_of({"model": "matrix_factorization", "factors": self.factors, "step": self.learning_rate,
                          "l2": self.regularization, "epochs": self.iterations, "bias": bool(self.use_bias),
                          "seed": seed, "reproducible": bool(self.reproducible), **who})
        try:
            job = Job(data, words, None, callback, "the ratings")
            self._take(job, users, items, job._interrupted())
        except ConfigError as fault:
            raise said_here(fault, _OWN_TERMS) from None
        return self

    def _take(self, job, users, items, interrupt):
        try:
            saved = job.saved()
            self.run_ = job.record()
        except _engine.Error:
            if interrupt is None:
                raise
            raise interrupt from None
        if saved is None or self.run_["status"] == "diverged":
            raise interrupt or ValueError("the loss is not finite, or ended above its start: take a lower learning_rate")
        weights = saved.weights.reshape(-1, saved.width)
        numbers = saved.columns.astype(np.int64) - 1
        self.mean, self.l2_ = dict(saved.options)["mean"], float(self.run_["l2"])
        for name, count, mine in (("user", users, numbers % 2 == 0), ("item", items, numbers % 2 == 1)):
            factors, bias = (
                zeros_for(name + attribute, shape, np.float32, instead="number users and items without gaps")
                for attribute, shape in (("_factors", (count, self.factors)), ("_bias", (count,))))
            factors[numbers[mine] // 2] = weights[mine, :self.factors]
            if saved.width > self.factors:
                bias[numbers[mine] // 2] = weights[mine, self.factors]
            setattr(self, name + "_factors", factors)
            setattr(self, name + "_bias", bias)
        if interrupt is not None:
            raise interrupt

    def predict(self, users, items):
        """The predicted rating of each pair users[k] and items[k]."""
        self._check_fitted()
        users, items = self._ids("user", users), self._ids("item", items)
        if users.shape != items.shape:
            raise ValueError(f"there are {users.size} users and {items.size} items, and pairs have one of each")
        return (self.mean + self.user_bias[users] + self.item_bias[items]
                + np.einsum("...f,...f->...", self.user_factors[users], self.item_factors[items]))

    def recommend(self, userid, user_items=None, N=10, filter_already_liked_items=True, filter_items=None,
                  recalculate_user=False, items=None):
        """The N items with the highest predicted ratings for a user, and the ratings; for several users one row each.

        user_items is a sparse matrix with a row for each of the given users; items with entries there are left out, and
        so are filter_items. With `items` only those are considered. Unfilled places hold item -1 and rating -inf. With
        recalculate_user the factors of users are computed from the ratings in user_items, by least squares, so fit()
        need not have seen the users. Otherwise raises IndexError for a user or an item that fit() has not seen.
        """
        self._check_fitted()
        require_count("N", N)
        if np.ndim(userid) > 1:
            raise ValueError(f"userid has {np.ndim(userid)} dimensions: it is a user, or a list of users")
        if recalculate_user:
            if user_items is None:
                raise ValueError("recalculate_user=True goes by the ratings of user_items: give them")
            users = np.atleast_1d(np.asarray(userid))
        else:
            users = np.atleast_1d(self._ids("user", userid))
        seen = None if user_items is None else self._seen(user_items, len(users))
        if recalculate_user:
            factors, bias = self._solved(seen)
        else:
            factors, bias = self.user_factors[users], self.user_bias[users]
        scores = (self.mean + bias[:, None] + self.item_bias[None, :] + factors @ self.item_factors.T).astype(np.float32)
        if items is not None:
            others = np.ones(scores.shape[1], bool)
            others[self._ids("item", items)] = False
            scores[:, others] = -np.inf
        if filter_items is not None:
            scores[:, self._ids("item", filter_items)] = -np.inf
        if seen is not None and filter_already_liked_items:
            for k in range(len(users)):
                scores[k, seen.indices[seen.indptr[k]:seen.indptr[k + 1]]] = -np.inf
        best = np.argsort(-scores, axis=1, kind="stable")[:, :N]
        ratings = np.take_along_axis(scores, best, axis=1)
        best = np.where(np.isneginf(ratings), -1, best)
        return (best[0], ratings[0]) if np.ndim(userid) == 0 else (best, ratings)

    def _seen(self, user_items, users):
        """The ratings of the given users, as CSR."""
        seen, items = _sparse(user_items), len(self.item_bias)
        if seen.shape[0] != users:
            raise ValueError(f"user_items has {seen.shape[0]} rows, and {users} users are asked about: pass the rows of "
                             "these users, ratings[users]")
        if seen.shape[1] > items:
            raise ValueError(f"user_items has {seen.shape[1]} columns, and fit() has seen {items} items")
        return seen

    def _solved(self, seen):
        """Factors and biases of users with these ratings that minimise the objective of fit(): half the squared errors
        plus l2 for each rating."""
        width = self.item_factors.shape[1]
        factors, bias = np.zeros((seen.shape[0], width)), np.zeros(seen.shape[0])
        for k in range(seen.shape[0]):
            rated = slice(seen.indptr[k], seen.indptr[k + 1])
            item, rating = seen.indices[rated], seen.data[rated]
            known = self.item_factors[item].astype(np.float64)
            if self.use_bias:
                known = np.column_stack([known, np.ones(len(item))])
            shrunk = known.T @ known + max(self.l2_, 1e-12) * max(len(item), 1) * np.eye(known.shape[1])
            solved = np.linalg.solve(shrunk, known.T @ (rating - self.mean - self.item_bias[item]))
            factors[k] = solved[:width]
            bias[k] = solved[width] if self.use_bias else 0.0
        return factors, bias

    def similar_items(self, itemid, N=10):
        """The N items whose factors have the greatest cosine with those of an item (including itself), and the cosines.

        Raises IndexError for an item that fit() has not seen, ValueError for one without a rating.
        """
        return self._nearest("item", itemid, N)

    def similar_users(self, userid, N=10):
        """The same for users."""
        return self._nearest("user", userid, N)

    def save(self, path):
        """Writes the parameters and the trained values to a numpy file, .npz, which load() reads."""
        self._check_fitted()
        told = {name: np.asarray(np.nan if value is None else value) for name, value in self.get_params().items()
                if name != "random_state"}
        np.savez(os.fspath(path), **told, **{name: getattr(self, name) for name in _LEARNED})

    @classmethod
    def load(cls, path):
        """Reads a file of save(); random_state is that of a new object."""
        name = os.fspath(path)
        if not os.path.exists(name) and os.path.exists(name + ".npz"):
            name += ".npz"
        with saved_arrays(name, "MatrixFactorization.save") as read:
            known = {n: read[n].item() for n in cls._names() if n != "random_state"}
            learned = {n: read[n] for n in _LEARNED}
        made = cls(**{n: None if isinstance(v, float) and np.isnan(v) else v for n, v in known.items()})
        for n, value in learned.items():
            setattr(made, n, value.item() if value.ndim == 0 else value)
        return made

    @classmethod
    def _names(cls):
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep=True):
        """The parameters by their names, as in scikit-learn's estimators."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params):
        """Sets parameters by their names. Returns self."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f"there is no parameter {name!r}: there are {', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def __repr__(self):
        given = inspect.signature(type(self).__init__).parameters
        told = [f"{n}={v!r}" for n, v in self.get_params().items() if v is not given[n].default and v != given[n].default]
        return f"MatrixFactorization({', '.join(told)})"

    def _check_parameters(self):
        require_count("factors", self.factors)
        require_count("iterations", self.iterations)
        require_count("num_threads", self.num_threads, 0)

    def _check_fitted(self):
        if hasattr(self, "mean"):
            return
        try:
            from sklearn.exceptions import NotFittedError as fault
        except ImportError:
            fault = AttributeError
        raise fault("this MatrixFactorization is not fitted yet: call fit(user_items) first")

    def _ids(self, what, ids):
        """Numbers of users or items as an array; refuses negative ones and those beyond what fit() has seen."""
        known = len(getattr(self, what + "_bias"))
        asked = np.asarray(ids)
        if asked.dtype.kind not in "iu" and asked.size:
            raise TypeError(f"{what}s are whole numbers, rows or columns of the matrix that fit() was given, and these are "
                            f"of the type {asked.dtype}")
        wrong = (asked < 0) | (asked >= known)
        if np.any(wrong):
            raise IndexError(f"there is no {what} {asked[wrong].reshape(-1)[0]}: fit() has seen {what}s 0 to {known - 1}")
        return asked.astype(np.intp)

    def _nearest(self, what, row, count):
        self._check_fitted()
        require_count("N", count)
        if np.ndim(row) != 0:
            raise TypeError(f"one {what} is asked about, a whole number, and this is {row!r}")
        factors = getattr(self, what + "_factors")
        row = int(self._ids(what, row))
        length = np.linalg.norm(factors, axis=1)
        if length[row] == 0:
            raise ValueError(f"{what} {row} has no rating, so nothing is known that others could resemble")
        length[length == 0] = 1.0
        cosine = factors @ factors[row] / (length * length[row])
        best = np.argsort(-cosine, kind="stable")[:count]
        return best, cosine[best]


_OWN_TERMS = {"step": "learning_rate", "l2": "regularization", "seed": "random_state", "epochs": "iterations",
              "workers": "num_threads"}
_LEARNED = ("user_factors", "item_factors", "user_bias", "item_bias", "mean", "l2_")
MOST_IDS = 2**31 - 1  # users are odd 32-bit numbers, items even ones


def _sparse(matrix):
    """A matrix of ratings as CSR, in which no entry occurs twice: as in scipy, the matrix has their sum there."""
    from scipy.sparse import csr_array

    dimensions = matrix.ndim if is_sparse(matrix) else np.asarray(matrix).ndim
    if dimensions != 2:
        raise ValueError(f"user_items is a matrix of users by items, and this has {dimensions} dimensions")
    ratings = csr_array(matrix)
    if ratings.data.dtype.kind not in "biuf":
        raise TypeError(f"ratings are numbers, and these are of the type {ratings.data.dtype}")
    if not ratings.has_canonical_format:
        ratings = ratings.copy()
        ratings.sum_duplicates()
    if not np.all(np.isfinite(ratings.data)):
        raise ValueError("a rating is NaN or infinite: leave its entry out")
    return ratings


def _ratings(user_items):
    ratings = _sparse(user_items).tocoo()
    if len(ratings.data) == 0:
        raise ValueError("there are no ratings: the matrix has no entry")
    if max(ratings.shape) > MOST_IDS:
        raise ValueError(f"user_items has the shape {ratings.shape}, and there are at most {MOST_IDS} users and items")
    return ratings


def _seed(random_state):
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


def _by_popularity(ids):
    known, counts = np.unique(ids, return_counts=True)
    return known[np.argsort(-counts, kind="stable")]
