# SPDX-License-Identifier: Apache-2.0
"""Hogwild! 2011, figure 3: speed-up over one thread, by threads, on RCV1, Abdomen, DBLife."""
from papers import _hogwild

TITLE = "Hogwild!: speed-up by threads on RCV1, Abdomen, DBLife"
PRINTED = [("RCV1", 3, 1.5, 0.6), ("Abdomen", 4, 2, 0.5), ("DBLife", 9, 7, 5)]  # Hogwild!, AIG, RR: read off plots
CLAIMS = [claim for row in PRINTED for claim in _hogwild.speedup_claims(*row)]


def measure(x):
    _hogwild.speedups(x, [row[0] for row in PRINTED])
