# SPDX-License-Identifier: Apache-2.0
"""Trains any model of the engine, and returns the result."""
from __future__ import annotations

import atexit
import json
import os
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _engine
from ._arrays import MOST_COLUMNS, Csr, table_of
from ._data import Dataset
from ._engine import ConfigError
from ._loss import Loss
from ._record import Run


# Flags for which the command has a "no" form; others are left out if False.
FLAGS_WITH_NO = ("bias", "pin", "unit_rows")


def words_of(options):
    """Converts Python options to words of the command, which defines their meaning; None means not given."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, (bool, np.bool_)):
            if value:
                words.append(option)
            elif name in FLAGS_WITH_NO:
                words.append("--no-" + name.replace("_", "-"))
        elif isinstance(value, (list, tuple)):
            words.append(option + "=" + ",".join(_word(v) for v in value))
        else:
            words.append(option + "=" + _word(value))
    return words


def _word(value):
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def named(model):
    """The name of a model, and the object that makes it if Python has compiled it."""
    return ("own_loss", model._own) if isinstance(model, Loss) else (model, None)


def keep_parameters(of, given):
    """For __init__ with locals(): makes each parameter an attribute of the same name, as scikit-learn expects."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(of, name, value)


def workers_of(n_jobs):
    """The engine and its workers for scikit-learn's n_jobs: None and 1 mean one worker, -1 as many as the process may
    use."""
    if n_jobs is None or n_jobs == 1:
        return {"engine": "serial"}
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning: None is one worker, -1 as many as there are CPUs")
    if n_jobs < 0:
        return {"engine": "threads", "workers": threads_of(n_jobs)}
    return {"engine": "threads", "workers": int(n_jobs)}


def threads_of(n_jobs):
    """The number of threads for scikit-learn's n_jobs; -1: as many as the affinity mask and the control group grant."""
    who = 1 if n_jobs is None else int(n_jobs)
    if who == 0:
        raise ValueError("n_jobs=0 has no meaning: None is one worker, -1 as many as there are CPUs")
    return who if who > 0 else max(1, _engine.default_workers() + 1 + who)


def models() -> dict[str, str]:
    """The names of all models, and what each learns."""
    return {name: facts["summary"] for name, facts in _engine.facts_of_models().items()}


# Jobs that may still be training.
_jobs = weakref.WeakSet()


@atexit.register
def _end_jobs():
    """Stops all jobs at exit: threads that call Python would otherwise outlive the interpreter."""
    for job in list(_jobs):
        job.stop()
    for job in list(_jobs):
        job._run.wait(None)


class Job:
    """A run that trains in the background. start() returns one; dropping it stops the run.

    If its callback refers to it, it is dropped when Python's garbage collector finds it, or by stop().

    Attributes
    ----------
    running : bool
    rows_done : int
        Rows that workers have finished so far.
    history : list of dict
        The epochs so far.
    """

    def __init__(self, data, words, initial=None, callback=None, source="the rows", own=None):
        self._data = data
        self._run = _engine.Run(data._rows, words, initial, callback, source, own)
        _jobs.add(self)

    @property
    def running(self) -> bool:
        return self._run.running

    @property
    def rows_done(self) -> int:
        return self._run.rows_done

    @property
    def history(self) -> list[dict]:
        return self._run.epochs()

    def stop(self) -> None:
        """Asks the run to end, within a few milliseconds; result() returns what was trained so far."""
        self._run.stop()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the run has ended, for at most `timeout` seconds. Returns whether it has.

        Signals are handled meanwhile: Ctrl-C stops the run and raises KeyboardInterrupt, and result() returns what was
        trained until then.
        """
        raised = self._run.wait(timeout)
        if raised is not None:
            raise raised
        return not self._run.running

    def _interrupted(self):
        """Waits until the run has ended; returns what a signal's handler raises meanwhile, or None."""
        try:
            self.wait()
        except BaseException as raised:  # whatever it is
            return raised
        return None

    def result(self) -> Model:
        """The Model, once the run has ended.

        Raises what the run has raised, and RuntimeError if it has diverged or was stopped before it trained a row.
        """
        self.wait()
        saved = self.saved()
        if self._run.diverged():
            raise RuntimeError("the loss is not finite, or ended above its start: take a lower step, or leave it "
                               "out, and scale the columns")
        if saved is None:
            raise RuntimeError("the run was stopped before it trained a row")
        return Model(saved, self.record())

    def saved(self):
        """The engine's saved model, or None."""
        return self._run.saved()

    def record(self) -> Run:
        """The Run of a run that has ended."""
        return Run(json.loads(self._run.summary()), self.history, self._run.notes())


