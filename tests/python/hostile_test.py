# SPDX-License-Identifier: Apache-2.0
"""Mistakes of programs: they are refused with a message, and neither crash nor hang."""
import multiprocessing
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp

import hogwild as hw

pytest.importorskip("sklearn")
from hogwild.sklearn import FFM, SGDClassifier  # noqa: E402

DRAW = np.random.default_rng(0)
X = sp.random(400, 50, density=0.2, format="csr", dtype=np.float32, random_state=DRAW)
Y = (X @ DRAW.normal(size=50) > 0).astype(int)


BEGIN = ("import time, numpy as np, hogwild as hw\n"
         "data = hw.Dataset(np.eye(40, dtype=np.float32), np.arange(40) % 2)\n"
         "def begin(callback):\n"
         "    return hw.start(data, 'logistic', epochs=10**6, step=0.1, callback=callback)\n")


@pytest.mark.parametrize("rest", [
    "job, kept = begin(lambda e: None), None\nkept = begin(lambda e: kept is job)\n"
    "while not kept.history: time.sleep(0.001)\n",
    # The callback finds no name `kept`: nobody reads its exception, which refers to the run that keeps it.
    "job = begin(lambda e: kept is None)\nwhile job.running: time.sleep(0.001)\nkept = job\n",
], ids=["that_goes_on", "that_has_raised"])
def test_an_interpreter_that_ends_with_a_callback(rest):
    done = subprocess.run([sys.executable, "-c", BEGIN + rest], capture_output=True, text=True, check=False, timeout=1400)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_callback_raises_is_raised_and_told_again():
    def fault(_):
        raise KeyError("here")
    job = hw.start(hw.Dataset(X, Y), "logistic", epochs=3, step=0.1, callback=fault)
    with pytest.raises(KeyError, match="here"):
        job.result()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="the callback has ended the run: KeyError.'here'"):
            job.result()


def test_a_stream_that_several_threads_learn_by():
    model = SGDClassifier(eta0=0.1, random_state=0).partial_fit(X, Y, classes=[0, 1])
    threads = [threading.Thread(target=lambda: [model.partial_fit(X, Y) for _ in range(20)]) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert np.isfinite(model.coef_).all() and model.score(X, Y) > 0.8


def test_coefficients_of_another_shape_begin_no_stream():
    model = SGDClassifier(eta0=0.1, random_state=0).partial_fit(X, Y, classes=[0, 1])
    model._stream = None
    model.coef_ = np.zeros((1, 1))
    with pytest.raises(ValueError, match="cannot begin with 1 weights"):
        model.partial_fit(X, Y)


def test_a_child_goes_on_with_the_stream_of_its_parent():
    model = SGDClassifier(eta0=0.1, random_state=0, n_jobs=2).partial_fit(X, Y, classes=[0, 1])
    child = multiprocessing.get_context("fork").Process(target=lambda: model.partial_fit(X, Y))
    child.start()
    child.join(30)
    assert child.exitcode == 0


def test_columns_beyond_what_there_is_room_for():
    with pytest.raises(ValueError, match="at most"):
        FFM().fit(sp.csr_matrix(([1.0, 1.0], ([0, 1], [0, 1 << 22])), shape=(2, (1 << 22) + 1)), [0, 1])
    wide = sp.csr_matrix(X, copy=True)
    wide.indices = wide.indices.astype(np.int64)
    wide.indices[-1] = (1 << 32) + 2
    with pytest.raises(ValueError, match="4294967298"):
        hw.Dataset(wide, Y)


@pytest.mark.parametrize("call", [
    lambda: hw.train(hw.Dataset(X, Y), "logistic", help=True),
    lambda: hw.train(hw.Dataset(X, Y), "logistic", quiet=True),
    lambda: hw.Dataset(sp.coo_array(np.ones(3)), [0, 1, 0]),
])
def test_options_and_shapes_without_a_meaning(call):
    with pytest.raises((TypeError, ValueError)):
        call()
