# SPDX-License-Identifier: Apache-2.0
"""Measures of rows with lists of labels against scikit-learn's, of the same predictions. Ends with 77, a skip, where
scikit-learn is missing."""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy
    from sklearn.metrics import f1_score
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PROGRAM = sys.argv[1]
CLASSES = 12


def rows(count, classes, draw):
    """Lines whose labels have columns of their own, and columns that tell nothing; some labels are rare."""
    for _ in range(count):
        labels = draw.sample(range(classes), draw.choice([1, 1, 2, 3]))
        columns = sorted({k + 1 for k in labels if draw.random() < 0.8} | {CLASSES + draw.randrange(1, 30)})
        yield ",".join(map(str, labels)) + "".join(f" {j}:1" for j in columns) + "\n"


def told(*words):
    return subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True).stdout


def given_in(path):
    return [{int(label) for label in line.split()[0].split(",")} for line in path.read_text().splitlines()]


def inverse_propensities(lists, a, b):
    """As in Jain, Prabhu and Varma (2016)."""
    size = (math.log(len(lists)) - 1) * (b + 1) ** a
    return [1 + size * (sum(k in given for given in lists) + b) ** -a for k in range(CLASSES)]


def check_propensities(train, test, model, trained, best):
    """PSP in training and by evaluate, for the labels `best` of each test row, the best first."""
    for words, a, b in (((), 0.55, 1.5), (("--propensity", "0.6,2.6"), 0.6, 2.6)):
        inverse = inverse_propensities(given_in(train), a, b)
        measured = json.loads(told("evaluate", model, test, "--json", "--propensities", train, *words))
        for k in (1, 3, 5):
            right = sum(inverse[label] for said, given in zip(best, given_in(test)) for label in said[:k]
                        if label in given)
            most = sum(sum(sorted((inverse[label] for label in given), reverse=True)[:k]) for given in given_in(test))
            assert math.isclose(measured[f"psp_at_{k}"], right / most, abs_tol=1e-9), (k, measured, right / most)
            if not words:
                assert math.isclose(trained[f"test_psp_at_{k}"], right / most, abs_tol=1e-9), (k, trained, right / most)
    assert measured["psp_at_1"] != trained["test_psp_at_1"], measured


def check(folder, loss):
    train, test, model = (folder / name for name in ("train.svm", "test.svm", "model.bin"))
    trained = json.loads(told("train", train, "--test", test, "--model", "softmax", "--class-loss", loss, "--epochs", 8,
                              "--seed", 3, "--engine", "serial", "--save", model, "--json"))
    measured = json.loads(told("evaluate", model, test, "--json"))
    assert "psp_at_1" not in measured, "evaluate knows no training rows"
    truth, said, ranked, best = [], [], [], []
    for line, row in zip(test.read_text().splitlines(),
                         told("predict", model, test, "--top", CLASSES, "--probabilities", "--json").splitlines()):
        given = {int(label) for label in line.split()[0].split(",")}
        row = json.loads(row)
        limit = 0.5 if loss == "one_vs_rest" else row["probabilities"][0] / 2
        probable = dict(zip(map(int, row["labels"]), row["probabilities"]))
        truth.append([k in given for k in range(CLASSES)])
        said.append([probable[k] > limit for k in range(CLASSES)])
        best.append([int(label) for label in row["labels"]])
        ranked.append([int(label) in given for label in row["labels"]])
    truth, said, ranked = map(numpy.array, (truth, said, ranked))
    assert not truth[:, -1].any(), "the last class has no row in the test data"
    expected = {f"precision_at_{k}": ranked[:, :k].mean() for k in (1, 3, 5)}
    for average in ("micro", "macro"):
        expected[f"{average}_f1"] = f1_score(truth, said, average=average, zero_division=0)
    for name, value in expected.items():
        assert math.isclose(measured[name], value, abs_tol=1e-9), (loss, name, measured[name], value)
    assert 0.2 < measured["macro_f1"] < 0.999, measured
    check_propensities(train, test, model, trained, best)


with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    draw = random.Random(7)
    (folder / "train.svm").write_text("".join(rows(900, CLASSES, draw)))
    (folder / "test.svm").write_text("".join(rows(400, CLASSES - 1, draw)))
    for loss in ("softmax", "one_vs_rest"):
        check(folder, loss)
