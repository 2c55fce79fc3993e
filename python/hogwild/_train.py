# SPDX-License-Identifier: Apache-2.0
"""Trains any model of the engine, and returns the result."""
from __future__ import annotations

import atexit
import difflib
import functools
import json
import numbers
import os
import re
import sys
import textwrap
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _engine, _onnx
from ._arrays import MOST_COLUMNS, Csr, single, table_of
from ._data import Dataset
from ._engine import ConfigError, Note
from ._loss import Loss
from ._record import Run


@functools.cache
def _known_options():
    """The options of a run by name, each with its help; empty for those that Python refuses."""
    return _engine.option_texts()


# Names that other packages have for options.
_ELSEWHERE = {"lr": "step", "learning_rate": "step", "eta0": "step", "alpha": "l2", "C": "l2", "penalty": "l2 and l1",
              "n_epochs": "epochs", "max_iter": "epochs", "tol": "tolerance", "n_jobs": "workers", "threads": "workers",
              "batch_size": "batch", "random_state": "seed", "fit_intercept": "bias", "class_weight": "class_weights",
              "shuffle": "order, and shuffle of hw.Dataset", "early_stopping": "validation and patience",
              "loss": "the model, hw.train(data, 'hinge_svm')", "sample_weight": "weight of hw.Dataset"}


def words_of(options):
    """Converts Python options to words of the command, which defines their meaning; None means not given. Raises
    ConfigError for a name that is no option, whatever its value."""
    words = []
    for name, value in options.items():
        if name not in _known_options():
            near = difflib.get_close_matches(name, _known_options(), 1, 0.75)
            hint = _ELSEWHERE.get(name) or (near[0] if near else "")
            raise ConfigError(f"there is no option {name!r}: " + (
                f"take {hint}" if hint else "those of `hogwild train` are options here, with _ for -"))
        if value is None:
            continue
        text = ",".join(map(_word, value)) if isinstance(value, (list, tuple)) else _word(value)
        if not text:
            raise ConfigError(f"{name}={value!r} says nothing: leave it out, or give a value")
        words.append("--" + name.replace("_", "-") + "=" + text)
    return words


def _word(value):
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()  # any other option than a flag refuses it
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def note_here(note):
    """A note of the engine, with options as they are called here."""
    return re.sub(r"(?<![\w-])--([a-z][a-z0-9-]*)", lambda option: option[1].replace("-", "_"),
                  note.replace("--scale max_abs", "scale='max_abs'"))


def said_here(fault, terms):
    """The same error, with the names that the engine's options have here: {option: name}."""
    said = [f"{option} is {here} here" for option, here in terms.items() if re.search(rf"\b{option}\b", str(fault))]
    return ConfigError(f"{fault} ({', '.join(said)})" if said else str(fault))


def outside():
    """The stacklevel of the first caller outside of this package, for warnings.warn()."""
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "hogwild":
        frame, level = frame.f_back, level + 1
    return level


def named(model):
    """The name of a model, and the object that makes it if Python has compiled it."""
    return ("own_loss", model._own) if isinstance(model, Loss) else (model, None)


def keep_parameters(of, given):
    """For __init__ with locals(): makes each parameter an attribute of the same name, as scikit-learn expects."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(of, name, value)


def workers_of(n_jobs, name="n_jobs"):
    """The engine and its workers for scikit-learn's n_jobs: None and 1 mean one worker, -1 as many as the process may
    use."""
    threads = threads_of(n_jobs, name)
    return {"engine": "serial"} if n_jobs is None or n_jobs == 1 else {"engine": "threads", "workers": threads}


def threads_of(n_jobs, name="n_jobs"):
    """The number of threads for scikit-learn's n_jobs; -1: as many as the affinity mask and the control group grant."""
    who = 1 if n_jobs is None else n_jobs
    if not isinstance(who, numbers.Integral) or isinstance(who, bool) or who == 0:
        raise ValueError(f"{name}={n_jobs!r} has no meaning: give a whole number of workers, or -1 for as many as "
                         "there are CPUs")
    return int(who) if who > 0 else max(1, _engine.default_workers() + 1 + int(who))


def models() -> dict[str, str]:
    """The names of all models, and what each learns."""
    return {name: facts["summary"] for name, facts in _engine.facts_of_models().items()}


# Notes on how a run is carried out, which estimators leave in run_.notes: their n_jobs is a limit, and their fits are
# ordinary ones on sound data.
_HOW = ("workers that were asked for", "the models are trained one by one", "goes on with the state of",
        "parameters from the word vectors")

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

    def __init__(self, data, words, initial=None, callback=None, source="the rows", own=None, note=note_here,
                 told_how=False):
        self._data, self._note, self._told_how, self._warned = data, note, told_how, False
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
        """Waits until the run has ended, for at most `timeout` seconds. Returns whether it has; the notes of a run that
        has ended then become warnings of the category hogwild.Note, once.

        Signals are handled meanwhile: Ctrl-C stops the run and raises KeyboardInterrupt, and result() returns what was
        trained until then.
        """
        if timeout is not None and not isinstance(timeout, numbers.Real):
            raise TypeError(f"timeout={timeout!r}: it is a number of seconds, or None")
        raised = self._run.wait(timeout)
        if raised is not None:
            raise raised
        if self._run.running:
            return False
        if not self._warned:
            self._warned = True
            for note in self._notes():
                if not self._told_how and any(words in note for words in _HOW):
                    continue
                warnings.warn(note, Note, stacklevel=outside())
        return True

    def _notes(self):
        return [self._note(note) for note in self._run.notes()]

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
        return Run(json.loads(self._run.summary()), self.history, self._notes())


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


