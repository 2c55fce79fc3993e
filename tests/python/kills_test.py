# SPDX-License-Identifier: Apache-2.0
"""SIGKILL of a training process, of its workers and of a reader: the others go on, and nothing is left behind.

HOGWILD_KILLS says how often each of the three is killed; 20 by default, 200 before a release.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import hogwild as hw
from eventually import eventually

KILLS = int(os.environ.get("HOGWILD_KILLS", "20"))
DRAW = np.random.default_rng(0)
X = DRAW.normal(size=(2000, 20)).astype(np.float32)
Y = X[:, 0] > 0
NAME = f"hogwild-kills-{os.getpid()}"


def started(name):
    return hw.start(hw.Dataset(X, Y), "logistic", engine="threads", workers=2, epochs=10**9, step=0.01, segment=name)


children = []


@pytest.fixture(autouse=True)
def no_child_stays():
    yield
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    children.clear()


def forked(work):
    """The id of a child that does this until it is killed. It has no threads of its parent, and needs none."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    children.append(child)
    return child


def killed(child):
    """Kills it within a few milliseconds, wherever it is; it must have lived until then."""
    time.sleep(DRAW.uniform(0.0, 0.01))
    assert os.waitpid(child, os.WNOHANG) == (0, 0)
    os.kill(child, signal.SIGKILL)
    children.remove(child)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL


def attached(name):
    """The run's parameters as soon as there are any: its segment stands before it is laid out."""
    found = []

    def attaches():
        try:
            found.append(hw.attach(name))
        except hw.ResourceError:
            return False
        return True

    assert eventually(attaches)
    return found.pop()


def left_over():
    return [name for name in os.listdir("/dev/shm") if name.startswith(NAME)]


def command(*words):
    return [sys.executable, "-m", "hogwild", *words]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_clients_that_train_are_killed():
    for k in range(KILLS):
        name = f"{NAME}-{k}"
        child = forked(lambda: started(name).wait())
        live = attached(name)
        killed(child)
        assert eventually(lambda: live.state == "killed")
        assert live.read() in (True, False) and np.all(np.isfinite(live.values))
        assert np.all(np.isfinite(live.model().scores(X)))
        del live
    subprocess.run(command("segments", "--purge"), check=True, capture_output=True)
    assert left_over() == []


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_observers_are_killed():
    files = len(os.listdir("/proc/self/fd"))
    job = started(NAME)
    assert eventually(lambda: job.rows_done > 0)

    def read_on():
        live = hw.attach(NAME)
        while True:
            live.read()

    for _ in range(KILLS):
        before = job.rows_done
        killed(forked(read_on))
        assert eventually(lambda: job.rows_done > before)
    assert job.running and hw.attach(NAME).state == "training"
    job.stop()
    job.wait()
    assert np.mean(job.result().predict(X) == Y) > 0.9
    assert len(os.listdir("/proc/self/fd")) == files and left_over() == []


def children_of(process):
    told = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(child) for child in told.split()]


def test_workers_are_killed(tmp_path):
    lines = [" ".join([str(int(y))] + [f"{j + 1}:{v:.4g}" for j, v in enumerate(row)]) for row, y in zip(X, Y)]
    (tmp_path / "train.svm").write_text("\n".join(lines) + "\n")
    run = subprocess.Popen(command("train", tmp_path / "train.svm", "--engine", "processes", "--workers", "2", "--step",
                                   "0.01", "--epochs", "1000000000", "--segment", NAME, "--save", tmp_path / "model.bin",
                                   "--quiet", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        live, once = attached(NAME), set()
        for _ in range(KILLS):
            assert eventually(lambda: len(set(children_of(run.pid)) - once) == 2)
            before = live.age["rows_after"]
            assert eventually(lambda: live.read() and live.age["rows_after"] > before)
            worker = min(set(children_of(run.pid)) - once)
            time.sleep(DRAW.uniform(0.0, 0.01))
            os.kill(worker, signal.SIGKILL)
            once.add(worker)
        run.send_signal(signal.SIGINT)
        told, said = run.communicate(timeout=1400)
    finally:
        run.kill()
    assert run.returncode == 130, said
    assert 0 < json.loads(told)["workers_replaced"] <= KILLS
    assert np.mean(hw.load(tmp_path / "model.bin").predict(X) == Y) > 0.9 and left_over() == []
