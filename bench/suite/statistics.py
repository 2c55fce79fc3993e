# SPDX-License-Identifier: Apache-2.0
"""Statistics of runs: medians with intervals, and whether two sets of runs differ. Exact, for any distribution.

Times of runs are skewed and have outliers, so everything here uses ranks. Figures are positive; a run that did not
reach the target counts as math.inf, which ranks handle.
"""
import dataclasses
import functools
import math
import statistics

CONFIDENCE = 0.95
P = 0.002  # a difference counts below this, after correction for the number of lines
EFFECT = 1.05  # and from this ratio on


def median(values):
    return statistics.median(values)


def interval(values):
    """Median and its 95 % interval, as in a bench record; None without values or without a finite median.

    The interval reaches from the k-th smallest to the k-th largest value: of n values, fewer than k lie below the true
    median with the probability of fewer than k heads in n tosses. Fewer than six values do not reach 95 %, see
    coverage(): low and high are None then.
    """
    if not values or not math.isfinite(median(values)):
        return None
    ordered, n, k = sorted(values), len(values), 0
    while 2 * _fewer_heads(n, k + 1) <= 1 - CONFIDENCE:
        k += 1
    low, high = (ordered[k - 1], ordered[n - k]) if k else (None, None)
    return {"median": median(values), "low": low, "high": high if k and math.isfinite(high) else None, "runs": n}


def coverage(runs):
    """Coverage of the interval from the smallest to the largest of so many values: 0.5 of 2, 0.94 of 5, 0.97 of 6."""
    return 1 - 2.0 ** (1 - runs)


@dataclasses.dataclass(frozen=True)
class Difference:
    """How B differs from A. `low` and `high` bound the ratio with 95 %; None if there are too few runs."""
    ratio: float  # of B to A: Hodges and Lehmann's estimate on logarithms
    low: float | None
    high: float | None
    p: float
    least_p: float  # the smallest p that so many runs can reach


BLOCK = 8  # at least so many turns


def in_turns(a, b):
    """Compares runs in turns, the i-th of A with the i-th of B, within blocks of consecutive turns.

    Effects of the machine that last longer than a block affect A and B alike, and do not count as spread. Blocks have
    eight turns or more and not two, as in a test of signed ranks, because one disturbed run then has the highest rank
    of all.
    """
    number = max(1, len(a) // BLOCK)
    ends = [len(a) * i // number for i in range(number + 1)]
    return difference([(a[i:j], b[i:j]) for i, j in zip(ends, ends[1:])])


def difference(blocks):
    """Compares the runs of A and of B within each block: Mann and Whitney's test, with its sums added up over the
    blocks; exact with ties. One block: runs of different calls."""
    width = sum(len(a) + len(b) for a, b in blocks) // 8 + 1
    ties, free, at, least = 1, 1, 0, 0
    for a, b in blocks:
        ranks = _doubled_ranks([*a, *b])
        ties *= _subsets(tuple(sorted(ranks)), len(b), width)
        free *= _subsets(tuple(range(2, 2 * len(ranks) + 1, 2)), len(b), width)
        at += sum(ranks[len(a):])
        least += len(b) * (len(b) + 1)
    counts, untied = _coefficients(ties, width), _coefficients(free, width)[least::2]
    p = min(1.0, 2 * min(sum(counts[:at + 1]), sum(counts[at:])) / sum(counts))
    # The number of pairs below a shift is distributed as the test's sum: its quantiles bound the shift.
    shifts, k, below = sorted(_log_ratio(x, y) for a, b in blocks for x in a for y in b), 0, 0
    while 2 * (below := below + untied[k]) <= (1 - CONFIDENCE) * sum(untied):
        k += 1
    low, high = (math.exp(shifts[k - 1]), math.exp(shifts[-k])) if k else (None, None)
    middle = statistics.median_low(shifts), statistics.median_high(shifts)
    return Difference(math.exp(0.0 if middle[0] == -middle[1] else sum(middle) / 2), low, high, p,
                      min(1.0, 2 * untied[0] / sum(untied)))


def corrected(ps):
    """Holm's correction: the corrected p values of a family that is tested together."""
    result, before = [0.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        before = result[i] = max(before, min(1.0, (len(ps) - rank) * ps[i]))
    return result


def runs_needed(lines):
    """The fewest runs on each side with which a difference can reach P after correction for so many lines."""
    runs = 1
    while lines * 2 / math.comb(2 * runs, runs) >= P:
        runs += 1
    return runs


def _fewer_heads(n, k):
    return sum(math.comb(n, i) for i in range(k)) / 2.0 ** n if 2 * k <= n else 1.0


def _log_ratio(x, y):
    if x == y:  # also two that did not reach the target
        return 0.0
    return math.inf if y == math.inf else -math.inf if x == math.inf else math.log(y / x)


def _doubled_ranks(values):
    """Twice the rank of each value; equal values share the mean of theirs, and doubled ranks are whole numbers."""
    ordered = sorted(values)
    first = {x: i for i, x in reversed(list(enumerate(ordered)))}
    last = {x: i for i, x in enumerate(ordered)}
    return [first[x] + last[x] + 2 for x in values]


@functools.lru_cache(maxsize=64)
def _subsets(ranks, size, width):
    """The number of subsets of `size` ranks for each sum, as a polynomial: its coefficients are `width` bytes each of
    one large number, so that adding a rank is one shift of it, and adding a block one product."""
    polynomials = [1] + [0] * size
    for rank in ranks:
        for k in range(size, 0, -1):
            polynomials[k] += polynomials[k - 1] << (8 * width * rank)
    return polynomials[size]


@functools.lru_cache(maxsize=64)
def _coefficients(polynomial, width):
    text = polynomial.to_bytes(polynomial.bit_length() // 8 + 1 + width, "little")
    return [int.from_bytes(text[i:i + width], "little") for i in range(0, len(text), width)]