# A caller who gives one of these has asked for threads.
_OF_THREADS = ("workers", "team", "pin", "storage")


def _defaults(model, given):
    """Defaults that Python's users expect: a constant term if the model has one, and one worker, so that the same seed
    gives the same model."""
    threads = any(given.get(name) is not None for name in _OF_THREADS)
    facts = _facts_of(model)
    return {"engine": "threads" if threads else "serial", "bias": True if facts["takes_bias"] else None}


def _facts_of(model):
    """The engine's facts about a model; a loss compiled by Python is a linear model."""
    return _engine.facts_of_models().get(model, {"takes_bias": True, "input": "rows"})


# Models that cannot be trained on arrays, by the kind of their input, with the alternative.
_NOT_OF_ARRAYS = {
    "fields": "hogwild.sklearn.FFM takes arrays whose columns have fields, and hw.open(path, model={model!r}) libffm text",
    "ratings": "hw.MatrixFactorization takes a matrix of ratings, and hw.open(path, model={model!r}) a file of them",
    "corpus": "hw.Word2Vec takes sentences, or a corpus_file",
    "graph": "hw.open(path, model={model!r}) reads a graph",
}


def start(data: Dataset, model: str | Loss = "logistic", *, callback: Callable[[dict], Any] | None = None,
          initial: Model | None = None, **options: Any) -> Job:
    """Begins to train, and returns at once.

    Parameters
    ----------
    data : Dataset
    model : str or Loss
        One of models(), or a loss compiled by hogwild.loss.
    callback : callable, optional
        Called with a dict after each epoch, on the run's thread; the run ends if it returns something true.
    initial : Model, optional
        The model that the run begins with, for columns that both have.
    **options
        The options of `hogwild train`, with _ for -: epochs=10, step=0.1, l2=1e-4, engine="threads", workers=2, ... Two
        defaults differ: bias=True if the model takes one, and one worker trains, so that the same seed gives the same
        model. Give engine="threads" or workers for more.

    Returns
    -------
    Job
    """
    if not isinstance(data, Dataset):
        raise TypeError("data are a Dataset: hw.Dataset(X, y), or hw.open(path)")
    for option in ("help", "version", "quiet", "json"):
        if option in options:
            raise TypeError(f"{option!r} is for the command alone: run_ has what there is to tell")
    name, own = named(model)
    instead = _NOT_OF_ARRAYS.get(_facts_of(name)["input"])
    if data.path is None and instead is not None:
        raise ConfigError(f"the model {name} does not train on arrays: " + instead.format(model=name))
    options = {option: value for option, value in options.items() if value is not None}
    words = words_of({"model": name, **_defaults(name, options), **options})
    source = data.path or "the rows"
    return Job(data, words, None if initial is None else initial._saved, callback, source, own)


def train(data: Dataset, model: str | Loss = "logistic", *, callback: Callable[[dict], Any] | None = None,
          initial: Model | None = None, **options: Any) -> Model:
    """Trains and returns the Model: start() and Job.result(). Ctrl-C raises KeyboardInterrupt within 0.2 s."""
    return start(data, model, callback=callback, initial=initial, **options).result()


def tqdm(epochs: int | None = None, **options: Any) -> Callable[[dict], None]:
    """A callback that draws a bar of the epochs, with the package tqdm: train(..., callback=hw.tqdm(20)).

    `options` are those of tqdm.tqdm().
    """
    from tqdm.auto import tqdm as bar_of

    bar = bar_of(total=epochs, unit="epoch", **options)

    def told(epoch):
        bar.set_postfix(loss=f"{epoch['train_loss']:.4g}", refresh=False)
        bar.update(epoch["epoch"] - bar.n)
        if epochs is not None and epoch["epoch"] >= epochs:
            bar.close()

    return told


