# SPDX-License-Identifier: Apache-2.0
"""How fast machines train their rows."""
import math
import random

STRETCH = 256  # rows for which a machine's pace is constant, if paces are drawn


class Pace:
    """The factor by which a row takes longer than planned, on each machine.

    constant           no longer
    slow:FACTOR        the last machine is slower by this factor, always
    lognormal:SIGMA    each machine draws a factor for every 256 rows: mean 1, standard deviation of the logarithm SIGMA
    """

    def __init__(self, law, machines, seed=1):
        kind, _, number = law.partition(":")
        try:
            self.value = float(number) if number else 0.0
        except ValueError:
            self.value = -1.0
        good = {"constant": not number, "slow": self.value >= 1.0, "lognormal": 0.0 <= self.value and number != ""}
        if not good.get(kind, False) or not math.isfinite(self.value):
            raise ValueError(f"'{law}' is none of constant, slow:FACTOR (from 1), lognormal:SIGMA (from 0)")
        self.kind, self.machines = kind, machines
        self.random = [random.Random(f"{seed} {machine}") for machine in range(machines)]

    def factor(self, machine):
        """The machine's factor for the next stretch of rows."""
        if self.kind == "slow":
            return self.value if machine == self.machines - 1 else 1.0
        if self.kind == "lognormal":
            return self.random[machine].lognormvariate(-self.value * self.value / 2, self.value)
        return 1.0


def shard_rows(rows, machine, machines):
    """Rows of one machine; each row belongs to exactly one."""
    return rows * (machine + 1) // machines - rows * machine // machines


class Trainer:
    """A machine that trains row after row, from when it is told to until it is stopped or has finished a pass."""

    def __init__(self, machine, rows, row_seconds, pace):
        self.machine, self.rows, self.row_seconds, self.pace = machine, rows, row_seconds, pace
        self.now = 0.0
        self.trained = 0.0  # in this epoch; a partly trained row counts by its part
        self.left = 0.0  # in this pass
        self._stretch_left, self._factor = 0.0, 1.0

    def begin_pass(self, at):
        self.now = max(self.now, at)
        self.left = float(self.rows)

    def open_epoch(self, at):
        self.trained = 0.0
        self.now = at
        self.begin_pass(at)

    def _seconds_a_row(self):
        if self._stretch_left <= 1e-9:
            self._stretch_left, self._factor = float(STRETCH), self.pace.factor(self.machine)
        return self.row_seconds * self._factor

    def _train(self, rows, seconds_a_row):
        self.trained += rows
        self.left -= rows
        self._stretch_left -= rows
        self.now += rows * seconds_a_row

    def train_until(self, at):
        """Trains until this time, or until the pass is finished; the rest of the time is idle."""
        while self.now < at and self.left > 1e-9:
            each = self._seconds_a_row()
            self._train(min((at - self.now) / each, self.left, self._stretch_left), each)
        self.now = max(self.now, at)

    def train_rows(self, rows):
        """Trains so many rows, or the rest of the pass; returns how many."""
        rows = wanted = min(rows, self.left)
        while rows > 1e-9:
            each = self._seconds_a_row()
            some = min(rows, self._stretch_left)
            self._train(some, each)
            rows -= some
        return wanted

    def pause_until(self, at):
        """Passes the time until then without training: the CPU does other work."""
        self.now = max(self.now, at)

    def expected_at(self, at):
        """Rows trained by then at the present pace; nothing changes."""
        return self.trained + min(max(0.0, at - self.now) / (self.row_seconds * self._factor), self.left)

    @property
    def finished(self):
        return self.left <= 1e-9
