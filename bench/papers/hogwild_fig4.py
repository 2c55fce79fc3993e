# SPDX-License-Identifier: Apache-2.0
"""Hogwild! 2011, figure 4: speed-up over one thread, by threads, on Netflix, KDD, Jumbo."""
from papers import _hogwild

TITLE = "Hogwild!: speed-up by threads on Netflix, KDD, Jumbo"
PRINTED = [("Netflix", 4.5, 2, 0.4), ("KDD", 5, 2.5, 0.5), ("Jumbo", 6, 3.5, None)]  # Hogwild!, AIG, RR: read off plots
CLAIMS = [claim for row in PRINTED for claim in _hogwild.speedup_claims(*row)]


def measure(x):
    _hogwild.speedups(x, [row[0] for row in PRINTED])
