# SPDX-License-Identifier: Apache-2.0
"""Word vectors of other programs, measured by hogwild's evaluator like those of a training run."""
import itertools
import json

from suite import life
from suite.peer import evaluated, option
from suite.terms import Unavailable

USUAL = {"dimension": 100, "window": 5, "negative": 5, "sample": 1e-4, "min-count": 5}  # defaults of hogwild train


def options(task):
    """The training options of word vectors, by their names in hogwild."""
    return {name: type(usual)(option(task, f"--{name}", usual)) for name, usual in USUAL.items()}


def read(path, headed=False):
    """Lines "word number ...", the numbers as text; `headed`: after a line with their count."""
    with open(path, encoding="utf-8") as file:
        return {word: numbers for word, *numbers in map(str.split, itertools.islice(file, headed, None))}


def objective(task, place, data, vectors):
    """The task's objective. `vectors`: word to the numbers of its input vector followed by those of its output."""
    told = options(task)
    head = [f"model {option(task, '--model')}", *(f"option {name} {value}" for name, value in told.items()),
            "labels real", f"width {2 * told['dimension']}"]
    columns = {column: [word, *vectors[word]] for column, word in enumerate(vectors)}
    return evaluated(task, place, data, head, columns, named=True)["loss"]


def analogies(task, place, path):
    """The metric of a task whose `data` has a part "questions"."""
    return right(place, path, task.data(place)["questions"])


def right(place, path, questions):
    """The fraction of the analogies that vectors in a file get right."""
    done = life.run([place.hogwild, "evaluate", path, "--analogies", questions, "--json"])
    if done.returncode != 0:
        raise Unavailable(f"its vectors cannot be measured: {done.stderr.strip()[-200:]}")
    return json.loads(done.stdout)["accuracy"]
