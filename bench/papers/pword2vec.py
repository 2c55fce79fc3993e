# SPDX-License-Identifier: Apache-2.0
"""pWord2Vec (Ji, Satish, Li, Dubey, 2016): word vectors whose windows share their negative words."""
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio
from suite.terms import Unavailable

TITLE = "pWord2Vec: word vectors by several threads"


def against_word2vec(_):
    raise Unavailable("word2vec.c is not run here")


CLAIMS = [
    Claim("The speed-up of threads is nearly linear", "an epoch at least 0.8 of the threads times faster",
          ("speed-up", "threads"), lambda f: f["speed-up"] >= 0.8 * f["threads"], cores=2, timed=True),
    Claim("Several threads end with the loss of one", "within 1 %", ("loss over one thread's",),
          lambda f: abs(f["loss over one thread's"] - 1) <= 0.01, cores=2),
    Claim("One thread is 2.6 times as fast as word2vec.c", "at least 2", (), against_word2vec),
]


def measure(x):
    words = x.place.work / "words.txt"
    if x.scale == "tiny":
        import random
        chance = random.Random(1)
        words.write_text(" ".join(f"w{chr(97 + int(chance.paretovariate(0.7)) % 26)}" for _ in range(20000)),
                         encoding="ascii")
    else:
        with open(x.real("wikifa.txt"), encoding="ascii") as file:
            words.write_text(file.read(x.at(0, 8_000_000, -1)).rpartition(" ")[0], encoding="ascii")
        x.tell(f"the first {words.stat().st_size} bytes of wikifa stand for the one-billion-word benchmark")
    n = x.figures["threads"] = x.cpus
    runs = x.run("words", words, ["--model", "skip_gram", "--dimension", x.at("10", "100", "300"), "--epochs",
                                  x.at("1", "1", "5")],
                 [Configuration("one thread", 1, []), Configuration("threads", n, [])], seeds=x.at(1, 3, 9),
                 metric="train_loss")
    x.figures["speed-up"] = ratio(runs.epoch_seconds("one thread"), runs.epoch_seconds("threads"))
    x.figures["loss over one thread's"] = ratio(runs.last("threads"), runs.last("one thread"))
