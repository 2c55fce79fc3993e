# SPDX-License-Identifier: Apache-2.0
"""The common part of contestants in scikit-learn: reading rows, and reporting a linear model's parameters."""
import pathlib
import time

from sklearn.datasets import load_svmlight_file

from suite import point


def load(asked):
    """Rows, labels and the seconds of reading."""
    begin = time.perf_counter()
    rows, labels = load_svmlight_file(asked.data["train"], zero_based=False)
    rows.indices, rows.indptr = rows.indices.astype("int32"), rows.indptr.astype("int32")  # as solvers need them
    return rows, labels, time.perf_counter() - begin


def tell(asked, model, seconds, epochs, parsed):
    """A point, as by_script() reads it."""
    path = pathlib.Path(asked.work) / f"{type(model).__name__}_{epochs}.txt"
    columns = model.coef_.reshape(-1, model.n_features_in_).T.tolist()  # a row for each class, or one
    path.write_text("".join(f"{j} {' '.join(map(repr, w))}\n" for j, w in enumerate(columns, 1)), encoding="ascii")
    point.tell(seconds=seconds, epochs=epochs, weights=str(path), parse_seconds=parsed)
