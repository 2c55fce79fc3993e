# SPDX-License-Identifier: Apache-2.0
"""Reads the parameters of a run in progress from another process."""
from __future__ import annotations

import numpy as np

from . import _engine
from ._train import Model


class LiveParameters:
    """Parameters of a run with a segment, by this user on this machine; attach() returns one.

    Reading never disturbs the run. Each value is one that the run had at some instant between the two counts of rows in
    `age`; the values are not of a single instant.

    Attributes
    ----------
    values : float32 ndarray
        A copy of the values read last: the actual parameters by ascending numbers of columns, for linear models w
        itself with the constant term last.
    columns : uint32 ndarray
        The numbers of the columns, from 0 for arrays.
    age : dict
        epoch, round, rows_before, rows_after, seconds.
    state : str
        The state now: training, ended or killed.
    model_name, name : str
    """

    def __init__(self, name):
        if not isinstance(name, str):
            raise TypeError(f"name={name!r}: it is the str that the run was started with as its segment")
        self._live, self.name = _engine.Live(name), name

    def read(self, timeout: float = 0.1) -> bool:
        """Reads the current values. If that is not possible for `timeout` seconds, keeps the last and returns False."""
        return self._live.read(timeout)

    @property
    def values(self) -> np.ndarray:
        return self._live.values()

    @property
    def columns(self) -> np.ndarray:
        return self._live.columns()

    @property
    def age(self) -> dict:
        return self._live.age()

    @property
    def state(self) -> str:
        return self._live.state()

    @property
    def model_name(self) -> str:
        return self._live.model_name()

    def model(self) -> Model:
        """The values read last as a Model, for linear models; it predicts arrays, whether the run's columns count from
        0 or 1."""
        return Model(self._live.model())

    def __repr__(self):
        return f"<LiveParameters {self.name}: {self.model_name}, {self.state}>"


def attach(name: str) -> LiveParameters:
    """Maps the segment of a run that was started with segment=name, and reads its parameters.

    Waits up to a second for a run that is about to begin. Raises ResourceError if there is no run of this name.
    """
    return LiveParameters(name)
