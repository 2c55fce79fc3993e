# SPDX-License-Identifier: Apache-2.0
"""The claims of papers, and the measurements for which each counts as reproduced."""
import dataclasses
import itertools
import math
from typing import Any, Callable, Mapping, Sequence

from suite.figures import told
from suite.terms import Unavailable

REPRODUCED, CONTRADICTED, UNDECIDED = "reproduced", "contradicted", "not decidable here"


@dataclasses.dataclass(frozen=True)
class Claim:
    """One claim of a paper. `holds` decides by measured figures alone; `threshold` says the same in words.

    `of` names the figures that it needs: if one is missing, or the machine has fewer than `cores` CPUs or `nodes`
    memory nodes, nothing is decided. `holds` may raise Unavailable with a reason why these figures decide nothing.
    """
    text: str
    threshold: str
    of: Sequence[str]
    holds: Callable[[Mapping[str, Any]], bool]
    cores: int = 1
    nodes: int = 1
    timed: bool = False  # decided by seconds, which tell nothing if others use the CPUs


MOST_BY_OTHERS = 0.1  # of the CPUs' time


def verdict(claim, figures, machine, others=0.0, skipped=()):
    """(verdict, why) by figures; `machine` as in a run record, `others`: the fraction of the CPUs' time that others
    used, `skipped`: (what was left out, the reason), with None for everything."""
    lacking = [name for name in claim.of if figures.get(name) is None]
    shown = ", ".join(f"{name} {told(figures[name])}" for name in claim.of if name not in lacking)
    measured = f"; measured: {shown}" if shown else ""
    open_for = []
    if lacking:
        reasons = dict.fromkeys(reason for what, reason in skipped
                                if what is None or any(name.startswith(f"{what},") for name in lacking))
        open_for.append(f"not measured: {', '.join(lacking)}" + "".join(f" ({reason})" for reason in reasons))
    for need, key, what in ((claim.cores, "usable_cpus", "CPUs"), (claim.nodes, "numa_nodes", "memory nodes")):
        if machine[key] < need:
            open_for.append(f"needs {need} {what}, has {machine[key]}")
    if not open_for and claim.timed and others > MOST_BY_OTHERS:
        open_for.append(f"other programs took {others:.0%} of the CPUs' time, more than {MOST_BY_OTHERS:.0%}")
    if not open_for:
        try:
            held = _held(claim, figures)
        except Unavailable as reason:
            open_for.append(str(reason))
    if open_for:
        return UNDECIDED, "; ".join(open_for) + measured
    return REPRODUCED if held else CONTRADICTED, f"{claim.threshold}{measured}"


def _held(claim, figures):
    """Whether a claim holds; Unavailable if a figure that is a bound leaves it open: it could be anything beyond."""
    ends = {name: (figures[name], {"at least": math.inf, "at most": 0.0}[bound]) for name in claim.of
            if (bound := getattr(figures[name], "bound", ""))}
    found = {claim.holds({**figures, **dict(zip(ends, values))}) for values in itertools.product(*ends.values())}
    if len(found) > 1:
        raise Unavailable(f"a bound does not decide whether it is {claim.threshold}")
    return found.pop()
