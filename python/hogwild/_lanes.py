# SPDX-License-Identifier: Apache-2.0
"""Candidates of a search that the engine trains side by side, and their scores."""
import contextlib
import time
from copy import copy
from multiprocessing.pool import ThreadPool
from numbers import Integral

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import _check_method_params, _num_samples

from . import _data, _engine
from ._folds import NAMES_OF_FEATURES, CommonRows, Fold, fit_takes, fold_of_rows
from ._train import words_of
from .sklearn._base import EngineEstimator

# This many trials keep a thread busy with full passes. If the rows of all folds have at most MOST_ENTRIES, all folds
# are prepared at once, otherwise only as many as keep the threads busy.
TRIALS_OF_A_THREAD = 32
MOST_ENTRIES = 2**27


def _r2(rmse, y):
    spread = float(np.var(y))
    if spread == 0.0:
        return 1.0 if rmse == 0.0 else 0.0
    return 1.0 - rmse ** 2 / spread


def _are_two(classes):
    return len(classes) <= 2


# scikit-learn's scorers that the engine measures itself: its measure, how that is converted, and for which classes both
# are the same (None: for numbers).
MEASURED = {
    "accuracy": ("accuracy", lambda x, y: x, lambda classes: True),
    "roc_auc": ("auc", lambda x, y: x, _are_two),
    "f1": ("f1", lambda x, y: x, lambda classes: _are_two(classes) and classes[-1] == 1),
    "matthews_corrcoef": ("matthews", lambda x, y: x, _are_two),
    "neg_log_loss": ("loss", lambda x, y: -x, lambda classes: True),
    "neg_mean_squared_error": ("rmse", lambda x, y: -x ** 2, None),
    "neg_root_mean_squared_error": ("rmse", lambda x, y: -x, None),
    "r2": ("rmse", _r2, None),
}


def measured_scores(estimator, scoring):
    """{name: scorer's name} if the engine measures all of them for this estimator, else None."""
    of_classes = is_classifier(estimator)
    if scoring is None:
        return {"score": "accuracy" if of_classes else "r2"}
    if isinstance(scoring, str):
        named = {"score": scoring}
    elif isinstance(scoring, dict):
        named = dict(scoring)
    elif isinstance(scoring, (list, tuple, set)):
        named = {name: name for name in scoring}
    else:
        return None
    known = all(isinstance(s, str) and s in MEASURED and (MEASURED[s][2] is not None) == of_classes
                for s in named.values())
    return named if known else None


