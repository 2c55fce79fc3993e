# SPDX-License-Identifier: Apache-2.0
"""Ratings as products of factors, in the habits of the package implicit."""
import numpy as np

from . import _engine
from ._arrays import Csr
from ._data import Dataset
from ._train import Job, words_of, workers_of


class MatrixFactorization:
    """Learns ratings of items by users: rating = mean + user_bias + item_bias + user_factors . item_factors.

    Parameters
    ----------
    factors : int, default=32
        Factors of each user and item.
    learning_rate : float or None, default=None
        The first step; None is the model's own.
    regularization : float or None, default=None
        l2 with each rating that touches a row of factors; None is the model's own.
    iterations : int, default=20
        Passes over the ratings.
    use_bias : bool, default=True
        Whether users and items have a bias.
    num_threads : int, default=1
        Workers; 0 is as many as this process may use.
    random_state : int or None, default=1
        None draws a seed.
    reproducible : bool, default=False
        The same bits for any num_threads.

    Attributes
    ----------
    user_factors, item_factors : float32 ndarray of shape (users, factors), (items, factors)
        Rows of users and items that no rating has are 0.
    user_bias, item_bias : float32 ndarray
    mean : float
    run_ : hogwild.Run
    """

    def __init__(self, factors=32, learning_rate=None, regularization=None, iterations=20, use_bias=True,
                 num_threads=1, random_state=1, reproducible=False):
        self.factors = factors
        self.learning_rate = learning_rate
        self.regularization = regularization
        self.iterations = iterations
        self.use_bias = use_bias
        self.num_threads = num_threads
        self.random_state = random_state
        self.reproducible = reproducible

    def fit(self, user_items, callback=None):
        """Trains on a sparse matrix of ratings, users by items. Returns self.

        Each stored entry is a rating, a 0 too. Raises ValueError for numbers that are not finite.
        """
        from scipy.sparse import coo_array

        ratings = coo_array(user_items)
        users, items = ratings.shape
        n = len(ratings.data)
        if n == 0:
            raise ValueError("there are no ratings: the matrix has no entry")
        user, item = (np.asarray(c, np.int64) for c in ratings.coords)
        # As in ratings text: user k is column 2 k + 1, item k column 2 k + 2; users come first, and each by popularity.
        draw = np.random.default_rng(self.random_state)
        order = draw.permutation(n)
        seed = int(draw.integers(1 << 31)) if self.random_state is None else int(self.random_state)
        index = np.empty(2 * n, np.uint32)
        index[0::2], index[1::2] = 2 * user[order] + 1, 2 * item[order] + 2
        numbering = np.concatenate([2 * _by_popularity(user) + 1, 2 * _by_popularity(item) + 2]).astype(np.uint32)
        rows = Csr(np.arange(0, 2 * n + 1, 2, dtype=np.int64), index, np.ones(2 * n, np.float32), (n, len(numbering)))
        data = Dataset._of_csr(rows, ratings.data[order], numbering=numbering)
        who = workers_of(None if self.num_threads == 1 else -1 if self.num_threads == 0 else self.num_threads)
        job = Job(data, words_of({"model": "matrix_factorization", "format": "ratings", "factors": self.factors,
                                  "step": self.learning_rate, "l2": self.regularization, "epochs": self.iterations,
                                  "bias": bool(self.use_bias), "seed": seed,
                                  "reproducible": bool(self.reproducible), **who}), None, callback, "the ratings")
        interrupt = None
        try:
            job.wait()
        except BaseException as raised:  # whatever a signal's handler raises
            interrupt = raised
        self._take(job, users, items, interrupt)
        return self

    def _take(self, job, users, items, interrupt):
        try:
            saved = job.saved()
            self.run_ = job.record()
        except _engine.Error:
            if interrupt is None:
                raise
            raise interrupt from None
        if saved is None:
            raise interrupt or ValueError("the loss is not finite: take a lower learning_rate")
        weights = saved.weights.reshape(-1, saved.width)
        numbers = saved.columns.astype(np.int64) - 1
        self.mean = dict(saved.options)["mean"]
        for name, count, mine in (("user", users, numbers % 2 == 0), ("item", items, numbers % 2 == 1)):
            factors, bias = np.zeros((count, self.factors), np.float32), np.zeros(count, np.float32)
            factors[numbers[mine] // 2] = weights[mine, :self.factors]
            if saved.width > self.factors:
                bias[numbers[mine] // 2] = weights[mine, self.factors]
            setattr(self, name + "_factors", factors)
            setattr(self, name + "_bias", bias)
        if interrupt is not None:
            raise interrupt

    def predict(self, users, items):
        """The rating that the model expects of each pair of users[k] and items[k]."""
        users, items = np.asarray(users), np.asarray(items)
        return (self.mean + self.user_bias[users] + self.item_bias[items]
                + np.einsum("kf,kf->k", self.user_factors[users], self.item_factors[items]))

    def recommend(self, userid, user_items=None, N=10, filter_already_liked_items=True):
        """The N items that a user would rate highest, and these ratings; of an array of users a line for each.

        Items that user_items, a sparse matrix with a row for each of the users asked about, has entries of are left
        out; places that are left over then hold item -1 and rating -inf.
        """
        users = np.atleast_1d(userid)
        scores = (self.mean + self.user_bias[users, None] + self.item_bias[None, :]
                  + self.user_factors[users] @ self.item_factors.T).astype(np.float32)
        if user_items is not None and filter_already_liked_items:
            seen = user_items.tocsr()
            if seen.shape[0] != len(users):
                raise ValueError(f"user_items has {seen.shape[0]} rows, and {len(users)} users are asked about")
            for k in range(len(users)):
                scores[k, seen.indices[seen.indptr[k]:seen.indptr[k + 1]]] = -np.inf
        best = np.argsort(-scores, axis=1, kind="stable")[:, :N]
        ratings = np.take_along_axis(scores, best, axis=1)
        best = np.where(np.isneginf(ratings), -1, best)
        return (best[0], ratings[0]) if np.ndim(userid) == 0 else (best, ratings)

    def similar_items(self, itemid, N=10):
        """The N items whose factors have the greatest cosine with those of an item, itself among them, and the cosines."""
        return _nearest(self.item_factors, itemid, N)

    def similar_users(self, userid, N=10):
        """The same of users."""
        return _nearest(self.user_factors, userid, N)


def _by_popularity(ids):
    known, counts = np.unique(ids, return_counts=True)
    return known[np.argsort(-counts, kind="stable")]


def _nearest(factors, row, count):
    length = np.linalg.norm(factors, axis=1)
    length[length == 0] = 1.0
    cosine = factors @ factors[row] / (length * length[row])
    best = np.argsort(-cosine, kind="stable")[:count]
    return best, cosine[best]