_OF_THE_COMMAND = ("help", "version", "quiet", "json")

# Models that cannot be trained on arrays, by the kind of their input, with the alternative.
_NOT_OF_ARRAYS = {
    "fields": "hogwild.sklearn.FFM takes arrays whose columns have fields, and hw.open(path, model={model!r}) libffm text",
    "ratings": "hw.MatrixFactorization takes a matrix of ratings, and hw.open(path, model={model!r}) a file of them",
    "corpus": "hw.Word2Vec takes sentences, or a corpus_file",
    "graph": "hw.open(path, model={model!r}) reads a graph",
    "edges": "hogwild.graph has classes that take edges",
    "pairs": "hogwild.recommend has classes that take a matrix of pairs, and hw.open(path, model={model!r}) reads them",
    "triples": "hogwild.kg has classes that take triples, and hw.open(path, model={model!r}) reads them",
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
        OPTIONS

    Returns
    -------
    Job
    """
    if not isinstance(data, Dataset):
        raise TypeError("data are a Dataset: hw.Dataset(X, y), or hw.open(path)")
    for option in _OF_THE_COMMAND:
        if option in options:
            raise TypeError(f"{option!r} is for the command alone: run_ has what there is to tell")
    name, own = named(model)
    instead = _NOT_OF_ARRAYS.get(_facts_of(name)["input"])
    if data._of_arrays and instead is not None:
        raise ConfigError(f"the model {name} does not train on arrays: " + instead.format(model=name))
    if initial is not None and not isinstance(initial, Model):
        raise TypeError(f"initial={initial!r}: it is a Model, hw.load(path) or one that hw.train has returned")
    defaults = {option: value for option, value in _defaults(name, options).items() if options.get(option) is None}
    words = words_of({"model": name, **options, **defaults})
    source = data.path or "the rows"
    return Job(data, words, None if initial is None else initial._saved, callback, source, own, told_how=True)


def _list_of_options():
    wrap = functools.partial(textwrap.fill, width=120, initial_indent=8 * " ", subsequent_indent=12 * " ")
    return "\n".join(wrap(f"{name}: {text}") for name, text in _known_options().items()
                     if text and name not in _OF_THE_COMMAND)


if start.__doc__:  # python -OO has none
    start.__doc__ = start.__doc__.replace("        OPTIONS\n", "\n" + _list_of_options() + "\n")


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
        The labels that it distinguishes, ascending; strings if labels of a file are words.
    """

    def __init__(self, saved, run=None):
        self._saved, self.run_ = saved, run
        self._predictor = None
        labels = np.array(saved.label_names) if saved.label_names else saved.labels
        self._classes = labels if len(labels) else None

    @property
    def name(self) -> str:
        return self._saved.model

    @property
    def classes_(self) -> np.ndarray | None:
        return self._classes

    def _rows(self, X):
        if self._saved.schema:
            raise TypeError("this model knows the columns of a table by their names, and arrays have none: write the rows "
                            "to a table, and predict them by the command: python -m hogwild predict")
        if isinstance(X, Dataset) and not X._of_arrays:
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
        rows = rows if rows.flags.c_contiguous else single(rows)
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
        if len(classes) == 2 and not self._scores_classes():
            return classes[self._predictor.larger(said).astype(np.intp)]
        return classes[said.astype(np.intp)]

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

    def export(self, path: str | os.PathLike, form: str | None = None) -> None:
        """Writes a file for other programs, as `hogwild convert` does: its extension says the form, or `form`, one of
        "liblinear", "vw", "json", "csv", "cpp" and "fasttext". Raises ConfigError for a model that the form cannot hold."""
        _engine.export_to(self._saved, os.fspath(path), form or "")

    def to_onnx(self, path: str | os.PathLike | None = None, features: int | None = None) -> Any:
        """A linear model, softmax or factorization machine as an onnx.ModelProto, also written to `path` if there is one.

        Its input is X, (N, features) of float32; without `features` as many as the model has weights for. For numbers
        the output is "prediction", (N,). For classes the outputs are "label", (N,), "scores", and if the model has them
        "probabilities", (N, classes). Needs the package onnx. Raises ConfigError for other models.
        """
        return _onnx.to_onnx(_onnx.formula_of(self._saved, self.classes_, features), path)

    def __reduce__(self):
        return _restored, (self._saved.bytes(), self.run_)

    def __repr__(self):
        return f"<Model {self.name}>"


def _restored(saved, run):
    return Model(_engine.Saved.parse(saved), run)
