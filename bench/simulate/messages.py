# SPDX-License-Identifier: Apache-2.0
"""The lengths of messages that describe the changes of rows."""
import math

SHORTEST_PREFIX = 512
BLOCK = 256
BINS = 8  # a band's columns are represented by so many shares


def ruler_prefix(turn):
    """Parameters that the turn-th exchange covers, from 1."""
    return SHORTEST_PREFIX * (turn & -turn)


def bytes_of_block(changed, number_bytes):
    """Bytes of a block of 256 numbers of which so many have changed: all numbers, a bit for each, or an index for each
    changed one, whichever is shortest."""
    if changed <= 0.0:
        return 0.0
    return 3 + min(BLOCK * number_bytes, BLOCK / 8 + changed * number_bytes, changed * (1 + number_bytes))


def changed_share(share, rows):
    """The share of columns that have changed after so many rows, if this share of the rows has them."""
    if share >= 1.0:
        return float(rows > 0)
    return -math.expm1(rows * math.log1p(-share))


class MessageLaw:
    """`bands`: stretches of columns, each with shares of the rows that have one of its columns."""

    def __init__(self, workload):
        self.number_bytes, self.scale, self.arrays = workload.number_bytes, workload.message_scale, workload.arrays
        self.bands = []  # (first, last, shares); a turn covers the bands up to its prefix
        first = 0
        while first < workload.parameters:
            last = min(max(2 * first, SHORTEST_PREFIX), workload.parameters)
            step = (last - first) / BINS
            shares = [workload.share_of_column(first + (i + 0.5) * step) for i in range(BINS)]
            self.bands.append((first, last, shares))
            first = last

    def covered(self, prefix):
        """How many bands a prefix covers, and how many parameters they have."""
        bands = sum(1 for first, _, _ in self.bands if first < prefix)
        return bands, self.bands[bands - 1][1]

    def band_bytes(self, band, rows):
        """Bytes of a band if so many rows were trained since it was last sent."""
        first, last, shares = self.bands[band]
        total = 0.0
        for share in shares:
            total += bytes_of_block(changed_share(share, rows) * BLOCK, self.number_bytes)
        return total * self.arrays * self.scale * (last - first) / BLOCK / len(shares)

    def changed_columns(self, rows):
        """The expected number of columns that have changed after so many rows."""
        return sum((last - first) / len(shares) * sum(changed_share(share, rows) for share in shares)
                   for first, last, shares in self.bands)

    def header_bytes(self, machines):
        return 64 + 8 * machines
