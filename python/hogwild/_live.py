# SPDX-License-Identifier: Apache-2.0
"""The parameters of a run that trains, read from another process."""
from __future__ import annotations

import numpy as np

from . import _engine
from ._train import Model


class LiveParameters:
    """Parameters of a run of this machine and this user that has a segment: attach() returns one.

    Reading never disturbs the run. Each value is one that the run had at some instant between the two counts of rows in
    `age`; they are not of one instant.

    Attributes
    ----------
    values : float32 ndarray
        What was read last: true parameters by ascending numbers of columns, of linear models w itself and the constant
        term last. A copy.
    columns : uint32 ndarray
        These numbers, from 0 for arrays.
    age : dict
        epoch, round, rows_before, rows_after, seconds.
    state : str
        training, ended or killed: now.
    model_name, name : str
    """

    def __init__(self, name):
        self._live, self.name = _engine.Live(name), name

    def read(self, timeout: float = 0.1) -> bool:
        """Reads what they are now. False where that was not possible for `timeout` seconds; the last ones stay then."""
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
        """What was read last as a Model, of linear models: it predicts arrays, whatever the columns count from."""
        return Model(self._live.model())

    def __repr__(self):
        return f"<LiveParameters {self.name}: {self.model_name}, {self.state}>"


def attach(name: str) -> LiveParameters:
    """Maps the segment of a run, that was started with segment=name, and reads its parameters.

    Waits up to a second for a run that is about to begin. Raises ResourceError for a name that leads to no run.
    """
    return LiveParameters(name)
