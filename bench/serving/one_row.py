#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the prediction of one row in Python, beside scikit-learn's own estimators, by the number of columns.

    PYTHONPATH=build/release/python build/python-env/bin/python bench/serving/one_row.py [--columns 1024 1048576]

Prints JSON, a line for each number of columns: microseconds a call, the median over rounds in which all take turns.
"""
import argparse
import json
import statistics
import time

import numpy as np
import scipy.sparse as sp
from sklearn import linear_model

import hogwild as hw
from hogwild.sklearn import FactorizationMachineClassifier, LogisticRegression, SGDClassifier

ENTRIES = 50  # in a row


def rows_of(columns, rows=4000):
    draw = np.random.default_rng(1)
    index = np.concatenate([draw.choice(columns, ENTRIES, replace=False) for _ in range(rows)]).astype(np.int32)
    start = np.arange(rows + 1, dtype=np.int32) * ENTRIES
    x = sp.csr_matrix((np.ones(len(index), np.float32), index, start), shape=(rows, columns))
    x.sort_indices()
    return x, draw.integers(0, 2, rows)


def asked_of(columns):
    """The functions to time, without arguments, by name."""
    x, y = rows_of(columns)
    row = x[:1]
    raw = (row.data, row.indices, row.indptr)
    model = hw.train(hw.Dataset(x, y), "logistic", engine="serial", epochs=1)
    estimators = {
        "SGDClassifier": SGDClassifier(max_iter=1, tol=None, random_state=0),
        "LogisticRegression": LogisticRegression(max_iter=1, tol=0, random_state=0),
        "FactorizationMachineClassifier": FactorizationMachineClassifier(max_iter=1, random_state=0),
        "scikit-learn SGDClassifier": linear_model.SGDClassifier(max_iter=1, tol=None, random_state=0),
    }
    asked = {"Model, raw arrays": lambda: model.predict(raw), "Model, csr_matrix": lambda: model.predict(row)}
    for name, estimator in estimators.items():
        fitted = estimator.fit(x, y)
        asked[name] = lambda fitted=fitted: fitted.predict(row)
    return asked


def microseconds(asked, rounds, calls):
    """The median time of each over `rounds`. All alternate, so that other load affects all alike."""
    told = {name: [] for name in asked}
    for ask in asked.values():
        ask()
    for _ in range(rounds):
        for name, ask in asked.items():
            begin = time.perf_counter()
            for _ in range(calls):
                ask()
            told[name].append((time.perf_counter() - begin) / calls * 1e6)
    return {name: round(statistics.median(all), 2) for name, all in told.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, nargs="+", default=[2**10, 2**14, 2**17, 2**20])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--calls", type=int, default=50, help="in a round, of each")
    given = parser.parse_args()
    for columns in given.columns:
        if columns < ENTRIES:
            parser.error(f"--columns {columns}: a row has {ENTRIES} entries, so give that many columns at least")
        told = microseconds(asked_of(columns), given.rounds, given.calls)
        print(json.dumps({"columns": columns, "entries": ENTRIES, "microseconds": told}), flush=True)


if __name__ == "__main__":
    main()
