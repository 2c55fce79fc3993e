# SPDX-License-Identifier: Apache-2.0
"""Hogwild! 2011, figure 2: seconds and training errors of Hogwild! and RR, 20 epochs."""
from papers import _hogwild
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio
from suite.terms import Unavailable

TITLE = "Hogwild!: time and error beside a round robin"
PRINTED = {"RCV1": 6.5, "Netflix": 8.5, "KDD": 8.1, "DBLife": 1.8, "Abdomen": 6.3}


def same_error(name):
    return Claim(f"{name}: Hogwild! and RR end with the same training error", "within 1 % of each other",
                 (f"{name}, error over RR's",), lambda f: abs(f[f"{name}, error over RR's"] - 1) <= 0.01, cores=2)


def sooner(name, printed):
    return Claim(f"{name}: RR takes longer ({printed} times, ten threads)", "at least 1.2 times",
                 (f"{name}, RR over Hogwild!",), lambda f: f[f"{name}, RR over Hogwild!"] >= 1.2, cores=2,
                 timed=True)


def as_printed(name, printed):
    return Claim(f"{name}: RR takes {printed} times as long with ten threads", f"{printed / 2:g} to {printed * 2:g}",
                 (f"{name}, RR over Hogwild!",),
                 lambda f: printed / 2 <= f[f"{name}, RR over Hogwild!"] <= printed * 2, cores=_hogwild.PAPER_THREADS,
                 timed=True)


CLAIMS = [make for n, p in PRINTED.items() for make in (same_error(n), sooner(n, p), as_printed(n, p))]


def measure(x):
    workers = min(x.cpus, _hogwild.PAPER_THREADS)
    for name in PRINTED:
        try:
            data, options = _hogwild.problem(x, name)
        except Unavailable as reason:
            x.skip(name, reason)
            continue
        runs = x.run(name, data, options + _hogwild.protocol(x),
                     [Configuration("Hogwild!", workers, ["--update", "lossy"]),
                      Configuration("RR", workers, ["--update", "ordered"])], seeds=x.at(1, 3, 9))
        x.figures[f"{name}, error over RR's"] = ratio(runs.last("Hogwild!"), runs.last("RR"))
        x.figures[f"{name}, RR over Hogwild!"] = ratio(runs.epoch_seconds("RR"), runs.epoch_seconds("Hogwild!"))
    x.tell("an example of RR takes its whole turn; in the paper its gradient is computed before the turn")
