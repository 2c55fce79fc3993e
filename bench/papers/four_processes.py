# SPDX-License-Identifier: Apache-2.0
"""A common claim on Hogwild by processes: four train a convolutional net about four times as fast as one."""
import gzip
import struct

from suite.claims import Claim
from suite.experiment import Configuration, ratio
from suite.terms import Unavailable

TITLE = "a convolutional net by processes that share it"
CLAIMS = [
    Claim("Four processes reach an accuracy about four times sooner than one", "at least 3.2 times sooner",
          ("sooner with 4",), lambda f: f["sooner with 4"] >= 3.2, cores=4, timed=True),
    Claim("As many processes as CPUs (four at most) reach it nearly as many times sooner",
          "at least 0.8 of their number", ("sooner with all", "processes"),
          lambda f: f["sooner with all"] >= 0.8 * f["processes"], cores=2, timed=True),
]


def part(x, name, most, size):
    """The first images or labels of a file of MNIST, as a file of their own."""
    source = x.place.data and x.place.data / f"{name}.gz"
    if not source or not source.exists():
        raise Unavailable(f"{name}.gz is not there; name its folder with --data")
    head = 8 if size == 1 else 16
    with gzip.open(source) as file:
        content = file.read(head + most * size)
    path = x.place.work / name
    path.write_bytes(content[:4] + struct.pack(">I", (len(content) - head) // size) + content[8:])
    return path


def measure(x):
    if x.scale == "tiny":
        raise Unavailable("at this scale there are no images")
    images, tested = x.at(0, 12000, 60000), x.at(0, 2000, 10000)
    for name, most in (("train", images), ("t10k", tested)):
        part(x, f"{name}-labels-idx1-ubyte", most, 1)
        part(x, f"{name}-images-idx3-ubyte", most, 784)
    x.tell(f"MNIST, {images} images, {tested} for testing")
    n = x.figures["processes"] = min(4, x.cpus)
    processes = ["--engine", "processes"]
    runs = x.run("images", x.place.work / "train-images-idx3-ubyte",
                 ["--model", "convnet", "--net", "mnist", "--optimizer", "momentum", "--momentum", "0.5", "--step",
                  "0.01", "--batch", "64", "--epochs", str(x.at(0, 5, 10)), "--test",
                  str(x.place.work / "t10k-images-idx3-ubyte")],
                 [Configuration("1 process", 1, processes), Configuration(f"{n} processes", n, processes)],
                 seeds=x.at(1, 3, 9), metric="test_accuracy", less=False, target=x.at(0.9, 0.9, 0.98), of_first=0)
    x.figures["sooner with all"] = ratio(runs.to_target("1 process", 0), runs.to_target(f"{n} processes", 0))
    x.figures["sooner with 4"] = x.figures["sooner with all"] if n == 4 else None
