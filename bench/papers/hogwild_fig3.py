# SPDX-License-Identifier: Apache-2.0
"""Hogwild! 2011, figure 3: speed-up over one thread, by threads, on RCV1, Abdomen, DBLife."""
from papers import _hogwild
from suite.claims import Claim

TITLE = "Hogwild!: speed-up by threads on RCV1, Abdomen, DBLife"
PRINTED = [("RCV1", 3, 1.5, 0.6), ("Abdomen", 4, 2, 0.5), ("DBLife", 9, 7, 5)]  # Hogwild!, AIG, RR: read off plots


def claims(name, wild, fine, turns):
    ours, aig, rr = (f"{name}, {way}" for way in _hogwild.WAYS)
    made = [Claim(f"{name}: Hogwild! with several threads is faster than one", "speed-up at least 1.1", (ours,),
                  lambda f: f[ours] >= 1.1, cores=2, timed=True),
            Claim(f"{name}: Hogwild! is {wild} times as fast with ten threads", f"at least {0.8 * wild:g}", (ours,),
                  lambda f: f[ours] >= 0.8 * wild, cores=_hogwild.PAPER_THREADS, timed=True),
            Claim(f"{name}: locks of each example (AIG) cost speed ({fine} against {wild})", "AIG below Hogwild!",
                  (ours, aig), lambda f: f[aig] < f[ours], cores=2, timed=True)]
    if turns and turns < 1:
        made.append(Claim(f"{name}: RR is slower than one thread ({turns})", "speed-up below 1", (rr,),
                          lambda f: f[rr] < 1, cores=2, timed=True))
    return made


CLAIMS = [claim for row in PRINTED for claim in claims(*row)]


def measure(x):
    _hogwild.speedups(x, [row[0] for row in PRINTED])
    x.tell("an example of RR takes its whole turn; in the paper its gradient is computed before the turn")
