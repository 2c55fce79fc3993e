# SPDX-License-Identifier: Apache-2.0
"""DimmWitted (Zhang, Re, VLDB 2014): one model for each core, for each memory node or for the machine."""
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio

TITLE = "DimmWitted: one model a core, a node, a machine"
CLAIMS = [
    Claim("One model a core needs more epochs to a loss than one model a machine", "at least 1.1 times as many",
          ("epochs, core over machine",), lambda f: f["epochs, core over machine"] >= 1.1, cores=2),
    Claim("An epoch on one model a machine takes longer than on one model a core", "at least 1.2 times as long",
          ("epoch seconds, machine over core",), lambda f: f["epoch seconds, machine over core"] >= 1.2, cores=2,
          timed=True),
    Claim("One model a node reaches a loss sooner than one a core or a machine", "sooner than both",
          ("sooner than core", "sooner than machine"),
          lambda f: min(f["sooner than core"], f["sooner than machine"]) > 1, cores=4, nodes=2, timed=True),
]


STEPS = ("1", "0.25", "4")  # each configuration is tuned over these, as in the paper


def measure(x):
    data, n, nodes = x.text(x.at(4000, 50000, 800000)), x.cpus, x.machine["numa_nodes"]
    ring = ["--engine", "ring", "--exchange", "average", "--replicas"]
    ways = {"machine": ["--sharing", "direct"], "core": [*ring, str(n)]}
    if nodes > 1:
        ways["node"] = [*ring, str(nodes)]
    runs = x.run("models", data, ["--model", "logistic", "--decay", "0.95", "--epochs", str(x.at(10, 20, 60))],
                 [Configuration(f"{way}, step {step}", n, [*more, "--step", step])
                  for step in STEPS for way, more in ways.items()], seeds=x.at(1, 3, 9))

    def best(way, figure):
        return min((v for v in (figure(f"{way}, step {step}") for step in STEPS) if v is not None), default=None)

    def to_target(way, of):
        return best(way, lambda name: runs.to_target(name, of))

    x.figures["epochs, core over machine"] = ratio(to_target("core", 1), to_target("machine", 1))
    x.figures["epoch seconds, machine over core"] = ratio(best("machine", runs.epoch_seconds),
                                                          best("core", runs.epoch_seconds))
    for other in ("core", "machine"):
        x.figures[f"sooner than {other}"] = ratio(to_target(other, 0), to_target("node", 0))
