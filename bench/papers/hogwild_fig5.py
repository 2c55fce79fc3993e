# SPDX-License-Identifier: Apache-2.0
"""Hogwild! 2011, figure 5: averaged models on RCV1, and gradients that take longer. Its first panel is in figure 4."""
import re
import shutil
import statistics

from papers import _hogwild
from suite.claims import Claim
from suite.figures import over, ratio
from suite.terms import Unavailable

TITLE = "Hogwild!: model averaging, and gradients that take longer"


def rr_by_delay(_):
    raise Unavailable("an example under --update ordered computes its gradient in its turn; in the paper before it")


CLAIMS = [
    Claim("The mean of 3 or 10 models errs as much after each epoch as one model",
          "hinge loss within 2 % after the last", ("3 models over 1", "10 models over 1"),
          lambda f: all(abs(f[f"{k} models over 1"] - 1) <= 0.02 for k in (3, 10))),
    Claim("With gradients of 100 us Hogwild! is nearly as many times faster as it has threads",
          "at least 0.9 of the threads", ("Hogwild! at 100 us, of the threads",),
          lambda f: f["Hogwild! at 100 us, of the threads"] >= 0.9, cores=2, timed=True),
    Claim("AIG is as fast as Hogwild! where gradients take 100 us", "at least 0.9 of its speed",
          ("AIG over Hogwild! at 100 us",), lambda f: f["AIG over Hogwild! at 100 us"] >= 0.9, cores=2, timed=True),
    Claim("RR is as fast as Hogwild! only where a gradient takes about 1 ms", "needs RR by the paper's rule",
          (), rr_by_delay),
]
MODELS = (1, 3, 10)


def weights(path):
    """Weights of a linear model in text by column: a line for each column that occurs, after their number."""
    _, _, lines = path.read_text(encoding="ascii").partition("\ncolumns ")
    return {int(words[0]): float(words[1]) for words in map(str.split, lines.splitlines()[1:]) if len(words) == 2}


def averaging(x):
    data = x.text(x.at(2000, 10000, 781265 * 10 // 9))
    epochs, hinge = x.at(2, 5, 20), {k: [] for k in MODELS}
    rows = [(1.0 if words[0] in ("1", "+1") else -1.0, [(int(j), float(v)) for j, _, v in
             (w.partition(":") for w in words[1:])]) for words in map(str.split, open(data, encoding="ascii"))]
    rows = rows[:2000]  # the error is measured on these
    saved = [x.place.work / f"model_{k}.txt" for k in range(MODELS[-1])]
    for epoch in range(epochs):
        for k, path in enumerate(saved):
            x.output([x.place.hogwild, "train", data, *_hogwild.SPARSE_SVM[:-1], 0.5 * 0.9 ** epoch, "--engine",
                      "serial", "--order", "permuted", "--epochs", 1, "--seed", 1 + k + 100 * epoch, "--quiet",
                      "--save", path, *(["--init", path] if epoch else [])])
        models = [weights(path) for path in saved]
        for k in MODELS:
            w = {j: sum(model[j] for model in models[:k]) / k for j in models[0]}
            hinge[k].append(statistics.fmean(
                max(0.0, 1 - y * sum(w[j] * v for j, v in row)) for y, row in rows))
            x.point("mean hinge loss over epochs", f"{k} models", epoch + 1, hinge[k][-1])
    for k in (3, 10):
        x.figures[f"{k} models over 1"] = ratio(hinge[k][-1], hinge[1][-1])


def delays(x):
    program = shutil.which("slow_gradient", path=str(x.place.hogwild.parent)) or shutil.which("slow_gradient")
    if not program:
        raise Unavailable("there is no program slow_gradient (tools/examples) beside hogwild or in the PATH")
    data, n = x.text(x.at(2000, 3000, 20000)), min(x.cpus, _hogwild.PAPER_THREADS)
    seconds = {}
    for turn in range(x.at(1, 3, 9)):
        for delay in (1, 10, 100, 1000) if x.scale == "paper" else (1, 10, 100):
            for way, workers, update in (("one thread", 1, "lossy"), *((w, n, u) for w, u in _hogwild.WAYS.items())):
                told = x.output([program, data, delay, workers, update, 1])
                seconds.setdefault((way, delay), []).append(float(re.match(r"[\d.]+", told).group()))
    at = {key: over(values) for key, values in seconds.items()}
    for way, delay in at:
        if way != "one thread":
            x.point("speed-up over microseconds of a gradient", way, delay, at["one thread", delay] / at[way, delay])
    x.figures["Hogwild! at 100 us, of the threads"] = ratio(at["one thread", 100], at["Hogwild!", 100]) * (1 / n)
    x.figures["AIG over Hogwild! at 100 us"] = ratio(at["Hogwild!", 100], at["AIG", 100])


def measure(x):
    x.tell("averaging is a script over serial runs: every model visits all rows in another order")
    averaging(x)
    try:
        delays(x)
    except Unavailable as reason:
        x.skip("delays", reason)
