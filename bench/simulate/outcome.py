# SPDX-License-Identifier: Apache-2.0
"""The result of a simulated run."""
import dataclasses


@dataclasses.dataclass
class Outcome:
    """Means over the simulated epochs; bytes and exchanges of one machine."""
    machines: int
    epoch_seconds: float
    exchanges: float
    bytes_sent: float
    rows_trained: float
    staleness_p50: float  # rows of other machines that a machine has not seen, at a random moment
    staleness_p99: float


def quantile(values, fraction):
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]
