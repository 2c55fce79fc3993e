# SPDX-License-Identifier: Apache-2.0
"""How well vectors of nodes tell the nodes' labels: one against the rest on half of the labelled nodes, as in DeepWalk
and node2vec, with as many labels predicted as a node has."""
import collections
import pathlib
import random

from suite import life, point, words
from suite.peer import by_script, option
from suite.terms import Unavailable

USUAL = {"walks": 40, "length": 40, "window": 10, "dimension": 128, "negative": 5, "p": 1.0, "q": 1.0}
COST = 1.0  # of an error beside half the squared norm, as LIBLINEAR has it by default


def macro_f1(task, place, path):
    """The metric of a task whose `data` has a part "labels"."""
    return f1(place, path, task.data(place)["labels"])


def f1(place, path, labels_of_nodes):
    """The mean over labels of the F1 of those of the other half. The file of labels has lines "node label,label,..."."""
    with open(labels_of_nodes, encoding="utf-8") as file:
        labels = {node: of.split(",") for node, of in map(str.split, file)}
    vectors = words.read(path, headed=True)
    if missing := sorted(labels.keys() - vectors.keys()):
        raise Unavailable(f"node {missing[0]} has no vector")
    nodes = sorted(labels)
    random.Random(1).shuffle(nodes)
    halves = {"train": nodes[:len(nodes) // 2], "test": nodes[len(nodes) // 2:]}
    counts = collections.defaultdict(lambda: [0, 0])  # of each label: right ones; predicted and true ones
    for node, ordered in zip(halves["test"], _predicted(place, path, halves, labels, vectors)):
        for label in ordered[:len(labels[node])]:
            counts[label][0] += label in labels[node]
            counts[label][1] += 1
        for label in labels[node]:
            counts[label][1] += 1
    return sum(2 * right / both for right, both in counts.values()) / len(counts)


def _predicted(place, path, halves, labels, vectors):
    """For each node of the test half its labels, the most probable first."""
    files = {part: path.with_suffix(f".{part}") for part in (*halves, "model")}
    for part, nodes in halves.items():
        with open(files[part], "w", encoding="utf-8") as file:
            file.writelines(f"{','.join(labels[n])} {' '.join(f'{j}:{x}' for j, x in enumerate(vectors[n], 1))}\n"
                            for n in nodes)
    most = str(len({label for of in labels.values() for label in of}))
    try:
        _done([place.hogwild, "train", files["train"], "--model", "softmax", "--class-loss", "one_vs_rest", "--bias",
               "--l2", repr(1 / (COST * len(halves["train"]))), "--epochs", 30, "--engine", "serial", "--no-cache",
               "--quiet", "--save", files["model"]])
        told = _done([place.hogwild, "predict", files["model"], files["test"], "--top", most, "--no-cache", "--quiet"])
    finally:
        for file in files.values():
            file.unlink(missing_ok=True)
    return [line.split() for line in told.splitlines()]


def _done(command):
    done = life.run(command)
    if done.returncode != 0:
        raise Unavailable(f"the vectors cannot be measured: {done.stderr.strip()[-200:]}")
    return done.stdout


def options(task):
    """The training options of walks, by their names in hogwild."""
    return {name: type(usual)(option(task, f"--{name}", usual)) for name, usual in USUAL.items()}


def tell(asked, seconds, parsed, names, vectors):
    """The point of a program that has made all vectors, an array with a row for each name."""
    path = pathlib.Path(asked.work) / "nodes.txt"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{len(names)} {vectors.shape[1]}\n")
        file.writelines(f"{name} {' '.join(map('{:.9g}'.format, row))}\n" for name, row in zip(names, vectors.tolist()))
    point.tell(seconds, asked.epochs, weights=str(path), parse_seconds=parsed)


def train(module, task, place, workers, settings, seed):
    """As by_script(), of a module that calls tell()."""
    return by_script(module, task, place, workers, {**options(task), **settings}, seed, task.data(place), 1200,
                     lambda path: task.judged(task, place, pathlib.Path(path)))
