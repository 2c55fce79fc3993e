# SPDX-License-Identifier: Apache-2.0
import pickle

import numpy as np
import pytest

import hogwild as hw

# Then an epoch depends on nothing but what the one before it has left.
STEADY = dict(engine="serial", order="sequential", schedule="constant", step=0.05, l2=1e-3)


@pytest.fixture
def data():
    draw = np.random.default_rng(1)
    X = draw.normal(size=(256, 8)).astype(np.float32)
    return hw.Dataset(X, (X[:, 0] + X[:, 1] > draw.normal(size=256)).astype(int))


def bytes_of(model, folder):
    path = folder / "model.bin"
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("optimizer", ["momentum", "adagrad", "adam"])
def test_two_runs_of_two_epochs_are_one_of_four(data, tmp_path, optimizer):
    common = dict(STEADY, optimizer=optimizer, save_state=True)
    whole = hw.train(data, epochs=4, **common)
    first = hw.train(data, epochs=2, **common)
    first.save(tmp_path / "first.txt")
    for begin in (first, hw.load(tmp_path / "first.txt"), pickle.loads(pickle.dumps(first))):
        both = hw.train(data, epochs=2, initial=begin, **common)
        assert bytes_of(both, tmp_path) == bytes_of(whole, tmp_path)
        assert f"goes on with the state of {optimizer} in the initial model" in both.run_.notes


def test_the_state_of_another_optimizer_is_not_used(data, tmp_path):
    first = hw.train(data, epochs=1, **STEADY, optimizer="adam", save_state=True)
    plain = hw.train(data, epochs=1, **STEADY, optimizer="adam")
    runs = [hw.train(data, epochs=1, initial=begin, **STEADY, optimizer="adagrad") for begin in (first, plain)]
    assert bytes_of(runs[0], tmp_path) == bytes_of(runs[1], tmp_path)
    assert any("is not used: it is that of adam" in note for note in runs[0].run_.notes)
    with pytest.raises(hw.ConfigError, match="sgd has no state"):
        hw.train(data, epochs=1, save_state=True)
