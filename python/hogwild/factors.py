# SPDX-License-Identifier: Apache-2.0
"""Ratings as products of factors, with the interface of the package implicit."""
import numpy as np

from ._recommender import Recommender
from ._train import keep_parameters
from ._user_items import entries_of


class MatrixFactorization(Recommender):
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
        ratings = entries_of(user_items)
        return self._fit(ratings, ratings.data, ratings.shape, callback, model="matrix_factorization")

    def _take(self, saved, users, items):
        self.mean = dict(saved.options)["mean"]
        super()._take(saved, users, items)

    def predict(self, users, items):
        """The predicted rating of each pair users[k] and items[k]."""
        self._check_fitted()
        users, items = self._ids("user", users), self._ids("item", items)
        if users.shape != items.shape:
            raise ValueError(f"there are {users.size} users and {items.size} items, and pairs have one of each")
        return (self.mean + self.user_bias[users] + self.item_bias[items]
                + np.einsum("...f,...f->...", self.user_factors[users], self.item_factors[items]))

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
