# SPDX-License-Identifier: Apache-2.0
"""Searches over parameters of an estimator of hogwild.sklearn, with scikit-learn's interface.

    hw.search.Grid(SGDClassifier(), {"alpha": [1e-6, 1e-5], "eta0": [0.5, 1.0]}, cv=5, n_jobs=2).fit(X, y)

The engine trains linear models and factorization machines side by side if they differ only in their step, its schedule
and their penalty: up to 32 in one pass over the rows. It also measures them if it knows the scorer. Every other
candidate is trained by its own fit.
"""
from __future__ import annotations

import time
import traceback
import warnings
from numbers import Integral

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._validation import _insert_error_scores, _score, _warn_or_raise_about_fit_failures
from sklearn.utils import indexable
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from . import _engine
from ._arrays import exported
from ._data import Dataset
from ._lanes import MEASURED, Lanes
from ._train import keep_parameters, threads_of
from .sklearn._base import EngineEstimator

__all__ = ["Grid", "Random", "Halving", "Hyperband"]


class _Search(BaseSearchCV):
    """The common part of all searches: training and results."""

    def fit(self, X, y=None, **params):
        """Searches, and with refit trains the best candidate on all rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), frame, or Dataset
            Folds are cut from arrays: those from which a Dataset was made, with the names of their columns, or copies
            of a file's rows.
        y : array of shape (n_samples,); None with a Dataset, which has its own
        **params
            sample_weight of shape (n_samples,), which is cut like the rows; groups for the splitter; other parameters
            of the estimator's fit().

        Returns
        -------
        self

        Raises
        ------
        ValueError
            The space is empty or names a parameter that the estimator does not have; a candidate cannot be trained and
            error_score='raise'; or no candidate can be trained.
        TypeError
            The space has another form, or the columns of a file are ids.
        """
        names = None
        if isinstance(X, Dataset):
            if y is not None or params.get("sample_weight") is not None:
                raise ValueError("a Dataset has its labels and weights itself: leave out y and sample_weight")
            names = X.names
            X, y, weight = X._named_arrays()
            params = {**params, "sample_weight": weight} if weight is not None else params
        if self.error_score != "raise" and not isinstance(self.error_score, (int, float, np.number)):
            raise ValueError(f"error_score={self.error_score!r}: it must be 'raise' or a number")
        scorers, refit_metric = self._get_scorers()
        X, y = indexable(exported(X), y)
        params = _check_method_params(X, params=params)
        routed = self._get_routed_params_for_fit(params)
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        splits = list(cv.split(X, y, **routed.splitter.split))
        self.n_splits_ = len(splits)
        if not splits:
            raise ValueError("No fits were performed. Was the CV iterator empty?")
        trained = _Trained(self, X, y, splits, self._candidates(), scorers, routed)
        candidates, results, more = self._evaluate(trained)
        if not results:
            raise ValueError("No fits were performed. Were there no candidates?")
        _warn_or_raise_about_fit_failures(results, self.error_score)
        if callable(self.scoring):
            _insert_error_scores(results, self.error_score)
        trained.warn()
        table = self._format_results(candidates, self.n_splits_, results, more)
        first = results[0]["test_scores"]
        self.multimetric_ = isinstance(first, dict)
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(first)
            refit_metric = self.refit
        if self.refit or not self.multimetric_:
            self.best_index_ = int(self._best_of(table, refit_metric))
            if not callable(self.refit):
                self.best_score_ = table[f"mean_test_{refit_metric}"][self.best_index_]
            self.best_params_ = table["params"][self.best_index_]
        if self.refit:
            begin = time.time()
            self.best_estimator_ = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
            with trained.rows_for(self.best_params_, self.best_estimator_):
                self.best_estimator_.fit(X, y, **routed.estimator.fit)
            self.refit_time_ = time.time() - begin
            if names is not None and isinstance(self.best_estimator_, EngineEstimator):
                self.best_estimator_.feature_names_in_ = np.asarray(names, dtype=object)  # also if rows are sparse
            if hasattr(self.best_estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.best_estimator_.feature_names_in_
        self.scorer_ = getattr(scorers, "_scorers", scorers)
        self.cv_results_ = table
        return self

    def _best_of(self, table, refit_metric):
        return self._select_best_index(self.refit, refit_metric, table)

    def _evaluate(self, trained):
        """The candidates, a result for each of their folds, and further columns of the table."""
        everyone = list(range(len(trained.candidates)))
        return list(trained.candidates), trained.until(everyone, None), {}


class _Trained:
    """Trains candidates on folds, side by side or each by its own fit."""

    def __init__(self, search, X, y, splits, candidates, scorers, routed):
        self.candidates = candidates
        self._search, self._X, self._y, self._splits, self._scorers = search, X, y, splits, scorers
        self._fit_params, self._score_params = routed.estimator.fit, routed.scorer.score
        self._lanes = Lanes(search, candidates, X, y, splits, self._fit_params, bool(self._score_params),
                            threads_of(search.n_jobs))
        if search.verbose > 0:
            print(f"{len(splits)} folds for each of {len(candidates)} candidates")

    def until(self, numbers, epochs):
        """Trains candidates up to this many epochs (None: to their end). Returns a result for each of them and each
        fold."""
        found = self._lanes.results(numbers, epochs, self._score_fold)
        folds = range(len(self._splits))
        rest = [(c, f) for c in numbers for f in folds if (c, f) not in found]
        ours = isinstance(self._search.estimator, EngineEstimator)  # these release the interpreter while they train
        n_jobs = self._search.n_jobs
        run = Parallel(n_jobs=None if n_jobs is None else threads_of(n_jobs), prefer="threads" if ours else None)
        found.update(zip(rest, run(delayed(self._fit)(self.candidates[c], f, epochs) for c, f in rest)))
        return [self._complete(found[c, f]) for c in numbers for f in folds]

    def rows_for(self, params, estimator):
        """Context in which `estimator`, with these parameters of a candidate, may be fitted to existing rows."""
        return self._lanes.rows_for(params, estimator)

    def warn(self):
        n = len(self._lanes.unfinished)
        if n:
            warnings.warn(f"Maximum number of iteration reached before convergence by {n} of the fits. Consider "
                          "increasing max_iter to improve the fit.", ConvergenceWarning)

    def _complete(self, result):
        """Adds scores to a result whose fit has failed."""
        error = result["fit_error"]
        if error is None:
            return result
        if self._search.error_score == "raise":
            raise ValueError(error)
        names = getattr(self._scorers, "_scorers", None)
        none = self._search.error_score if names is None else dict.fromkeys(names, self._search.error_score)
        result["test_scores"] = none
        if self._search.return_train_score:
            result["train_scores"] = none
        return result

    def _scores(self, estimator, f, test, train):
        def score(rows, indices):
            own = _check_method_params(self._X, params=self._score_params, indices=indices)
            return _score(estimator, *rows, self._scorers, own, self._search.error_score)

        scores = {"test_scores": score(test, self._splits[f][1])}
        if self._search.return_train_score:
            scores["train_scores"] = score(train, self._splits[f][0])
        return scores

    def _score_fold(self, estimator, f, fold):
        return self._scores(estimator, f, (fold.X_test, fold.y_test), (fold.X_train, fold.y_train))

    def _fit(self, params, f, epochs):
        estimator = clone(self._search.estimator).set_params(**clone(params, safe=False))
        if epochs is not None:
            estimator.set_params(max_iter=epochs)
        train, test = self._splits[f]
        X_train, y_train = _safe_split(estimator, self._X, self._y, train)
        X_test, y_test = _safe_split(estimator, self._X, self._y, test, train)
        fit_params = _check_method_params(self._X, params=self._fit_params, indices=train)
        result = {"score_time": 0.0, "n_test_samples": len(test), "fit_error": None}
        begin = time.time()
        try:
            estimator.fit(X_train, y_train, **fit_params)
        except Exception:
            if self._search.error_score == "raise":
                raise
            return {**result, "fit_time": time.time() - begin, "fit_error": traceback.format_exc()}
        result["fit_time"] = time.time() - begin
        begin = time.time()
        result.update(self._scores(estimator, f, (X_test, y_test), (X_train, y_train)))
        result["score_time"] = time.time() - begin
        return result


_COMMON = f"""
    scoring : str, callable, list, tuple or dict, default=None
        As in scikit-learn. The engine itself measures these:
        {", ".join(MEASURED)}.
    n_jobs : int, default=None
        Threads: None: one, -1: as many as this process may use.
    refit : bool, str or callable, default=True
        Whether to train the best candidate on all rows; with several scorers, the name of the one that decides; or a
        function that chooses the index.
    cv : int, splitter or iterable of (train, test) indices, default=None
        None: 5. A number: so many folds, which are stratified if the estimator is a classifier.
    verbose : int, default=0
    error_score : 'raise' or number, default=nan
        The score of a candidate that cannot be trained.
    return_train_score : bool, default=False

    Attributes
    ----------
    cv_results_ : dict of arrays
        As in scikit-learn. Candidates that were trained together are each assigned their part of the time.
    best_estimator_, best_params_, best_score_, best_index_, refit_time_, scorer_, n_splits_, multimetric_
"""


class Grid(_Search):
    __doc__ = """Tries every point of a grid, like scikit-learn's GridSearchCV.

    Parameters
    ----------
    estimator : estimator
        An estimator of hogwild.sklearn; with any other one, each candidate is trained by its own fit.
    param_grid : dict of lists, or list of such dicts
        The values of each parameter.""" + _COMMON

    def __init__(self, estimator, param_grid, *, scoring=None, n_jobs=None, refit=True, cv=None, verbose=0,
                 error_score=np.nan, return_train_score=False):
        keep_parameters(self, locals())

    def _candidates(self):
        return list(ParameterGrid(self.param_grid))


class Random(_Search):
    __doc__ = """Tries randomly drawn points, like scikit-learn's RandomizedSearchCV.

    Parameters
    ----------
    estimator : estimator
    param_distributions : dict of lists and distributions, or list of such dicts
        Distributions have rvs(), like those of scipy.stats.
    n_iter : int, default=10
        Number of drawn points; a space of lists that has no more is tried whole.
    random_state : int, RandomState instance or None, default=None""" + _COMMON

    def __init__(self, estimator, param_distributions, *, n_iter=10, scoring=None, n_jobs=None, refit=True, cv=None,
                 verbose=0, random_state=None, error_score=np.nan, return_train_score=False):
        keep_parameters(self, locals())

    def _candidates(self):
        return list(ParameterSampler(self.param_distributions, self.n_iter, random_state=self.random_state))


class _ByEpochs(_Search):
    """Searches in which the engine decides which candidates are trained further, for at most max_iter epochs."""

    def _draw(self, count):
        if count == 0:
            return []
        return list(ParameterSampler(self.param_distributions, count, random_state=self.random_state))

    def _most_epochs(self):
        known = self.estimator.get_params()
        if "max_iter" not in known:
            raise ValueError("max_iter is what candidates are given more of, and the estimator has none: take Random")
        spaces = self.param_distributions
        for space in spaces if isinstance(spaces, (list, tuple)) else [spaces]:
            if isinstance(space, dict) and "max_iter" in space:
                raise ValueError("max_iter is what candidates are given more of: leave it out of the space, and set it "
                                 "of the estimator to the most that one gets")
        return known["max_iter"]

    def _check_factor(self):
        if not isinstance(self.factor, Integral) or self.factor < 2:
            raise ValueError(f"factor={self.factor!r}: it must be a whole number not below 2")
        if not (self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring)):
            raise ValueError("one scorer says who is trained further: scoring is a name or a callable")

    def _evaluate(self, trained):
        epochs, count = self._most_epochs(), len(trained.candidates)
        known, candidates, results = [], [], []
        more = {"iter": [], "n_resources": [], "bracket": []}
        rungs = {}
        self._row_of = {}
        while True:
            some, until, best = _engine.go_on_with_search(self._strategy, epochs, count, self.factor, known)
            if not some:
                break
            found = trained.until(some, until)
            for i, c in enumerate(some):
                of_folds = found[i * self.n_splits_:(i + 1) * self.n_splits_]
                if isinstance(of_folds[0].get("test_scores"), dict):
                    raise ValueError("one scorer says who is trained further, and this one returns a dict")
                score = float(np.mean([r["test_scores"] if r["fit_error"] is None else np.nan for r in of_folds]))
                known.append((c, until, np.inf if np.isnan(score) else -score))
                self._row_of[c] = len(candidates)
                candidates.append(trained.candidates[c])
                rungs[c] = rungs.get(c, -1) + 1
                more["iter"].append(rungs[c])
                more["n_resources"].append(until)
                more["bracket"].append(self._bracket_of[c])
                results.extend(of_folds)
        self._best = best
        return candidates, results, more

    def _best_of(self, table, refit_metric):
        row, best = self._row_of, self._best
        del self._row_of, self._best, self._bracket_of
        if callable(self.refit) or best is None:
            return super()._best_of(table, refit_metric)
        return row[best]


