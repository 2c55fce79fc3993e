# SPDX-License-Identifier: Apache-2.0
"""Losses defined in Python, compiled by numba into the engine's loops."""
from __future__ import annotations

import functools
from collections.abc import Callable

from . import _engine


class Loss:
    """A function compiled by @hogwild.loss; it can still be called.

    Attributes
    ----------
    labels : {'binary', 'numbers'}
        The kind of labels that it supports.
    """

    def __init__(self, function, labels="binary"):
        if labels not in ("binary", "numbers"):
            raise ValueError(f"labels={labels!r} should be 'binary', for labels that it gets as -1 and 1, or 'numbers'")
        self.function, self.labels = function, labels
        functools.update_wrapper(self, function)
        compiled = _compiled(function)  # these must stay alive as long as anybody trains with them
        self._own = _engine.OwnLoss(function.__name__, [each.address for each in compiled], labels == "numbers",
                                    compiled)

    def __call__(self, margin, label):
        return self.function(margin, label)

    def __repr__(self):
        return f"<loss {self.__name__} of {self.labels}>"

    def __deepcopy__(self, memo):
        return self  # it is immutable

    def __reduce__(self):
        return self.__qualname__  # pickles by the name under which it is imported, as functions do


def loss(function: Callable | None = None, *, labels: str = "binary"):
    """Compiles `(margin, label) -> (loss, derivative)` into a loss that the engine trains with.

    Parameters
    ----------
    function : callable
        Takes two numbers, the margin w.x + b and the label, and returns the loss and its derivative with respect to the
        margin. May use what numba compiles: arithmetic, `if`, `math`, numpy's functions of numbers. Must not raise.
    labels : {'binary', 'numbers'}, default='binary'
        binary: two labels, which the function gets as -1 and 1 (the larger one). numbers: any numbers, unchanged.

    Returns
    -------
    Loss
        For hogwild.train(data, loss) and for `loss=` of SGDClassifier (binary) and SGDRegressor (numbers).

    Raises
    ------
    ImportError
        Without numba.
    TypeError
        For a function that numba cannot compile.
    ConfigError
        The derivative is not that of the loss. Binary losses are checked now, others when they are trained.

    Examples
    --------
    >>> @hw.loss
    ... def squared_hinge(margin, label):
    ...     gap = max(0.0, 1.0 - margin * label)
    ...     return gap * gap, -2.0 * label * gap
    """
    if function is None:
        return functools.partial(loss, labels=labels)
    if not callable(function):
        raise TypeError("a loss is a function of a margin and a label")
    return Loss(function, labels)


def _compiled(function):
    """C functions (margin, label) for the derivative and the loss, and (rows, margins, labels, results) for both."""
    try:
        import numba
    except ImportError:
        raise ImportError("hogwild.loss compiles by numba: pip install numba") from None
    from numba import carray, cfunc, types

    of_row = numba.njit(error_model="numpy")(function)
    floats = types.CPointer(types.float32)

    def slope(margin, label):
        return numba.float32(of_row(margin, label)[1])

    def loss_of_row(margin, label):
        return numba.float64(of_row(numba.float64(margin), numba.float64(label))[0])

    def slopes(n, margins, labels, results):
        margin, label, result = carray(margins, n), carray(labels, n), carray(results, n)
        for i in range(n):
            result[i] = numba.float32(of_row(margin[i], label[i])[1])

    def losses(n, margins, labels, results):
        margin, label, result = carray(margins, n), carray(labels, n), carray(results, n)
        for i in range(n):
            result[i] = of_row(numba.float64(margin[i]), numba.float64(label[i]))[0]

    def row(function, result):
        return cfunc(result(types.float32, types.float32), error_model="numpy")(function)

    def rows(loop, result):
        return cfunc(types.void(types.uintp, floats, floats, types.CPointer(result)), error_model="numpy")(loop)

    try:
        return (row(slope, types.float32), row(loss_of_row, types.float64), rows(slopes, types.float32),
                rows(losses, types.float64))
    except numba.core.errors.NumbaError as error:
        reason = str(error).strip().split("\n\n")[-1].strip() or str(error)
        raise TypeError(f"numba cannot compile the loss {function.__name__}, which returns two numbers, the loss and "
                        f"its derivative: {reason}") from error
