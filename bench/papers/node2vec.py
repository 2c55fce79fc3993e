# SPDX-License-Identifier: Apache-2.0
"""node2vec (Grover, Leskovec, KDD 2016): vectors of nodes from walks of the second order, judged by labels.

As there, half of the nodes are labelled, and figures are macro F1.
"""
from suite import data, made, nodes
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio

TITLE = "node2vec: walks of the second order"
CLAIMS = [
    Claim("Walks with p = q = 0.25 tell labels better than DeepWalk's (0.2581 against 0.2110)", "F1 at least 1.1 times",
          ("F1, p = q = 0.25 over DeepWalk",), lambda f: f["F1, p = q = 0.25 over DeepWalk"] >= 1.1),
    Claim("Walks with p = q = 0.25 have F1 0.2581", "at least 0.25", ("F1, p = q = 0.25",),
          lambda f: f["F1, p = q = 0.25"] >= 0.25),
    Claim("DeepWalk has F1 0.2110", "at most 0.23", ("F1, DeepWalk",), lambda f: f["F1, DeepWalk"] <= 0.23),
    Claim("p and q matter: walks that stay near differ from walks that go far", "F1 differs by at least 5 %",
          ("F1, near over far",), lambda f: abs(f["F1, near over far"] - 1) >= 0.05),
    Claim("More walks from each node tell labels better", "F1 of 40 walks at least 1.02 times that of 10",
          ("F1, 40 walks over 10",), lambda f: f["F1, 40 walks over 10"] >= 1.02),
]
WAYS = {"DeepWalk": [], "p = q = 0.25": ["--p", "0.25", "--q", "0.25"], "near": ["--p", "0.25", "--q", "4"],
        "far": ["--p", "4", "--q", "0.25"], "10 walks": []}


def measure(x):
    if x.scale == "tiny":
        parts = data.written("friends", lambda: made.friends(200, 8))(x.place)
    else:
        parts = {"train": x.real("blogcatalog.edges.txt"), "labels": x.real("blogcatalog.labels.txt")}
    walks = {way: x.at(4, 40, 40) // (4 if way == "10 walks" else 1) for way in WAYS}
    runs = x.run("nodes", parts["train"], ["--model", "node_vectors", "--dimension", x.at("16", "128", "128")],
                 [Configuration(way, x.cpus, ["--epochs", str(walks[way]), *more]) for way, more in WAYS.items()],
                 seeds=x.at(1, 3, 9), metric="macro_f1", less=False,
                 judged=lambda path: nodes.f1(x.place, path, parts["labels"]))
    last = {way: runs.last(way) for way in WAYS}
    x.figures.update({f"F1, {way}": last[way] for way in WAYS})
    x.figures["F1, p = q = 0.25 over DeepWalk"] = ratio(last["p = q = 0.25"], last["DeepWalk"])
    x.figures["F1, near over far"] = ratio(last["near"], last["far"])
    x.figures["F1, 40 walks over 10"] = ratio(last["DeepWalk"], last["10 walks"])
