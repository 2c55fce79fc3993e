# SPDX-License-Identifier: Apache-2.0
"""ComplEx (Trouillon, Welbl, Riedel, Gaussier, Bouchard, ICML 2016): products of complex vectors learn relations that
hold in one direction alone."""
from suite import data, made
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio

TITLE = "ComplEx: relations that hold in one direction"
CLAIMS = [
    Claim("ComplEx learns a relation that holds in one direction, DistMult does not",
          "MRR of `before` at least 0.8 of one, below 0.6 of the other", ("before, ComplEx", "before, DistMult"),
          lambda f: f["before, ComplEx"] >= 0.8 and f["before, DistMult"] < 0.6),
    Claim("Both learn a relation that holds in both directions", "MRR of `near` at least 0.8 of both",
          ("near, ComplEx", "near, DistMult"), lambda f: min(f["near, ComplEx"], f["near, DistMult"]) >= 0.8),
    Claim("ComplEx ranks facts better than DistMult (0.692 against 0.654 on FB15k)", "MRR at least 1.02 times",
          ("facts, ComplEx over DistMult",), lambda f: f["facts, ComplEx over DistMult"] >= 1.02),
    Claim("ComplEx ranks facts better than TransE (0.692 against 0.380 on FB15k)", "MRR at least 1.1 times",
          ("facts, ComplEx over TransE",), lambda f: f["facts, ComplEx over TransE"] >= 1.1),
]
MODELS = {"ComplEx": "complex", "DistMult": "distmult", "TransE": "transe"}


def measure(x):
    for relation in ("before", "near"):
        parts = data.written(relation, lambda r=relation: made.relation(r, 50))(x.place)
        compare(x, relation, parts, ["--factors", "16", "--negatives", "32", "--epochs", "60", "--measure-every", "60"],
                ["ComplEx", "DistMult"])
    x.tell("as in the paper, 50 entities have relations that are made, here on a circle")
    if x.scale == "tiny":
        return x.skip("facts", "at this scale there are no facts")
    x.tell("FB15k-237, whose relations do not imply each other, stands for FB15k")
    parts = {part: x.real(f"fb15k-237.{part}.tsv") for part in ("train", "test", "valid")}
    compare(x, "facts", parts, ["--known", str(parts["valid"]), "--measure-every", "100"], list(MODELS))


def compare(x, name, parts, options, models):
    runs = x.run(name, parts["train"], ["--test", str(parts["test"]), *options],
                 [Configuration(model, x.cpus, ["--model", MODELS[model]]) for model in models], seeds=x.at(1, 3, 9),
                 metric="test_mrr", less=False)
    x.figures.update({f"{name}, {model}": runs.last(model) for model in models})
    for model in models[1:]:
        x.figures[f"{name}, ComplEx over {model}"] = ratio(runs.last("ComplEx"), runs.last(model))
