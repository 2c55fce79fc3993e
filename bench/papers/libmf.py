# SPDX-License-Identifier: Apache-2.0
"""FPSGD of LIBMF (Zhuang, Chin, Juan, Lin, RecSys 2013): workers own blocks of ratings instead of sharing factors."""
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio

TITLE = "LIBMF: blocks of ratings against shared factors"
CLAIMS = [
    Claim("Blocks reach the test error sooner than Hogwild!", "at least 1.1 times sooner",
          ("sooner than Hogwild!",), lambda f: f["sooner than Hogwild!"] >= 1.1, cores=2, timed=True),
    Claim("The speed-up of blocks is nearly linear", "an epoch at least 0.8 of the threads times faster",
          ("speed-up of blocks", "threads"), lambda f: f["speed-up of blocks"] >= 0.8 * f["threads"], cores=2,
          timed=True),
    Claim("Blocks end with the test error of one thread", "within 1 %", ("test error over one thread's",),
          lambda f: abs(f["test error over one thread's"] - 1) <= 0.01, cores=2),
]


def measure(x):
    data = x.ratings(300, 300, 30, "ratings") if x.scale == "tiny" else x.real("ml-1m.ratings.tsv")
    n = x.figures["threads"] = x.cpus
    blocks, shared = ["--ownership", "blocks"], ["--ownership", "shared", "--sharing", "direct"]
    runs = x.run("ratings", data, ["--model", "matrix_factorization", "--factors", "32", "--no-bias", "--test", "0.1",
                                   "--epochs", str(x.at(5, 8, 30))],
                 [Configuration("one thread", 1, blocks), Configuration("blocks", n, blocks),
                  Configuration("Hogwild!", n, shared)], seeds=x.at(1, 3, 9), metric="test_rmse")
    x.figures["sooner than Hogwild!"] = ratio(runs.to_target("Hogwild!", 0), runs.to_target("blocks", 0))
    x.figures["speed-up of blocks"] = ratio(runs.epoch_seconds("one thread"), runs.epoch_seconds("blocks"))
    x.figures["test error over one thread's"] = ratio(runs.last("blocks"), runs.last("one thread"))
