# SPDX-License-Identifier: Apache-2.0
"""The common part of classes that train models of their own."""
import inspect

from . import _engine
from ._engine import ConfigError
from ._train import Job, said_here, words_of, workers_of


class Parameters:
    """The parameters of __init__(), as scikit-learn's estimators have them."""

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
        return f"{type(self).__name__}({', '.join(told)})"

    def _require_fitted(self, attribute, call):
        if hasattr(self, attribute):
            return
        try:
            from sklearn.exceptions import NotFittedError as fault
        except ImportError:
            fault = AttributeError
        raise fault(f"this {type(self).__name__} is not fitted yet: call {call} first")


def workers_of_threads(num_threads):
    """The engine and its workers for a number of threads; 0: as many as this process may use."""
    return workers_of(None if num_threads == 1 else -1 if num_threads == 0 else num_threads, "num_threads")


def trained(rows, options, take, terms, initial=None, callback=None, source="the rows"):
    """Trains on a Dataset. Returns take(job), once the run has ended, the Run, and what a signal's handler raised
    meanwhile, or None. `terms`: the names that options have for the caller, {option: name}."""
    try:
        job = Job(rows, words_of(options), initial, callback, source)
        interrupt = job._interrupted()
        try:
            made, run = take(job), job.record()
        except _engine.Error:
            if interrupt is None:
                raise
            raise interrupt from None
    except ConfigError as fault:
        raise said_here(fault, terms) from None
    if made is None or run["status"] == "diverged":
        rate = terms.get("step", "step")
        raise interrupt or ValueError(f"the loss is not finite, or ended above its start: take a lower {rate}")
    return made, run, interrupt
