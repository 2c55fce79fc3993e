# SPDX-License-Identifier: Apache-2.0
"""The common part of recommenders: factors of users and items, with the interface of the package implicit."""
import os

import numpy as np

from ._arrays import require_count, saved_arrays, zeros_for
from ._fits import Parameters, trained, workers_of_threads
from ._train import Job
from ._user_items import csr_of, parameters_of, rows_of, seed_of

_MOST_SCORES = 1 << 23  # of several users, held at a time
_OWN_TERMS = {"step": "learning_rate", "l2": "regularization", "seed": "random_state", "epochs": "iterations",
              "workers": "num_threads"}


class Recommender(Parameters):
    """A model of users and items, which scores items by factors. Its subclasses train it, and have factors,
    learning_rate, regularization, iterations, use_bias, num_threads, random_state and reproducible as parameters."""

    _LEARNED = ("user_factors", "item_factors", "user_bias", "item_bias", "mean", "l2_")

    def _fit(self, entries, labels, shape, callback, **how):
        saved, self.run_, interrupt = self._train(entries, labels, callback, **how)
        self.l2_ = float(self.run_["l2"])
        self._take(saved, *shape)
        if interrupt is not None:
            raise interrupt
        return self

    def _train(self, entries, labels, callback, initial=None, known=(), features=None, **options):
        """Trains on the entries of a matrix in coordinates, with a label for each. `known`: columns that have parameters
        even without an entry; `features` has added_to(rows). Returns the engine's saved model, the Run, and what a
        signal's handler raised meanwhile."""
        seed = seed_of(self.random_state)
        given = {"factors": self.factors, "step": self.learning_rate, "l2": self.regularization,
                 "epochs": self.iterations, "bias": None if self.use_bias is None else bool(self.use_bias),
                 "seed": seed, "reproducible": bool(self.reproducible), **workers_of_threads(self.num_threads), **options}
        rows = rows_of(entries, labels, known, seed)
        if features is not None:
            rows = features.added_to(rows)
        return trained(rows, given, Job.saved, _OWN_TERMS, initial, callback, "the matrix")

    def _take(self, saved, users, items):
        """Makes attributes of a saved model's parameters."""
        for name, count, odd in (("user", users, 1), ("item", items, 0)):
            numbers_, *parts = parameters_of(saved, odd)
            for attribute, values in zip(("_factors", "_bias"), parts):
                made = zeros_for(name + attribute, (count, *values.shape[1:]), np.float32,
                                 instead="number users and items without gaps")
                made[numbers_] = values
                setattr(self, name + attribute, made)

    def recommend(self, userid, user_items=None, N=10, filter_already_liked_items=True, filter_items=None,
                  recalculate_user=False, items=None):
        """The N items with the highest scores for a user, and the scores; for several users one row each.

        user_items is a sparse matrix with a row for each of the given users; items with entries there are left out, and
        so are filter_items. With `items` only those are considered. Unfilled places hold item -1 and score -inf. With
        recalculate_user the factors of users are those of recalculate_user(), so fit() need not have seen the users.
        Otherwise raises IndexError for a user or an item that fit() has not seen.
        """
        self._check_fitted()
        require_count("N", N)
        if np.ndim(userid) > 1:
            raise ValueError(f"userid has {np.ndim(userid)} dimensions: it is a user, or a list of users")
        if recalculate_user:
            if user_items is None:
                raise ValueError("recalculate_user=True goes by the entries of user_items: give them")
            users = np.atleast_1d(np.asarray(userid))
        else:
            users = np.atleast_1d(self._ids("user", userid))
        seen = None if user_items is None else self._seen(user_items, len(users))
        if recalculate_user:
            factors, bias = self._solved(seen)
        else:
            factors, bias = self.user_factors[users], self.user_bias[users]
        left_out = np.full(len(self.item_bias), items is not None)
        if items is not None:
            left_out[self._ids("item", items)] = False
        if filter_items is not None:
            left_out[self._ids("item", filter_items)] = True
        parts, at_once = [], max(1, _MOST_SCORES // len(left_out))
        for first in range(0, max(1, len(users)), at_once):
            some = slice(first, first + at_once)
            scores = self._scores(factors[some], bias[some]).astype(np.float32)
            scores[:, left_out] = -np.inf
            if seen is not None and filter_already_liked_items:
                for k, row in enumerate(scores, first):
                    row[seen.indices[seen.indptr[k]:seen.indptr[k + 1]]] = -np.inf
            parts.append(_best(scores, N))
        best, scores = (np.concatenate(part) for part in zip(*parts))
        best = np.where(np.isneginf(scores), -1, best)
        return (best[0], scores[0]) if np.ndim(userid) == 0 else (best, scores)

    def _scores(self, factors, bias):
        """The scores of all items for users."""
        return self.mean + bias[:, None] + self.item_bias[None, :] + factors @ self.item_factors.T

    def recalculate_user(self, userid, user_items):
        """The factors that a user, or each of several, has by the entries of user_items, a row each; those of items stay
        as they are."""
        self._check_fitted()
        factors = self._solved(self._seen(user_items, np.size(userid)))[0]
        return factors[0] if np.ndim(userid) == 0 else factors

    def _seen(self, user_items, users):
        """The entries of the given users, as CSR."""
        seen, items = csr_of(user_items), len(self.item_bias)
        if seen.shape[0] != users:
            raise ValueError(f"user_items has {seen.shape[0]} rows, and {users} users are asked about: pass the rows of "
                             "these users, ratings[users]")
        if seen.shape[1] > items:
            raise ValueError(f"user_items has {seen.shape[1]} columns, and fit() has seen {items} items")
        return seen

    def similar_items(self, itemid, N=10):
        """The N items whose factors have the greatest cosine with those of an item (including itself), and the cosines.

        Raises IndexError for an item that fit() has not seen, ValueError for one without an entry.
        """
        return self._nearest("item", itemid, N)

    def similar_users(self, userid, N=10):
        """The same for users."""
        return self._nearest("user", userid, N)

    def save(self, path):
        """Writes the parameters and what was learned to a numpy file, .npz, which load() reads."""
        self._check_fitted()
        told = {name: np.asarray(np.nan if value is None else value) for name, value in self.get_params().items()
                if name != "random_state"}
        np.savez(os.fspath(path), **told, **{name: getattr(self, name) for name in self._LEARNED})

    @classmethod
    def load(cls, path):
        """Reads a file of save(); random_state is that of a new object."""
        name = os.fspath(path)
        if not os.path.exists(name) and os.path.exists(name + ".npz"):
            name += ".npz"
        with saved_arrays(name, f"{cls.__name__}.save") as read:
            known = {n: read[n].item() for n in cls._names() if n != "random_state"}
            learned = {n: read[n] for n in cls._LEARNED}
        made = cls(**{n: None if isinstance(v, float) and np.isnan(v) else v for n, v in known.items()})
        for n, value in learned.items():
            setattr(made, n, value.item() if value.ndim == 0 else value)
        return made

    def _check_parameters(self):
        require_count("factors", self.factors)
        if self.iterations is not None:
            require_count("iterations", self.iterations)
        require_count("num_threads", self.num_threads, 0)

    def _check_fitted(self):
        self._require_fitted("item_factors", "fit(user_items)")

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
            raise ValueError(f"{what} {row} has no entry, so nothing is known that others could resemble")
        length[length == 0] = 1.0
        cosine = factors @ factors[row] / (length * length[row])
        best = np.argsort(-cosine, kind="stable")[:count]
        return best, cosine[best]


def _best(scores, count):
    """The places and values of the largest numbers of each row, the largest first, and of equal ones the first."""
    near = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    if count < scores.shape[1]:
        near = np.sort(np.argpartition(-scores, count - 1, axis=1)[:, :count], axis=1)
    found = np.take_along_axis(scores, near, axis=1)
    order = np.argsort(-found, axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(found, order, axis=1)