def load(path: str | os.PathLike) -> Model:
    """Reads a model written by Model.save() or `hogwild train --save`.

    The file tells whether columns count from 1, as in LIBSVM text, or from 0: the model predicts arrays either way.
    """
    return Model(_engine.Saved.load(os.fspath(path)))


def _is_raw(x):
    """Whether a tuple is (data, indices, indptr) of CSR rows, and not three dense rows."""
    if len(x) != 3 or not all(isinstance(a, np.ndarray) and a.ndim == 1 for a in x):
        return False
    value, index, row_start = x
    return (row_start.dtype.kind in "iu" and index.dtype.kind in "iu" and len(row_start) > 0
            and len(value) == len(index) == row_start[-1] and row_start[0] == 0)


class Model:
    """A trained model.

    It predicts anything that a Dataset is made of, or (data, indices, indptr), the arrays of CSR rows, which are
    fastest for single rows. Columns that the model has not seen count as 0.

    Attributes
    ----------
    run_ : Run or None
        How it was trained.
    name : str
        The model's name.
    classes_ : array or None
        The labels that it distinguishes, ascending.
    """

    def __init__(self, saved, run=None):
        self._saved, self.run_ = saved, run
        self._predictor = None
        labels = saved.labels
        self._classes = labels if len(labels) else None

    @property
    def name(self) -> str:
        return self._saved.model

    @property
    def classes_(self) -> np.ndarray | None:
        return self._classes

    def _rows(self, X):
        if isinstance(X, Dataset) and X.path is not None:
            raise TypeError("rows of a file are predicted by the command: python -m hogwild predict")
        if self._predictor is None:
            self._predictor = _engine.Predictor(self._saved)
        if isinstance(X, Dataset):
            if X._made_of is None:
                raise TypeError("a shuffled Dataset has its rows in another order: predict the arrays it was made of")
            X = X._made_of[0]
        elif isinstance(X, tuple) and _is_raw(X):
            value, index, row_start = map(np.ascontiguousarray, X)
            return self._predictor.csr(row_start, index, value, MOST_COLUMNS, "X")
        if isinstance(X, Csr):  # its columns have numbers of their own
            return self._predictor.csr(X.row_start, X.index, X.value, MOST_COLUMNS, "X")
        rows = table_of(X, wide=True).rows
        if isinstance(rows, Csr):
            return self._predictor.csr(rows.row_start, rows.index, rows.value, rows.shape[1], "X")
        return self._predictor.dense(rows.reshape(-1), *rows.shape, "X")

    def scores(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The model's score of each row: the margin for two labels, the number of the class, or the number."""
        rows = self._rows(X)
        return self._predictor.scores(rows, 1 if n_jobs is None else threads_of(n_jobs))

    def predict(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The predicted label of each row, in the encoding of the training data."""
        said = self.scores(X, n_jobs)
        classes = self.classes_
        if classes is None:
            return said
        number = (said > 0).astype(np.intp) if len(classes) == 2 and not self._scores_classes() else said.astype(np.intp)
        return classes[number]

    def _scores_classes(self):
        return self._predictor.scores_classes

    def class_scores(self, X: Any) -> np.ndarray:
        """A score for each class of each row, larger for more probable classes."""
        rows = self._rows(X)
        return self._predictor.class_scores(rows)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities, of the classes in their order. Raises AttributeError for a model that has none."""
        rows = self._rows(X)
        if not self._predictor.has_probabilities:
            raise AttributeError(f"a {self.name} model has no probabilities")
        told = self._predictor.probabilities(rows)
        return np.hstack([1.0 - told, told]) if told.shape[1] == 1 else told

    def save(self, path: str | os.PathLike) -> None:
        """Writes a file that the command can read: text if the name ends in .txt, else binary."""
        self._saved.save(os.fspath(path))

    def __reduce__(self):
        return _restored, (self._saved.bytes(), self.run_)

    def __repr__(self):
        return f"<Model {self.name}>"


def _restored(saved, run):
    return Model(_engine.Saved.parse(saved), run)
