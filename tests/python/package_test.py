# SPDX-License-Identifier: Apache-2.0
"""The package itself: the cost of importing it, its program, its errors."""
import os
import pathlib
import pickle
import re
import resource
import subprocess
import sys

import numpy as np
import pytest

import hogwild as hw

ROOT = pathlib.Path(__file__).resolve().parents[2]


def seconds_of(code):
    """The CPU time of an interpreter that runs this, without that of other processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_importing_it_takes_less_than_three_tenths_of_a_second():
    nothing = min(seconds_of("pass") for _ in range(5))
    package = min(seconds_of("import hogwild") for _ in range(5))
    assert package - nothing < 0.3


def test_importing_it_imports_no_scikit_learn():
    code = "import hogwild, sys; assert 'sklearn' not in sys.modules and 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_version_is_that_of_the_project():
    declared = re.search(r"project\(hogwild VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    assert hw.__version__ == declared


def test_the_module_is_the_command():
    said = subprocess.run([sys.executable, "-m", "hogwild", "--version"], capture_output=True, text=True, check=True)
    assert hw.__version__ in said.stdout
    refused = subprocess.run([sys.executable, "-m", "hogwild", "trian"], capture_output=True, text=True)
    assert refused.returncode == 2 and "trian" in refused.stderr


def test_errors_are_those_that_python_has_for_such_faults():
    assert issubclass(hw.ConfigError, ValueError) and issubclass(hw.InputError, ValueError)
    assert issubclass(hw.ResourceError, OSError) and issubclass(hw.WorkerError, RuntimeError)
    for kind in (hw.ConfigError, hw.InputError, hw.ResourceError, hw.WorkerError):
        assert issubclass(kind, hw.Error)
    fault = pickle.loads(pickle.dumps(hw.InputError("a sentence")))
    assert isinstance(fault, hw.InputError) and str(fault) == "a sentence"


def test_options_are_named_as_python_has_them():
    data = hw.Dataset(np.eye(4, dtype=np.float32), [0, 1, 0, 1])
    with pytest.raises(hw.ConfigError, match="step") as told:
        hw.train(data, "logistic", step=-1.0)
    assert "--" not in str(told.value)
    with pytest.raises(hw.ConfigError, match="no_such_option"):
        hw.train(data, "logistic", no_such_option=1)
    with pytest.raises(hw.ConfigError, match="huber_delta needs model huber"):
        hw.train(data, "logistic", huber_delta=1.0)
    with pytest.raises(hw.ConfigError, match="engine serial or threads"):
        hw.train(data, "logistic", engine="processes")
    with pytest.raises(hw.ConfigError, match="command's"):
        hw.train(data, "logistic", save="model.txt")


@pytest.mark.parametrize("options, says", [
    (dict(foo=False), "no option 'foo'"), (dict(foo=None), "no option 'foo'"), (dict(shuffle=False), "hw.Dataset"),
    (dict(fit_intercept=False), "take bias"), (dict(lr=0.1), "take step"), (dict(epoch=2), "take epochs"),
    (dict(l2=False), "l2: 'false' is neither"), (dict(l2=True), "l2: 'true' is neither"),
    (dict(schedule=""), "schedule=''"), (dict(label_values=[]), "says nothing")])
def test_a_name_or_a_value_that_is_no_option_is_refused_whatever_the_value(options, says):
    data = hw.Dataset(np.eye(4, dtype=np.float32), [0, 1, 0, 1])
    for begin in (hw.train, hw.start):
        with pytest.raises(hw.ConfigError, match=says):
            begin(data, **options)


def test_options_are_those_of_the_command():
    told = subprocess.run([sys.executable, "-m", "hogwild", "train", "--help-all"], capture_output=True, text=True,
                          check=True).stdout
    asked = {name.replace("-", "_") for name in re.findall(r"^ +(?:-h, )?--([a-z0-9-]+)", told, re.MULTILINE)}
    known = set(hw._engine.option_texts())
    assert len(asked) > 80 and asked - known <= {"help", "help_all", "folds", "path"}  # of which a run in Python has none
    assert {"factors", "multiclass", "huber_delta", "validation"} <= known


def test_flags_are_what_they_are_set_to():
    data = hw.Dataset(np.eye(4, dtype=np.float32), [0, 1, 0, 1])
    model = hw.train(data, epochs=1, reproducible=False, bias=False, l1=None)
    assert len(model._saved.bias) == 0
    with pytest.raises(TypeError, match="initial='m'.*hw.load"):
        hw.train(data, initial="m")


@pytest.mark.parametrize("options, says", [
    (dict(validation="rows.svm"), "validation is a fraction.*number between 0 and 1"), (dict(cache_dir="x"), "hw.open"),
    (dict(no_cache=True), "hw.open"), (dict(memory=1), "hw.open"), (dict(format="ffm"), "hw.open"),
    (dict(values="half"), "hw.open"), (dict(label="y"), "hw.open"),
    (dict(categorical="c"), "hw.open"), (dict(stop_exit_code=3), "command's")])
def test_options_that_only_the_command_heeds_are_refused(options, says):
    with pytest.raises(hw.ConfigError, match=says):
        hw.train(some_rows(), epochs=1, **options)


def test_help_tells_the_options_that_python_takes():
    told = hw.start.__doc__
    for option in ("l2: strength", "optimizer: how", "factors: ", "multiclass: ", "checkpoint: "):
        assert "\n        " + option in told
    for of_the_command in ("save: ", "test: ", "quiet: ", "OPTIONS"):
        assert "\n        " + of_the_command not in told
    assert all(len(line) <= 120 for line in told.splitlines())


def test_all_models_are_told():
    assert "logistic" in hw.models() and all(hw.models().values())


def test_an_attribute_that_is_not_there_is_named():
    with pytest.raises(AttributeError, match="no_such"):
        hw.no_such


def some_rows():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(3000, 10)).astype(np.float32)
    return hw.Dataset(x, x[:, 0] + 3.0 > 0.5 * draw.normal(size=3000) + 2.0)


def test_training_has_a_constant_term_and_the_model_of_its_seed():
    data = some_rows()
    models = [hw.train(data, "logistic", epochs=3) for _ in range(3)]
    assert models[0].run_["engine"] == "serial" and models[0]._saved.bias[0] > 0.5
    for model in models[1:]:
        np.testing.assert_array_equal(model._saved.weights, models[0]._saved.weights)
    assert len(hw.train(data, "logistic", epochs=1, bias=False)._saved.bias) == 0
    assert len(hw.train(data, "logistic", epochs=1, bias=None, engine=None)._saved.bias) == 1
    assert hw.start(data, "logistic", epochs=1).result().run_["engine"] == "serial"
    for asked in (dict(engine="threads"), dict(workers=2), dict(engine="threads", workers=2)):
        assert hw.train(data, "logistic", epochs=1, **asked).run_["engine"] == "threads"
    # Every model trains with what it has by default, whether it takes a constant term or has one of its own.
    assert len(hw.train(data, "factorization_machine", epochs=1)._saved.weights) == 10 * 9


QUOTA = """
from hogwild._train import threads_of, workers_of
print(threads_of(-1), threads_of(-2), threads_of(3), workers_of(-1)["workers"])
"""


def test_as_many_as_there_are_is_what_the_engine_takes():
    # The affinity mask is one of the limits; cpu_quota_test of the engine tests control groups.
    told = subprocess.run([sys.executable, "-c", QUOTA], capture_output=True, text=True, check=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    assert told.stdout == "1 1 3 1\n", told.stderr
    # If a control group grants less than the mask, the engine's number is less: nothing counts the mask alone.
    package = pathlib.Path(hw.__file__).parent
    for source in package.rglob("*.py"):
        assert "sched_getaffinity" not in source.read_text() and "cpu_count" not in source.read_text(), source
