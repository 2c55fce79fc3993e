# SPDX-License-Identifier: Apache-2.0
"""Recommenders that learn from what users clicked, bought or visited, with the interface of the package implicit, and
fit_partial() as LightFM has it."""
import numpy as np
from scipy.sparse import coo_array

from . import _engine
from ._arrays import require_count
from ._recommender import Recommender
from ._train import Model, keep_parameters
from ._user_items import csr_of, entries_of, parameters_of


class _OfPairs(Recommender):
    """{}

    Parameters
    ----------
    factors : int, default=64
        Numbers of each user's and item's vector.
    learning_rate, regularization : float or None, default=None
        The first step, and l2 for each pair; None: the model's default, as for all parameters below.
    iterations : int or None, default=None
        Passes over the pairs.
    use_bias : bool or None, default=None
        Whether items have a bias.
    negatives : int or None, default=None
        Items drawn against a block of pairs; for BPR one is drawn for each pair.
    sampler : {{"uniform", "popularity", "in_batch"}} or None, default=None
        How they are drawn.
    similarity : {{"product", "cosine"}} or None, default=None
        What a score is made of.
    temperature : float or None, default=None
        Divides products and cosines.
    products : {{"float", "bf16"}} or None, default=None
        Numbers that training multiplies; not for BPR.
    features_alone : bool, default=False
        Whether users and items with features have no factors of their own beside those of the features.
    num_threads : int, default=1
        Workers; 0: as many as this process may use.
    random_state : int, RandomState, Generator or None, default=1
        None: a seed is drawn.
    reproducible : bool, default=False
        Whether the result has the same bits for any num_threads.

    Attributes
    ----------
    user_factors, item_factors : float32 ndarray of shape (users, factors), (items, factors)
        Rows of users and items without pairs, and without features, are 0.
    item_bias : float32 ndarray
    l2_ : float
        The value used in training.
    run_ : hogwild.Run
    """

    mean = 0.0
    _STATE = True  # whether the optimiser keeps something for fit_partial()
    _LEARNED = (*Recommender._LEARNED, "cosine_", "temperature_", "saved_")

    def __init__(self, factors=64, learning_rate=None, regularization=None, iterations=None, use_bias=None,
                 negatives=None, sampler=None, similarity=None, temperature=None, features_alone=False,
                 num_threads=1, random_state=1, reproducible=False, products=None):
        keep_parameters(self, locals())

    def fit(self, user_items, callback=None, user_features=None, item_features=None):
        """Trains on a sparse matrix, users by items, of which each entry above 0 is a pair; other entries are none.

        user_features and item_features are sparse matrices with a row for each user or item and a column for each
        feature, whose entries are weights. The factors of a user are then the sum of the user's own ones and of those
        of the features, each times its weight, divided by the length of these weights (1 for the own ones). Users and
        items without a pair, also those in rows beyond the matrix of pairs, have the factors of their features.
        Returns self."""
        self._check_parameters()
        pairs, features = _pairs(user_items), _Features(user_features, item_features)
        return self._fit(pairs, _ones(pairs), features.shape(pairs.shape), callback, features=features, **self._options())

    def fit_partial(self, user_items, epochs=1, callback=None, user_features=None, item_features=None):
        """Goes on from the last fit() or fit_partial(), if there was one, with so many passes over a matrix. It may have
        more users and items; those without a pair keep their factors. Features as for fit(): their columns mean what they
        meant there. Returns self."""
        self._check_parameters()
        require_count("epochs", epochs)
        pairs, before, shape = _pairs(user_items), None, (0, 0)
        features = _Features(user_features, item_features)
        if hasattr(self, "saved_"):
            before, shape = self._saved(), (len(self.user_bias), len(self.item_bias))
            if "parts" in dict(before.options) and not features:
                raise ValueError("fit() was given features: give fit_partial() user_features and item_features, too")
        return self._fit(pairs, _ones(pairs), features.shape(np.maximum(pairs.shape, shape)), callback, initial=before,
                         known=() if before is None else before.columns, features=features, **self._options(),
                         epochs=epochs)

    @property
    def model_(self):
        """The hogwild.Model, whose save() writes a file for the command: user k and item k have the number k there."""
        self._check_fitted()
        return Model(self._saved(), self.run_)

    def _options(self):
        return {"model": self._MODEL, "negatives": self.negatives, "sampler": self.sampler, "similarity": self.similarity,
                "temperature": self.temperature, "products": self.products, "save_state": self._STATE,
                "features_alone": bool(self.features_alone) or None}

    def _saved(self):
        return _engine.Saved.parse(self.saved_.tobytes())

    def _take(self, saved, users, items):
        super()._take(saved, users, items)
        told = dict(saved.options)
        self.cosine_, self.temperature_ = told["cosine"] != 0.0, told["temperature"]
        self.saved_ = np.frombuffer(saved.bytes(), np.uint8)  # what fit_partial() goes on from

    def _scores(self, factors, bias):
        if not self.cosine_:
            return factors @ self.item_factors.T / self.temperature_ + self.item_bias[None, :]
        return _unit(factors) @ _unit(self.item_factors).T / self.temperature_ + self.item_bias[None, :]

    def _solved(self, seen):
        """Factors of users with these pairs: trained as by fit(), with those of the items fixed."""
        saved, users, width = self._saved(), len(self.user_bias), self.item_factors.shape[1]
        items, pairs = parameters_of(saved, 0)[0], seen.tocoo()
        known = (pairs.data > 0) & np.isin(pairs.coords[1], items)
        factors, none = np.zeros((seen.shape[0], width), np.float32), np.zeros(seen.shape[0], np.float32)
        if not known.any():
            return factors, none
        user, item = (c[known] for c in pairs.coords)
        # As users whom the model does not know.
        pairs = coo_array((pairs.data[known], (user + users, item)), shape=(users + seen.shape[0], seen.shape[1]))
        as_fitted = {"factors": width, "bias": saved.width > width, "features_alone": None}
        if self._MODEL != "bpr":
            as_fitted.update(temperature=self.temperature_, similarity="cosine" if self.cosine_ else "product")
        trained, _, interrupt = self._train(pairs, _ones(pairs), None, saved, 2 * items + 2,
                                            **self._options() | as_fitted, freeze=["items", "item_bias"])
        if interrupt is not None:
            raise interrupt
        numbers, found, _ = parameters_of(trained, 1)
        factors[numbers - users] = found
        return factors, none


