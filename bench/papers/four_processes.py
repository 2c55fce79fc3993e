# SPDX-License-Identifier: Apache-2.0
"""A common claim on Hogwild by processes: four train a convolutional net about four times as fast as one."""
from suite import data
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio
from suite.terms import Unavailable

TITLE = "a convolutional net by processes that share it"
CLAIMS = [
    Claim("Four processes reach an accuracy about four times sooner than one", "at least 3.2 times sooner",
          ("sooner with 4",), lambda f: f["sooner with 4"] >= 3.2, cores=4, timed=True),
    Claim("As many processes as CPUs (four at most) reach it nearly as many times sooner",
          "at least 0.8 of their number", ("sooner with all", "processes"),
          lambda f: f["sooner with all"] >= 0.8 * f["processes"], cores=2, timed=True),
]


def measure(x):
    if x.scale == "tiny":
        raise Unavailable("at this scale there are no images")
    images, tested = x.at(0, 12000, 60000), x.at(0, 2000, 10000)
    parts = data.images(images, tested)(x.place)
    x.tell(f"MNIST, {images} images, {tested} for testing")
    n = x.figures["processes"] = min(4, x.cpus)
    processes = ["--engine", "processes"]
    runs = x.run("images", parts["train"],
                 ["--model", "convnet", "--net", "mnist", "--optimizer", "momentum", "--momentum", "0.5", "--step",
                  "0.01", "--batch", "64", "--epochs", str(x.at(0, 5, 10)), "--test", str(parts["test"])],
                 [Configuration("1 process", 1, processes), Configuration(f"{n} processes", n, processes)],
                 seeds=x.at(1, 3, 9), metric="test_accuracy", less=False, target=x.at(0.9, 0.9, 0.98), of_first=0)
    x.figures["sooner with all"] = ratio(runs.to_target("1 process", 0), runs.to_target(f"{n} processes", 0))
    x.figures["sooner with 4"] = x.figures["sooner with all"] if n == 4 else None
