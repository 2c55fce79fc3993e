# SPDX-License-Identifier: Apache-2.0
"""Hogwild! 2011: the columns of its table (figure 2) that describe the data; Delta and rho by its definitions."""
import random

from papers import _hogwild
from suite.claims import Claim
from suite.terms import Unavailable

TITLE = "Hogwild!: how sparse the problems are"


def of_its_data(f, name):
    """A substitute neither supports nor contradicts a claim on one data set."""
    raise Unavailable(f"{name} cannot be had; of its stand-in Delta is {f[name + ', Delta']:.4f}, "
                      f"rho {f[name + ', rho']:.4f}")


CLAIMS = [
    Claim("Of text, the commonest word is in 0.44 of the rows (printed as rho)", "needs RCV1 itself",
          ("RCV1, Delta", "RCV1, rho"), lambda f: of_its_data(f, "RCV1")),
    Claim("On RCV1 Delta (1.0) exceeds rho (0.44)", "Delta above rho; by the definitions it cannot be",
          ("RCV1, Delta", "RCV1, rho"), lambda f: f["RCV1, Delta"] > f["RCV1, rho"]),
    Claim("Ratings are sparse: rho and Delta of Netflix are 0.0025 and 0.0023", "needs Netflix itself",
          ("Netflix, Delta", "Netflix, rho"), lambda f: of_its_data(f, "Netflix")),
]
SAMPLED = 2000


def sparsity(edges, seed=1):
    """Delta and rho as fractions of the edges: most edges of a node, most edges that one edge meets.

    Delta is exact. Rho is the largest among SAMPLED sampled edges, each compared with as many others.
    """
    counts = {}
    for edge in edges:
        for node in edge:
            counts[node] = counts.get(node, 0) + 1
    chosen = random.Random(seed).sample(edges, min(SAMPLED, len(edges)))
    met = max(sum(not e.isdisjoint(other) for other in chosen) for e in chosen[:200])
    return max(counts.values()) / len(edges), met / len(chosen)


def measure(x):
    for name in ("RCV1", "Netflix"):
        try:
            if name == "RCV1" and x.scale != "tiny":  # generated rows would only show the options that made them
                path = x.real("reuters21578.train.libsvm")
                x.tell("RCV1 cannot be had: Reuters-21578, another collection of that agency, stands for it")
            else:
                path, _ = _hogwild.problem(x, name)
        except Unavailable as reason:
            x.skip(name, reason)
            continue
        edges = []
        with open(path, encoding="ascii") as file:
            for line in file:
                words = line.split()
                edges.append(frozenset(w.partition(":")[0] for w in words[1:]) if name == "RCV1" else
                             frozenset(("user " + words[0], "item " + words[1])))
        x.figures[f"{name}, Delta"], x.figures[f"{name}, rho"] = sparsity([e for e in edges if e])
    x.tell(f"rho is the largest of 200 rows, each against {SAMPLED} sampled ones")
