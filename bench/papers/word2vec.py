# SPDX-License-Identifier: Apache-2.0
"""word2vec (Mikolov, Sutskever, Chen, Corrado, Dean, NIPS 2013; the first two and Corrado, Dean, 2013): word vectors,
judged by analogies."""
from suite import made, words
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio

TITLE = "word2vec: analogies by skip-gram, negative sampling and subsampling"
CLAIMS = [
    Claim("Skip-gram gets more analogies right than CBOW (53 against 36 %)", "at least 1.1 times as many",
          ("right, skip-gram over CBOW",), lambda f: f["right, skip-gram over CBOW"] >= 1.1),
    Claim("Negative sampling gets more right than a hierarchical softmax (59 against 47 %)",
          "at least 1.1 times as many", ("right, negative over hierarchical",),
          lambda f: f["right, negative over hierarchical"] >= 1.1),
    Claim("Dropping frequent words gets more right", "more than without", ("right, dropping over not",),
          lambda f: f["right, dropping over not"] > 1),
    Claim("Dropping frequent words makes training 2 to 10 times faster", "an epoch at least 2 times faster",
          ("epoch seconds, not over dropping",), lambda f: f["epoch seconds, not over dropping"] >= 2, timed=True),
]
WAYS = {"skip-gram": ["--model", "skip_gram"], "CBOW": ["--model", "cbow"],
        "hierarchical": ["--model", "skip_gram", "--hierarchical"],
        "not dropping": ["--model", "skip_gram", "--sample", "0"]}
TINY = ": tiny\nt0w1 t0w2 t1w1 t1w2\nt2w1 t2w2 t3w1 t3w2\n"


def measure(x):
    text, questions = x.place.work / "words.txt", x.place.work / "questions.txt"
    if x.scale == "tiny":
        text.write_text("".join(f"{line}\n" for _, line in made.sentences(1000)), encoding="ascii")
        questions.write_text(TINY, encoding="ascii")
    else:
        questions = x.real("questions-words.txt")
        with open(x.real("wikifa.txt"), encoding="ascii") as file:
            text.write_text(file.read(x.at(0, 30_000_000, -1)).rpartition(" ")[0], encoding="ascii")
        x.tell(f"the first {text.stat().st_size} bytes of wikifa stand for thousands of millions of words of news")
    runs = x.run("words", text, ["--dimension", x.at("16", "100", "300"), "--epochs", x.at("2", "5", "5")],
                 [Configuration(way, x.cpus, more) for way, more in WAYS.items()], seeds=x.at(1, 3, 9),
                 metric="analogies", less=False, judged=lambda path: words.right(x.place, path, questions))
    last = {way: runs.last(way) for way in WAYS}
    x.figures.update({f"right, {way}": last[way] for way in WAYS})
    x.figures["right, skip-gram over CBOW"] = ratio(last["skip-gram"], last["CBOW"])
    x.figures["right, negative over hierarchical"] = ratio(last["skip-gram"], last["hierarchical"])
    x.figures["right, dropping over not"] = ratio(last["skip-gram"], last["not dropping"])
    x.figures["epoch seconds, not over dropping"] = ratio(runs.epoch_seconds("not dropping"),
                                                          runs.epoch_seconds("skip-gram"))