class Lanes:
    """The engine's trials: every candidate on every fold, except those that it does not train side by side.

    `weighted`: whether scorers get weights. `epochs[c]`: the epochs of candidate c if it is trained to its end.
    """

    def __init__(self, search, candidates, X, y, splits, fit_params, weighted, threads):
        self._search, self._candidates, self._threads = search, candidates, threads
        self._X, self._y, self._splits, self._fit_params = X, y, splits, fit_params
        self._scored = None
        self._batches = {}  # by the first of their folds: (trials, {(candidate, fold): (position, Fold, estimator)})
        self.epochs = {}
        self.unfinished = set()  # (candidate, fold) for which fit() would warn
        estimator = search.estimator
        self._suits = (isinstance(estimator, EngineEstimator) and estimator._has_lanes and y is not None
                       and set(fit_params) <= {"sample_weight"})
        if self._suits and not search.return_train_score and not weighted:
            self._scored = measured_scores(estimator, search.scoring)
        self._estimators = [clone(estimator).set_params(**clone(p, safe=False)) for p in candidates] if self._suits else []
        # Candidates are of one kind if the parameters that affect the rows are equal.
        self._kinds = [(repr(getattr(e, "class_weight", None)), bool(getattr(e, "shuffle", True)))
                       for e in self._estimators]
        self._fold_of, self._common = None, {}
        fewest = min(len(train) for train, _ in splits)
        if self._estimators and all(e._holds_out(fewest) for e in self._estimators):
            self._fold_of = fold_of_rows(splits, _num_samples(X))
        if self._fold_of is not None and not self._make_common():
            self._fold_of, self._common = None, {}
        of_a_batch = max(1, -(-TRIALS_OF_A_THREAD * threads // max(1, len(candidates))))
        if self._common or getattr(X, "nnz", np.size(X)) * len(splits) <= MOST_ENTRIES:
            of_a_batch = len(splits)
        self._groups = [range(f, min(f + of_a_batch, len(splits))) for f in range(0, len(splits), of_a_batch)]

    def _make_common(self):
        """Makes the rows that candidates of each kind have in common. Returns whether there are such rows."""
        weight = self._fit_params.get("sample_weight")
        try:
            for kind, estimator in zip(self._kinds, self._estimators):
                if kind not in self._common:
                    self._common[kind] = CommonRows(estimator, self._X, self._y, self._splits, self._fold_of, weight,
                                                    self._threads)
        except Exception:  # a run of its own reports it
            return False
        return all(rows.folds is not None for rows in self._common.values())

    def rows_for(self, params, estimator):
        """Context in which `estimator`, with these parameters, is fitted to the rows of all folds without a copy."""
        for candidate, kind in zip(self._candidates, self._kinds):
            if candidate is params and kind in self._common:
                return fit_takes(estimator, self._common[kind])
        return contextlib.nullcontext()

    def _batch(self, folds):
        if folds.start not in self._batches:
            self._batches[folds.start] = self._of_common() if self._common else self._made(folds)
        return self._batches[folds.start]

    def _begun(self, classes):
        """Returns whether the engine measures these kinds of rows, given the classes of each, and an empty set of
        trials."""
        asked = [MEASURED[s] for s in (self._scored or {}).values()]
        measures = bool(asked) and all(c is None or suits is None or suits(c) for c in classes for _, _, suits in asked)
        return measures, _engine.Trials(self._threads, {name for name, _, _ in asked} if measures else set())

    def _of_common(self):
        """Makes trials of all folds, on common rows."""
        measures, trials = self._begun([rows.rows.classes for rows in self._common.values()])
        words, placed, count = {}, {}, 0
        for c, (kind, estimator) in enumerate(zip(self._kinds, self._estimators)):
            with contextlib.suppress(Exception):  # a run of its own reports it
                if estimator._who()["engine"] == "serial":
                    words[c] = self._words(estimator, self._common[kind])
        trials.read(list(words.values()), "X")
        for c, asked in words.items():
            common, estimator = self._common[self._kinds[c]], self._estimators[c]
            try:
                if not trials.add_folds(common.rows.data._rows, self._fold_of, len(self._splits), asked, "X"):
                    continue
            except Exception:  # likewise
                continue
            for f, fold in enumerate(common.folds):
                placed[c, f] = (count, fold, estimator)
                count += 1
            self.epochs[c] = estimator.max_iter
        return trials, placed, measures

    def _made(self, folds):
        """Makes rows and trials of these folds."""
        kinds = {(f, kind): c for f in folds for c, kind in reversed(list(enumerate(self._kinds)))}
        with ThreadPool(min(self._threads, len(kinds)), setattr, (_data._reader, "threads", 1)) as pool:
            made = dict(zip(kinds, pool.starmap(self._fold, [(c, f) for (f, _), c in kinds.items()])))
        measures, trials = self._begun([fold.rows.classes for fold in made.values() if fold is not None])
        placed = {}
        for f in folds:
            for c, kind in enumerate(self._kinds):
                fold, estimator = made[f, kind], self._estimators[c]
                try:
                    if fold is None or fold.test is None or estimator._who()["engine"] != "serial":
                        continue
                    if trials.add(fold.rows.data._rows, fold.test._rows, self._words(estimator, fold), "X"):
                        placed[c, f] = (len(placed), fold, estimator)
                        self.epochs[c] = estimator.max_iter
                except Exception:  # a run of its own reports it
                    continue
        return trials, placed, measures

    def _fold(self, c, f):
        """The rows of fold f for candidate c; None if they cannot be made: a run of its own reports why."""
        train, test = self._splits[f]
        weight = _check_method_params(self._X, params=self._fit_params, indices=train).get("sample_weight")
        try:
            return Fold(clone(self._estimators[c]), self._X, self._y, train, test, weight)
        except Exception:
            return None

    def _words(self, estimator, of):
        """The options, as words, of a run on the rows of a fold, or on all rows."""
        return words_of({**estimator._options_of_run(of.rows), **of.rows.options, **estimator._who(),
                         "seed": self._seed(estimator, of)})

    @staticmethod
    def _seed(estimator, fold):
        """All candidates visit the rows in one order: if each would draw its own seed, one is drawn for all."""
        if isinstance(estimator.random_state, Integral):
            return estimator._seed()
        if fold.seed is None:
            fold.seed = estimator._seed()
        return fold.seed

    def results(self, numbers, epochs, score):
        """{(candidate, fold): result} of these candidates after this many epochs (None: after their own number).

        `score(estimator, f, fold)` returns a fitted estimator's test scores and, if asked for, train scores.
        """
        found = {}
        if not self._suits:
            return found
        for folds in self._groups:
            trials, placed, measures = self._batch(folds)
            wanted = [(c, f) for f in folds for c in numbers if (c, f) in placed]
            for until in sorted({epochs or self.epochs[c] for c, _ in wanted}):
                some = [k for k in wanted if (epochs or self.epochs[k[0]]) == until]
                at_once = len(some) if measures else 2 * TRIALS_OF_A_THREAD * self._threads
                for first in range(0, len(some), at_once):
                    self._bring(trials, placed, some[first:first + at_once], until, measures, score, found)
        return found

    def _bring(self, trials, placed, some, epochs, measures, score, found):
        begin = time.perf_counter()
        trials.train([placed[k][0] for k in some], epochs)
        # One pass trains many trials: each is assigned its part of the time.
        seconds = (time.perf_counter() - begin) * self._threads / len(some)
        for k in some:
            position, fold, estimator = placed[k]
            told = trials.outcome(position)
            result = {"fit_time": seconds, "score_time": 0.0, "n_test_samples": len(fold.y_test), "fit_error": None}
            found[k] = result
            if told["refused"]:
                result["fit_error"] = str(estimator._said_here(told["refused"]))
            elif not np.isfinite(told["loss"]):
                result["fit_error"] = f"the loss is not finite: scale the columns{estimator._lower_step()}"
            elif measures:
                scores = {}
                for name, scorer in self._scored.items():
                    measure, converted, _ = MEASURED[scorer]
                    scores[name] = converted(told[measure], fold.y_test)
                several = isinstance(self._search.scoring, (list, tuple, set, dict))
                result["test_scores"] = scores if several else scores["score"]
            else:
                begin = time.perf_counter()
                result.update(score(self._fitted(trials, position, fold, estimator, told), k[1], fold))
                result["score_time"] = time.perf_counter() - begin
            if epochs == self.epochs[k[0]] and estimator._is_unfinished(told["status"]):
                self.unfinished.add(k)
            if epochs == self.epochs[k[0]]:
                trials.forget(position)

    @staticmethod
    def _fitted(trials, position, fold, estimator, told):
        """A copy of the estimator after training, without a record: the run belongs to several candidates."""
        estimator = copy(estimator)
        for name in NAMES_OF_FEATURES:
            if hasattr(fold.estimator, name):
                setattr(estimator, name, getattr(fold.estimator, name))
        if fold.rows.classes is not None:
            estimator.classes_ = fold.rows.classes
        estimator._take_saved(trials.saved(position), fold.rows)
        estimator._set_epochs(told["trained"])
        return estimator
