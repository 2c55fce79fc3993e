# SPDX-License-Identifier: Apache-2.0
"""Signals, other threads, callbacks and forks while the engine trains."""
import os
import signal
import threading
import time

import numpy as np
import pytest

import hogwild as hw
from eventually import eventually, interrupt_in


def long_rows(rows=20000, columns=30):
    draw = np.random.default_rng(0)
    x = draw.normal(size=(rows, columns)).astype(np.float32)
    return x, (x @ draw.normal(size=columns) + draw.normal(size=rows) > 0).astype(np.float32)


def interrupt_after(what, sent):
    def send():
        what()
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send, daemon=True).start()


def test_an_interrupt_is_raised_at_once_and_leaves_a_model(monkeypatch):
    sklearn = pytest.importorskip("sklearn")
    from hogwild.sklearn import SGDClassifier, _base

    x, y = long_rows()
    delays, jobs, begin = [], [], _base.Job

    def begun(*words):
        jobs.append(begin(*words))
        return jobs[-1]

    monkeypatch.setattr(_base, "Job", begun)
    # Others use the machine, too: the shortest of some is the engine's delay.
    while len(delays) < 4 or (min(delays) >= 0.2 and len(delays) < 20):
        workers = 1 + len(delays) % 2
        fitted, sent = SGDClassifier(max_iter=10**6, tol=None, eta0=0.01, n_jobs=workers), []
        jobs.clear()
        interrupt_after(lambda: eventually(lambda: jobs and jobs[-1].rows_done > 20 * len(y)), sent)
        with pytest.raises(KeyboardInterrupt):
            fitted.fit(x, y)
        delays.append(time.perf_counter() - sent[0])
        assert fitted.score(x, y) > 0.8 and fitted.run_["status"] == "stopped"
        assert fitted.n_iter_ == fitted.run_["examples"] // len(y) > 1
    assert min(delays) < 0.2 and sklearn


def test_an_interrupt_during_the_search_of_a_step_is_raised():
    x, y = long_rows()
    job = hw.start(hw.Dataset(x, np.arange(len(y)) % 300), "softmax", engine="serial", epochs=10**6)  # takes seconds
    interrupt_in(hw.Job.wait)
    with pytest.raises(KeyboardInterrupt):
        job.wait()
    assert not job.running and job.rows_done == 0


def test_other_threads_go_on_while_it_trains():
    x, y = long_rows()
    job = hw.start(hw.Dataset(x, y), "logistic", engine="serial", epochs=10**6, step=0.01)
    ticks = []

    def count():
        while job.running:
            ticks.append(1)
            time.sleep(0.001)

    counting = threading.Thread(target=count)
    counting.start()
    deadline = time.monotonic() + 60
    while len(ticks) <= 20 and time.monotonic() < deadline:
        assert job.wait(0.05) is False
    job.stop()
    assert job.wait() is True
    counting.join()
    assert len(ticks) > 20


def test_a_callback_hears_each_epoch_and_may_end_the_run():
    x, y = long_rows(2000)
    heard = []

    def told(epoch):
        heard.append(epoch["epoch"])
        return epoch["epoch"] == 3

    model = hw.train(hw.Dataset(x, y), "logistic", engine="serial", epochs=50, step=0.1, callback=told)
    assert heard == [1, 2, 3] and model.run_["status"] == "stopped" and model.run_["stopped_by"] == "observer"


def test_what_a_callback_raises_is_raised():
    x, y = long_rows(2000)

    class Own(Exception):
        pass

    def told(epoch):
        raise Own("a sentence")

    with pytest.raises(Own, match="a sentence"):
        hw.train(hw.Dataset(x, y), "logistic", engine="serial", epochs=50, step=0.1, callback=told)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_forked_child_trains(workers):
    x, y = long_rows(5000)

    def trained():
        data = hw.Dataset(x, y, shuffle=True)
        return hw.train(data, "logistic", engine="threads", workers=workers, epochs=3, step=0.1, reproducible=True)

    expected = trained().scores(x)
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if np.array_equal(trained().scores(x), expected) else 1)
        except BaseException:
            os._exit(2)
    deadline = time.monotonic() + 60
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the child hangs")
        time.sleep(0.01)
    assert ended[1] == 0


def test_a_run_that_nobody_holds_is_stopped():
    x, y = long_rows()
    before = threading.active_count(), len(os.listdir("/proc/self/task"))
    for _ in range(20):
        hw.start(hw.Dataset(x, y), "logistic", engine="threads", workers=2, epochs=10**6, step=0.01)
    assert (threading.active_count(), len(os.listdir("/proc/self/task"))) == before
