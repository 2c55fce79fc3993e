# SPDX-License-Identifier: Apache-2.0
"""Hogwild! (Niu, Recht, Re, Wright, NIPS 2011): its problems, or substitutes for them, and its protocol.

20 epochs, step times 0.9 after each, without replacement, all threads on one array.
"""
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio
from suite.terms import Unavailable

SPARSE_SVM = ["--model", "hinge_svm", "--l2-form", "two_pass", "--step", "0.5"]
RATINGS = ["--model", "matrix_factorization", "--factors", "10", "--ownership", "shared", "--no-bias"]
CUT = ["--model", "graph_cut"]
WAYS = {"Hogwild!": "lossy", "AIG": "edge_locked", "RR": "ordered"}
PAPER_THREADS = 10


def protocol(x):
    return ["--sharing", "direct", "--order", "permuted", "--decay", "0.9", "--epochs", str(x.at(3, 6, 20))]


def problem(x, name):
    """(file, options of its model) for a problem of the paper."""
    if name == "RCV1":
        return x.text(x.at(2000, 30000, 781265 * 10 // 9)), SPARSE_SVM
    if name == "Netflix":
        if x.scale == "tiny":
            return x.ratings(200, 100, 30, "netflix"), RATINGS
        x.tell("Netflix cannot be had: MovieLens " + x.at("", "100K", "1M") + " stands for it")
        return x.real(x.at("", "ml-100k.u.data", "ml-1m.ratings.tsv")), RATINGS
    if name == "KDD":
        return x.ratings(*x.at((200, 300, 30), (3000, 5000, 30), (60000, 100000, 100)), "kdd"), RATINGS
    if name == "Jumbo":
        return x.ratings(*x.at((300, 300, 30), (10000, 10000, 20), (100000, 100000, 200)), "jumbo"), RATINGS
    if name == "DBLife":
        if x.scale == "tiny":
            raise Unavailable("at this scale there is no graph")
        x.tell("DBLife cannot be had: the citations of Cora stand for it")
        return x.real(x.at("", "cora.graph.txt", "pubmed.graph.txt")), CUT
    if x.scale == "tiny":
        raise Unavailable("at this scale there is no graph")
    x.tell("Abdomen cannot be had: the Tsukuba cut of 110,594 nodes stands for it")
    return x.real("tsukuba-fgbg.max"), CUT


def threads(x):
    most = min(x.cpus, PAPER_THREADS)
    return sorted({n for n in (2, 4, 8, most) if 1 < n <= most})


def speedup_claims(name, wild, fine, turns):
    """Claims of figures 3 and 4 on a problem: speed-ups of Hogwild!, AIG and RR with ten threads, read off plots."""
    ours, aig, rr = (f"{name}, {way}" for way in WAYS)
    made = [Claim(f"{name}: Hogwild! with several threads is faster than one", "speed-up at least 1.1", (ours,),
                  lambda f: f[ours] >= 1.1, cores=2, timed=True),
            Claim(f"{name}: Hogwild! is {wild} times as fast with ten threads", f"at least {0.8 * wild:g}", (ours,),
                  lambda f: f[ours] >= 0.8 * wild, cores=PAPER_THREADS, timed=True),
            Claim(f"{name}: locks of each example (AIG) cost speed ({fine} against {wild})", "AIG below Hogwild!",
                  (ours, aig), lambda f: f[aig] < f[ours], cores=2, timed=True)]
    if turns and turns < 1:
        made.append(Claim(f"{name}: RR is slower than one thread ({turns})", "speed-up below 1", (rr,),
                          lambda f: f[rr] < 1, cores=2, timed=True))
    return made


def speedups(x, problems):
    """Epoch time of one thread divided by that of n, for each policy; figures are those of the most threads."""
    for name in problems:
        try:
            data, options = problem(x, name)
        except Unavailable as reason:
            x.skip(name, reason)
            continue
        ways = [(way, "locked" if options is CUT and way == "AIG" else update) for way, update in WAYS.items()]
        runs = x.run(name, data, options + protocol(x), [Configuration("one thread", 1, [])] + [
            Configuration(f"{way}, {n} threads", n, ["--update", update]) for way, update in ways for n in threads(x)],
            seeds=x.at(1, 3, 9))
        for way, _ in ways:
            for n in threads(x):
                gain = ratio(runs.epoch_seconds("one thread"), runs.epoch_seconds(f"{way}, {n} threads"))
                if gain is not None:
                    x.figures[f"{name}, {way}"] = gain
                    x.point(f"{name}: speed-up over threads", way, n, gain)
        x.predict(f"{name}: speed-up over threads", "Hogwild!", data, [*options, "--sharing", "direct"], PAPER_THREADS)
        if options is CUT:
            x.tell("cuts take several edges at once, so AIG locks each parameter by itself there; there is no RR")
    x.tell("an example of RR takes its whole turn; in the paper its gradient is computed before the turn")