class _Features:
    """Matrices of features of users and items, of which one or both may be None."""

    def __init__(self, users, items):
        self._given = [None if given is None else _checked(given, name)
                       for given, name in ((users, "user_features"), (items, "item_features"))]

    def __bool__(self):
        return any(given is not None for given in self._given)

    def shape(self, pairs):
        """The numbers of users and items, with those that only the features have."""
        return tuple(int(max(n, 0 if given is None else given.shape[0])) for n, given in zip(pairs, self._given))

    def added_to(self, rows):
        """The Dataset with these features; itself if there are none."""
        if self:
            rows._rows = _engine.with_features(rows._rows, *(given if given is None else _engine.MemberFeatures(
                given.indptr.astype(np.int64), given.indices.astype(np.uint32), given.data.astype(np.float32),
                given.shape[1]) for given in self._given))
        return rows


def _checked(features, name):
    try:
        return csr_of(features, "it is a matrix with a column for each feature")
    except (TypeError, ValueError) as fault:
        raise type(fault)(f"{name}: {fault}") from None


class BPR(_OfPairs):
    _MODEL, _STATE = "bpr", None


class WARP(_OfPairs):
    _MODEL = "warp"


class SampledSoftmax(_OfPairs):
    _MODEL = "sampled_softmax"


_LOSSES = {BPR: "Bayesian personalised ranking: a pair's item should score above an item drawn at random.",
           WARP: "Items that score above a pair's item, less a margin, are pushed down, the more of them the harder.",
           SampledSoftmax: "The softmax over all items of a pair's item, estimated by items drawn at random."}
for _kind, _loss in _LOSSES.items():
    if _OfPairs.__doc__:  # python -OO has none
        _kind.__doc__ = _OfPairs.__doc__.format(_loss)


def _pairs(user_items):
    """The entries above 0, in coordinates."""
    given = entries_of(user_items)
    above = given.data > 0
    if not above.any():
        raise ValueError("there are no pairs: no entry is above 0")
    return coo_array((given.data[above], tuple(c[above] for c in given.coords)), shape=given.shape)


def _ones(pairs):
    return np.ones(len(pairs.data), np.float32)


def _unit(rows):
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1)
