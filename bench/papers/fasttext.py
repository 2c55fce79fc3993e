# SPDX-License-Identifier: Apache-2.0
"""fastText (Joulin, Grave, Bojanowski, Mikolov, 2016): labels of texts by the mean of their words' vectors."""
from suite import data, made
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import difference, ratio

TITLE = "fastText: labels of texts by vectors of words"
CLAIMS = [
    Claim("Pairs of words raise the precision by 1 to 4 points", "precision at 1 higher by at least 0.01",
          ("precision gained by pairs",), lambda f: f["precision gained by pairs"] >= 0.01),
    Claim("Where labels are many, vectors that these share are better than a linear model",
          "precision at 1 higher by at least 0.01", ("precision over a linear model's",),
          lambda f: f["precision over a linear model's"] >= 0.01),
    Claim("Several threads end with the precision of one", "precision at 1 within 0.01",
          ("precision of threads less one's",), lambda f: abs(f["precision of threads less one's"]) <= 0.01, cores=2),
    Claim("The speed-up of threads is nearly linear", "an epoch at least 0.8 of the threads times faster",
          ("speed-up", "threads"), lambda f: f["speed-up"] >= 0.8 * f["threads"], cores=2, timed=True),
]


def measure(x):
    if x.scale == "tiny":
        parts = data.written("titles", lambda: made.titles(2000))(x.place)
    else:
        parts = {"train": x.real("cooking.train.txt"), "test": x.real("cooking.valid.txt")}
        x.tell("news and reviews of the paper cannot be had: tags of questions (cooking), its tutorial's, stand for them")
    n = x.figures["threads"] = x.cpus
    vectors, pairs = ["--model", "text_classifier", "--epochs", x.at("10", "25", "25")], ["--word-ngrams", "2"]
    runs = x.run("texts", parts["train"], ["--test", str(parts["test"])],
                 [Configuration("words", 1, vectors), Configuration("pairs", 1, [*vectors, *pairs]),
                  Configuration("pairs, threads", n, [*vectors, *pairs]),
                  Configuration("linear", 1, ["--model", "softmax", "--l2", "1e-6", "--epochs", x.at("10", "20", "20")])],
                 seeds=x.at(1, 3, 9), metric="test_precision_at_1", less=False)
    last = {name: runs.last(name) for name in ("words", "pairs", "pairs, threads", "linear")}
    x.figures["precision gained by pairs"] = difference(last["pairs"], last["words"])
    x.figures["precision over a linear model's"] = difference(last["words"], last["linear"])
    x.figures["precision of threads less one's"] = difference(last["pairs, threads"], last["pairs"])
    x.figures["speed-up"] = ratio(runs.epoch_seconds("pairs"), runs.epoch_seconds("pairs, threads"))