class Halving(_ByEpochs):
    __doc__ = """Trains drawn points for a few epochs, then the best of them further (successive halving).

    Parameters
    ----------
    estimator : estimator
        Its max_iter is the most epochs of a candidate. Candidates that are trained side by side continue from their
        last epoch, with the schedule of a whole run; others are trained anew.
    param_distributions : dict of lists and distributions, or list of such dicts
    n_candidates : int, default=32
        Number of drawn points; a space of lists that has no more is tried whole.
    factor : int, default=3
        One of this many candidates is trained further.
    random_state : int, RandomState instance or None, default=None""" + _COMMON

    _strategy = "halving"

    def __init__(self, estimator, param_distributions, *, n_candidates=32, factor=3, scoring=None, n_jobs=None,
                 refit=True, cv=None, verbose=0, random_state=None, error_score=np.nan, return_train_score=False):
        keep_parameters(self, locals())

    def _candidates(self):
        self._check_factor()
        self._most_epochs()
        drawn = self._draw(self.n_candidates)
        self._bracket_of = [0] * len(drawn)
        return drawn


class Hyperband(_ByEpochs):
    __doc__ = """Runs of halving, from many points and few epochs to few points and many epochs (Li et al., 2018).

    Parameters
    ----------
    estimator : estimator
        Its max_iter is the most epochs of a candidate, and determines the number of candidates.
    param_distributions : dict of lists and distributions, or list of such dicts
        If a space of lists has too few points, they are tried in several brackets.
    factor : int, default=3
        One of this many candidates is trained further.
    random_state : int, RandomState instance or None, default=None""" + _COMMON

    _strategy = "hyperband"

    def __init__(self, estimator, param_distributions, *, factor=3, scoring=None, n_jobs=None, refit=True, cv=None,
                 verbose=0, random_state=None, error_score=np.nan, return_train_score=False):
        keep_parameters(self, locals())

    def _candidates(self):
        self._check_factor()
        plan = _engine.plan_search(self._strategy, self._most_epochs(), 1, self.factor)
        self._bracket_of = [b for b, rungs in enumerate(plan) for _ in range(rungs[0][0])]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # for spaces with fewer points
            drawn = self._draw(len(self._bracket_of))
        return [drawn[k % len(drawn)] for k in range(len(self._bracket_of))] if drawn else []
