# SPDX-License-Identifier: Apache-2.0
"""Runs in the background."""
import gc
import io
import os
import re
import subprocess
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

import hogwild as hw
from eventually import eventually


def rows():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(5000, 20)).astype(np.float32)
    return hw.Dataset(x, x[:, 0] > 0), x


def training(job):
    """The job once it trains: its segment exists before parameters are laid out in it."""
    while job.rows_done == 0:
        assert job.running
        job.wait(0.01)
    return job


def test_a_run_begins_and_tells_how_far_it_is():
    data, x = rows()
    job = hw.start(data, "logistic", engine="threads", workers=2, epochs=10**6, step=0.01)
    assert eventually(lambda: len(job.history) >= 3)
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


READER = """
import sys, time
import numpy as np
import hogwild as hw
live = hw.attach(sys.argv[1])
first = live.age["rows_before"]
while live.age["rows_before"] < first + 20000:
    assert live.read() in (True, False)
x = np.load(sys.argv[2])
right = np.mean(live.model().predict(x) == (x[:, 0] > 0))
print(live.state, live.model_name, len(live.values), live.columns.tolist() == list(range(20)), right > 0.9)
"""


def test_parameters_are_read_from_another_process(tmp_path):
    data, x = rows()
    np.save(tmp_path / "x.npy", x)
    name = f"hogwild-python-test-{os.getpid()}"
    job = training(hw.start(data, "logistic", engine="threads", workers=2, epochs=10**6, step=0.01, segment=name,
                            bias=True))
    read = subprocess.run([sys.executable, "-c", READER, name, str(tmp_path / "x.npy")], capture_output=True, text=True)
    assert job.running and read.stdout == "training logistic 21 True True\n", read.stderr
    live = hw.attach(name)
    job.stop()
    weights = job.result()._saved.weights
    assert live.state == "ended" and live.read() and np.allclose(live.values[:20], weights, atol=1e-6)
    assert not os.path.exists("/dev/shm/" + name)
    with pytest.raises(hw.ResourceError, match=name):
        hw.attach(name)
    with pytest.raises(TypeError, match="name=3"):
        hw.attach(3)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("held_back", [None, 0.1])
def test_a_model_that_was_read_predicts_arrays_as_that_of_the_run(tmp_path, first, held_back):
    data, x = rows()
    if first == 1:
        text = "".join(f"{int(row[0] > 0)} " + " ".join(f"{k + 1}:{v:.6f}" for k, v in enumerate(row)) + "\n" for row in x)
        (tmp_path / "rows.svm").write_text(text)
        data = hw.open(tmp_path / "rows.svm")
    name = f"hogwild-python-test-{os.getpid()}"
    job = hw.start(data, "logistic", engine="threads", workers=2, epochs=10**6, step=0.01, segment=name, bias=True,
                   validation=held_back, patience=10**6 if held_back else None)
    while job.rows_done < 20000:
        job.wait(0.01)
    live = hw.attach(name)
    job.stop()
    model = job.result()
    assert live.read() and live.columns.tolist() == list(range(first, 20 + first))
    assert live.model()._saved.first_column == model._saved.first_column == first
    assert np.allclose(live.model().scores(x), model.scores(x), atol=1e-4)
    assert np.mean(live.model().predict(x) == (x[:, 0] > 0)) > 0.9


def test_a_reader_that_is_killed_disturbs_nobody(tmp_path):
    data, x = rows()
    name = f"hogwild-python-kill-{os.getpid()}"
    job = training(hw.start(data, "logistic", engine="threads", workers=2, epochs=10**6, step=0.01, segment=name))
    code = "import sys, hogwild as hw\nlive = hw.attach(sys.argv[1])\nprint(1, flush=True)\nwhile True: live.read()"
    for _ in range(3):
        reader = subprocess.Popen([sys.executable, "-c", code, name], stdout=subprocess.PIPE, text=True)
        assert reader.stdout.readline() == "1\n"
        reader.kill()
        reader.wait()
        reader.stdout.close()
    assert job.running
    job.stop()
    assert np.mean(job.result().predict(x) == (x[:, 0] > 0)) > 0.9


def test_a_bar_is_drawn():
    pytest.importorskip("tqdm")
    data, _ = rows()
    drawn = io.StringIO()
    hw.train(data, "logistic", epochs=3, step=0.1, engine="serial", callback=hw.tqdm(3, file=drawn, mininterval=0))
    assert "3/3" in drawn.getvalue() and "loss=" in drawn.getvalue()


def test_a_callback_may_hold_its_run():
    data, _ = rows()
    held = []
    job = hw.start(data, "logistic", engine="serial", epochs=10**6, step=0.01, callback=lambda _: held and held[0].stop())
    held.append(job)
    assert job.result().run_["status"] == "stopped"
    gone = weakref.ref(job)
    del job, held
    gc.collect()
    assert gone() is None


def hold_by_callback(drops):
    data, _ = rows()
    threads, held = [], []

    def told(_):
        threads.append(threading.get_native_id())
        if drops and len(threads) > 3:
            held.clear()

    held.append(hw.start(data, "logistic", engine="serial", epochs=10**9, step=0.01, callback=told))
    return weakref.ref(held[0]), threads


@pytest.mark.parametrize("drops", [False, True])
def test_a_run_that_its_callback_alone_holds_or_drops_ends(drops):
    gone, threads = hold_by_callback(drops)

    def ended():
        if not drops:
            gc.collect()
        return gone() is None

    assert eventually(ended, 30.0)
    assert eventually(lambda: not any(os.path.exists(f"/proc/self/task/{thread}") for thread in threads))


