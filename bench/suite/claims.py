# SPDX-License-Identifier: Apache-2.0
"""The claims of papers, and the measurements for which each counts as reproduced."""
import dataclasses
from typing import Any, Callable, Mapping, Sequence

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


def verdict(claim, figures, machine, others=0.0):
    """(verdict, why) by figures; `machine` as in a run record, `others`: the fraction of the CPUs' time that others
    used."""
    lacking = [name for name in claim.of if figures.get(name) is None]
    told = ", ".join(f"{name} {figures[name]:.4g}" if isinstance(figures[name], (int, float)) else
                     f"{name} {figures[name]}" for name in claim.of if name not in lacking)
    measured = f"; measured: {told}" if told else ""
    for need, key, what in ((claim.cores, "usable_cpus", "CPUs"), (claim.nodes, "numa_nodes", "memory nodes")):
        if machine[key] < need:
            return UNDECIDED, f"needs {need} {what}, has {machine[key]}{measured}"
    if claim.timed and others > MOST_BY_OTHERS:
        return UNDECIDED, (f"other programs took {others:.0%} of the CPUs' time, more than {MOST_BY_OTHERS:.0%}"
                           f"{measured}")
    if lacking:
        return UNDECIDED, f"not measured: {', '.join(lacking)}{measured}"
    try:
        held = claim.holds(figures)
    except Unavailable as reason:
        return UNDECIDED, f"{reason}{measured}"
    return REPRODUCED if held else CONTRADICTED, f"{claim.threshold}{measured}"
