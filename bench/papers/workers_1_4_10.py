# SPDX-License-Identifier: Apache-2.0
"""A common claim: with synchronous workers of 100 rows each, 10 workers need a tenth of the iterations of one."""
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio

TITLE = "iterations to a loss with 1, 4 and 10 workers in lockstep, batch 100 a worker"
CLAIMS = [
    Claim("More workers need fewer iterations to the same loss", "4 workers fewer than 1, 10 fewer than 4",
          ("iterations of 1", "iterations of 4", "iterations of 10"),
          lambda f: f["iterations of 1"] > f["iterations of 4"] > f["iterations of 10"]),
    Claim("With a step for each batch size, 10 workers need a tenth of the iterations", "at least 8 times fewer",
          ("scaled, times fewer with 10",), lambda f: f["scaled, times fewer with 10"] >= 8),
    Claim("With the step of one worker, 10 workers need a tenth of the iterations", "at least 8 times fewer",
          ("same step, times fewer with 10",), lambda f: f["same step, times fewer with 10"] >= 8),
]
BATCH = 100


def measure(x):
    data = x.text(x.at(4000, 30000, 200000))
    epochs = x.at(30, 40, 60)
    lines = [(f"{n} workers" + (", scaled" if scale else ""), n, scale) for scale in (False, True) for n in (1, 4, 10)]
    runs = x.run("text", data, ["--model", "logistic", "--engine", "all_reduce", "--sync-rows", str(BATCH), "--step",
                                "20", "--schedule", "constant", "--l2", "1e-4", "--epochs", str(epochs)],
                 [Configuration(name, n, ["--scale-step"] if scale else []) for name, n, scale in lines],
                 seeds=x.at(1, 3, 9), of_first=0.02)
    if not runs.complete("1 workers"):
        return
    rows = runs.outcomes["1 workers"][0].examples / epochs
    iterations = {}
    for name, n, scale in lines:
        needed = runs.to_target(name, 1)
        iterations[n, scale] = None if needed is None else needed * (rows / (BATCH * n))
        if needed is not None:
            x.point("iterations to the loss over workers", "scaled step" if scale else "same step", n,
                    iterations[n, scale])
    for n in (1, 4, 10):
        x.figures[f"iterations of {n}"] = iterations[n, True]
    x.figures["scaled, times fewer with 10"] = ratio(iterations[1, True], iterations[10, True])
    # If the loss was not reached, the fewest iterations that could have been needed are a bound.
    least = runs.epochs_at_least("10 workers")
    x.figures["same step, times fewer with 10"] = ratio(iterations[1, False], least and least * (rows / (BATCH * 10)))
