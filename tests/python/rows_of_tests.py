# SPDX-License-Identifier: Apache-2.0
"""Rows that several tests train on, and what they ask of a process."""
import numpy as np
import scipy.sparse as sp

import hogwild as hw


def some_csr(rows=200, columns=50, dtype=np.float32, seed=0):
    return sp.random(rows, columns, density=0.1, format="csr", dtype=np.float64,
                     random_state=np.random.default_rng(seed)).astype(dtype)


def labels_of(x):
    return (np.asarray(x @ np.linspace(-1, 1, x.shape[1])).reshape(-1) > 0).astype(np.int64)


def coefficients(data, **options):
    model = hw.train(data, "logistic", engine="serial", epochs=5, step=0.5, l2=1e-3, **options)
    return dict(zip(model._saved.columns.tolist(), model._saved.weights.tolist()))


# The peak of this process alone: ru_maxrss starts with that of its parent.
PEAK = """
def peak():
    with open("/proc/self/status") as file:
        return 1024 * int(file.read().split("VmHWM:")[1].split()[0])
"""
