# SPDX-License-Identifier: Apache-2.0
"""Runs in the background."""
import time

import numpy as np
import pytest

import hogwild as hw


def rows():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(5000, 20)).astype(np.float32)
    return hw.Dataset(x, x[:, 0] > 0), x


def test_a_run_begins_and_tells_how_far_it_is():
    data, x = rows()
    job = hw.start(data, "logistic", engine="threads", workers=2, epochs=10**6, step=0.01)
    deadline = time.monotonic() + 60
    while len(job.history) < 3 and time.monotonic() < deadline:
        time.sleep(0.005)
    assert job.running and job.rows_done > 0
    told = job.history
    assert [e["epoch"] for e in told[:3]] == [1, 2, 3] and told[0]["train_loss"] > 0
    job.stop()
    model = job.result()
    assert model.run_["status"] == "stopped" and np.mean(model.predict(x) == (x[:, 0] > 0)) > 0.9
    assert job.rows_done >= 3 * 5000 and not job.running


def test_a_run_that_fails_says_why():
    data, _ = rows()
    job = hw.start(data, "softmax", engine="serial", epochs=2, l1=0.1, optimizer="adam")
    with pytest.raises(hw.ConfigError):
        job.result()


def test_a_run_that_was_stopped_before_a_row_has_no_model():
    data, _ = rows()
    for _ in range(20):
        job = hw.start(data, "logistic", engine="serial", epochs=10**6)
        job.stop()
        try:
            assert job.result().run_["status"] == "stopped"
        except (RuntimeError, hw.Error) as told:
            assert str(told)


def test_only_datasets_are_trained():
    with pytest.raises(TypeError, match="Dataset"):
        hw.start([[1.0]], "logistic")
    with pytest.raises(hw.ConfigError, match="model"):
        hw.start(rows()[0], "no_such_model")
