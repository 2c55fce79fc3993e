# SPDX-License-Identifier: Apache-2.0
"""Local SGD (Stich, ICLR 2019): epochs to a loss by the interval between two means; CPUs do not affect epochs."""
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio

TITLE = "local SGD: interval between meetings against epochs"
CLAIMS = [
    Claim("Meeting every 16 rows instead of after each costs no epochs", "at most 1.1 times the epochs",
          ("epochs with 16 over 1",), lambda f: f["epochs with 16 over 1"] <= 1.1),
    Claim("Meetings that are 16 times rarer hand over 16 times less", "at least 12 times fewer bytes",
          ("bytes with 1 over 16",), lambda f: f["bytes with 1 over 16"] >= 12),
    Claim("Meeting too rarely costs epochs", "once an epoch at least 1.2 times those of every row, or it never arrives",
          ("epochs with the longest over 1",), lambda f: f["epochs with the longest over 1"] >= 1.2),
]
WORKERS = 4


def measure(x):
    data = x.text(4000) if x.scale == "tiny" else x.real("a9a.libsvm")
    if x.scale != "tiny":
        x.tell("a9a stands for w8a: logistic regression of as many rows")
    epochs, longest = x.at(8, 20, 100), 100000
    intervals = (1, 16, 256, longest) if x.scale != "paper" else (1, 4, 16, 64, 256, 1024, longest)
    runs = x.run("intervals", data, ["--model", "logistic", "--engine", "local_sgd", "--schedule", "constant", "--step",
                                     x.at("1", "0.02", "0.02"), "--l2", "1e-4", "--epochs", str(epochs)],
                 [Configuration(f"every {h}", WORKERS, ["--sync-rows", str(h)]) for h in intervals],
                 seeds=x.at(1, 3, 9), of_first=0.002)
    needed = {h: runs.to_target(f"every {h}", 1) for h in intervals}
    for h in intervals:
        if needed[h] is not None:
            x.point("epochs to the loss over rows between meetings", "local SGD", h, needed[h])
    x.figures["epochs with 16 over 1"] = ratio(needed[16], needed[1])
    x.figures["bytes with 1 over 16"] = ratio(runs.bytes("every 1"), runs.bytes("every 16"))
    x.figures["epochs with the longest over 1"] = ratio(runs.epochs_at_least(f"every {longest}"), needed[1])
