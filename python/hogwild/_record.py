# SPDX-License-Identifier: Apache-2.0
"""The record of a run, besides its model."""
from __future__ import annotations

import html
from collections.abc import Mapping

_SHOWN = ("status", "model", "engine", "workers", "epochs", "step", "l2", "l1", "train_loss", "objective", "gap",
          "validation_loss", "validation_accuracy", "train_seconds", "wall_seconds")


def _text(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class Run(Mapping):
    """The record of a run: what `hogwild train --json` prints, as a mapping and as attributes.

    Attributes
    ----------
    history : list of dict
        One for each epoch: epoch, train_seconds, examples, step, train_loss, objective, and with validation rows
        validation_loss and similar.
    notes : list of str
        Notes made during the run.
    """

    def __init__(self, summary, history=(), notes=()):
        self._summary, self.history, self.notes = dict(summary), list(history), list(notes)

    def __getitem__(self, key):
        return self._summary[key]

    def __iter__(self):
        return iter(self._summary)

    def __len__(self):
        return len(self._summary)

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._summary:
            raise AttributeError(f"the run has no {name!r}; it has {', '.join(self.__dict__.get('_summary', ()))}")
        return self._summary[name]

    def _lines(self):
        return [(key, _text(self[key])) for key in _SHOWN if key in self]

    def __repr__(self):
        return "Run(" + ", ".join(f"{key}={value}" for key, value in self._lines()) + ")"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(key)}</th><td>{html.escape(value)}</td></tr>"
                       for key, value in self._lines())
        return f"<table>{rows}</table>"

    def plot(self, ax=None):
        """Draws the losses over the epochs, with matplotlib. Returns the axes."""
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        epochs = [e["epoch"] for e in self.history]
        for key, label in (("train_loss", "training"), ("validation_loss", "validation")):
            if self.history and all(key in e for e in self.history):
                ax.plot(epochs, [e[key] for e in self.history], marker="o", label=label)
        ax.set_xlabel("epoch")
        ax.set_ylabel("mean loss")
        if epochs:
            ax.legend()
        return ax
