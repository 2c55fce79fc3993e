# SPDX-License-Identifier: Apache-2.0
"""Figures of a paper's runs: medians over the seeds with the least and the largest, quotients of them, and bounds."""
import math
import statistics


class Figure(float):
    """A number with the least and the largest that the seeds allow; or a bound, if `bound` is "at least" or
    "at most": where a run did not arrive it is only known what it needs at least."""

    def __new__(cls, value, low=None, high=None, bound=""):
        self = super().__new__(cls, value)
        self.low, self.high, self.bound = (value if low is None else low), (value if high is None else high), bound
        return self

    def __mul__(self, factor):
        return Figure(float(self) * factor, self.low * factor, self.high * factor, self.bound)


def over(values):
    """The median of values, a Figure."""
    return Figure(statistics.median(values), min(values), max(values))


def ratio(above, below):
    """A quotient, a Figure; None if a part is None, the lower one is 0, or both are bounds. Its ends are the quotients
    of the parts' ends: these are above 0."""
    if above is None or not below:
        return None
    a, b = (x if isinstance(x, Figure) else Figure(x) for x in (above, below))
    if a.bound and b.bound:
        return None
    bound = a.bound or {"at least": "at most", "at most": "at least", "": ""}[b.bound]
    return Figure(a / b, a.low / b.high, a.high / b.low if b.low else math.inf, bound)


def difference(a, b):
    """A difference, a Figure; None if a part is None."""
    return None if None in (a, b) else Figure(a - b, a.low - b.high, a.high - b.low)


def told(value):
    """A figure as text, with its interval if it has one."""
    if value is None or not isinstance(value, (int, float)):
        return "not measured" if value is None else str(value)
    if bound := getattr(value, "bound", ""):
        return f"{bound} {value:.4g}"
    low, high = getattr(value, "low", value), getattr(value, "high", value)
    return f"{value:.4g}" + (f" [{low:.4g}, {high:.4g}]" if low < high else "")


def recorded(value):
    """A figure as in a record: a bound is text, so that nobody takes it for a measurement."""
    return told(value) if getattr(value, "bound", "") else value