def memory():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# HOGWILD_FITS: how many fits, attaches and aborted fits are counted; 1,000 before a release.
FITS = int(os.environ.get("HOGWILD_FITS", "120"))


def test_fits_leave_memory_and_segments_as_they_were():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(20_000, 20)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.float32)
    name = f"hogwild-leak-{os.getpid()}"

    def some(number):
        for _ in range(number):
            hw.train(hw.Dataset(x, y, shuffle=True), "logistic", engine="threads", workers=2, epochs=1, step=0.1)
            broken = hw.start(hw.Dataset(x, y), "logistic", engine="threads", workers=2, epochs=10**6, step=0.1,
                              segment=name)
            while not broken.rows_done:
                broken.wait(0.0005)
            hw.attach(name)
            broken.stop()
            broken.result()
            with pytest.raises(hw.ConfigError):
                hw.train(hw.Dataset(x, y), "softmax", engine="serial", epochs=1, l1=0.1, optimizer="adam")

    some(40)
    before = memory(), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
    some(FITS)
    # The smallest array of a run's own, the labels of its rows, takes 80 kB: FITS of them are more than this.
    assert memory() - before[0] < 60_000 * FITS
    assert (len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))) == before[1:]
    assert [other for other in os.listdir("/dev/shm") if other.startswith(name)] == []


def wild_rows(rows=200):
    """Rows whose first column decides, and whose second one has times in milliseconds."""
    x = np.random.default_rng(0).normal(size=(rows, 4))
    x[:, 1] = 1.7e12 + 1e9 * x[:, 1]
    return x, (x[:, 0] > 0).astype(int)


def notes_of(call):
    """The notes that a call warns of, and what it returns."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = call()
    assert all(w.filename == __file__ for w in told if issubclass(w.category, hw.Note))
    return [str(w.message) for w in told if issubclass(w.category, hw.Note)], made


def test_notes_of_a_run_are_warnings_where_it_ends():
    assert issubclass(hw.Note, UserWarning)
    data = hw.Dataset(*wild_rows())
    told, model = notes_of(lambda: hw.train(data, epochs=2))
    assert len(told) == 1 and "column 1 has values of about 1.69" in told[0] and "scale='max_abs'" in told[0], told
    assert model.run_.notes == told
    job = hw.start(data, epochs=2)
    assert notes_of(job.wait) == (told, True) and notes_of(job.result)[0] == []  # once
    assert notes_of(lambda: hw.train(data, epochs=2, scale="max_abs"))[0] == []
    with warnings.catch_warnings():
        warnings.simplefilter("error", hw.Note)
        job = hw.start(data, epochs=2)
        with pytest.raises(hw.Note, match="column 1"):
            job.wait()
        assert job.result().name == "logistic"
    with pytest.raises(TypeError, match="timeout='a'"):
        job.wait("a")


def test_estimators_tell_notes_in_their_own_terms():
    pytest.importorskip("sklearn")
    from hogwild import sklearn as ours

    x, y = wild_rows()
    for estimator in (ours.SGDClassifier(), ours.SGDRegressor(), ours.LinearSVC(), ours.LogisticRegression()):
        told, fitted = notes_of(lambda: estimator.fit(x, y))
        assert len(told) == 1 and "MaxAbsScaler" in told[0] and ", or divide its values" in told[0], told
        assert not re.search("scale=|--|adagrad", told[0]) and fitted.run_.notes == told
    told, _ = notes_of(lambda: ours.MLPClassifier(solver="sgd").fit(x, y))
    assert "adagrad" in told[0] and "MaxAbs" not in told[0]
    empty = sp.csr_matrix((100, 4))
    for estimator in (ours.SGDClassifier(), ours.SGDRegressor(), ours.LinearSVC(), ours.LogisticRegression(),
                      ours.MLPClassifier(), ours.FactorizationMachineClassifier(), ours.FFM()):
        assert any("no row of X has an entry" in note for note in notes_of(lambda: estimator.fit(empty, y[:100]))[0])
    assert any("no row of the rows" in n for n in notes_of(lambda: hw.train(hw.Dataset(empty, y[:100])))[0])
    text = [[word] for word in "abc" * 10]
    assert notes_of(lambda: hw.Word2Vec(text, min_count=1, vector_size=4))[0]


def test_ordinary_fits_are_without_notes():
    pytest.importorskip("sklearn")
    from hogwild import sklearn as ours

    x = np.random.default_rng(0).normal(size=(300, 6))
    for classes, workers in ((2, None), (3, None), (2, 2)):
        y = np.digitize(x[:, 0], [0.0, 0.5][:classes - 1])
        for estimator in (ours.SGDClassifier(n_jobs=workers), ours.SGDRegressor(n_jobs=workers),
                          ours.SGDClassifier(average=0.5, n_jobs=workers), ours.LinearSVC(n_jobs=workers),
                          ours.LogisticRegression(n_jobs=workers), ours.MLPClassifier(n_jobs=workers)):
            assert notes_of(lambda: estimator.set_params(random_state=0).fit(x, y))[0] == [], estimator
    assert notes_of(lambda: hw.train(hw.Dataset(x, y), epochs=3))[0] == []
    ratings = sp.random(60, 40, density=0.3, format="csr", random_state=0)
    assert notes_of(lambda: hw.MatrixFactorization(num_threads=2).fit(ratings))[0] == []
    assert notes_of(lambda: hw.Word2Vec([list("abcd"), list("efgh")] * 200, min_count=1, vector_size=4))[0] == []
