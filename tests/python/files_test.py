# SPDX-License-Identifier: Apache-2.0
"""Rows and models in files."""
import gzip
import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import hogwild as hw

from rows_of_tests import coefficients, labels_of, some_csr


def write_svm(path, x, y):
    lines = []
    for r in range(x.shape[0]):
        row = x[[r]].tocoo()
        lines.append(" ".join([str(y[r])] + [f"{j + 1}:{v!r}" for j, v in zip(row.col.tolist(), row.data.tolist())]))
    path.write_text("\n".join(lines) + "\n")


def test_a_file_is_opened_and_pickled_by_its_name(tmp_path):
    x = some_csr()
    y = labels_of(x)
    write_svm(tmp_path / "train.svm", x, y)
    data = hw.open(tmp_path / "train.svm")
    assert data.nnz == x.nnz and data.path == str(tmp_path / "train.svm") and data.copies == ()
    assert sorted(data.y.tolist()) == sorted(y.tolist())
    taken = pickle.dumps(data)
    assert len(taken) < 1000
    assert coefficients(pickle.loads(taken)) == coefficients(data)
    assert hw.open(tmp_path / "train.svm")._rows.from_cache
    with gzip.open(tmp_path / "same.svm.gz", "wt") as packed:
        packed.write((tmp_path / "train.svm").read_text())
    assert coefficients(hw.open(tmp_path / "same.svm.gz", cache=False)) == coefficients(data)


def test_a_model_of_a_file_predicts_arrays(tmp_path):
    x = some_csr()
    y = labels_of(x)
    write_svm(tmp_path / "train.svm", x, y)
    model = hw.train(hw.open(tmp_path / "train.svm"), "logistic", engine="serial", epochs=30)
    assert np.mean(model.predict(x) == y) > 0.9


def test_a_model_of_a_text_says_the_same_once_it_is_read_again(tmp_path):
    x = some_csr()
    y = labels_of(x)
    write_svm(tmp_path / "train.svm", x, y)
    of_file = hw.train(hw.open(tmp_path / "train.svm"), "logistic", engine="serial", epochs=30)
    of_arrays = hw.train(hw.Dataset(x, y), "logistic", engine="serial", epochs=30)
    subprocess.run([sys.executable, "-m", "hogwild", "train", tmp_path / "train.svm", "--save", tmp_path / "command.bin",
                    "--quiet"], check=True)
    for model, first in ((of_file, 1), (of_arrays, 0), (hw.load(tmp_path / "command.bin"), 1)):
        assert model._saved.first_column == first and np.mean(model.predict(x) == y) > 0.9
        for name in ("model.txt", "model.bin"):
            model.save(tmp_path / name)
            assert np.array_equal(hw.load(tmp_path / name).scores(x), model.scores(x))
        assert np.array_equal(pickle.loads(pickle.dumps(model)).scores(x), model.scores(x))
    # A model that begins with another one has its columns, whether they count from 0 or 1.
    for data in (hw.Dataset(x, y), hw.open(tmp_path / "train.svm")):
        for begin in (of_file, of_arrays):
            warm = hw.train(data, "logistic", engine="serial", epochs=1, step=1e-9, initial=begin)
            assert np.allclose(warm.scores(x), begin.scores(x), atol=1e-4)
    of_file.save(tmp_path / "model.bin")
    said = subprocess.run([sys.executable, "-m", "hogwild", "predict", tmp_path / "model.bin", tmp_path / "train.svm"],
                          check=True, capture_output=True, text=True).stdout.split()
    assert np.array_equal(np.array(said, float), of_file.predict(x))


@pytest.mark.parametrize("how", [dict(model="huber"), dict(model="softmax"), dict(model="factorization_machine"),
                                 dict(model="mlp", hidden=4), dict(model="logistic", multiclass="ovr"),
                                 dict(model="logistic", ensemble=3), dict(model="softmax", class_loss="one_vs_rest"),
                                 dict(model="text_classifier", dimension=4)])
def test_every_model_of_a_text_is_read_again(how, tmp_path):
    x = some_csr()
    y = labels_of(x)
    if {"multiclass", "class_loss"} & set(how):
        y += np.arange(len(y)) % 2
    write_svm(tmp_path / "train.svm", x, y)
    try:
        model = hw.train(hw.open(tmp_path / "train.svm"), engine="serial", epochs=3, **how)
    except hw.ConfigError as fault:
        pytest.skip(str(fault))  # no Eigen, no nets
    model.save(tmp_path / "model.bin")
    again = hw.load(tmp_path / "model.bin")
    assert again._saved.first_column == 1 and np.array_equal(again.scores(x), model.scores(x))


def test_columns_of_images_and_of_libffm_text_keep_their_places(tmp_path):
    draw = np.random.default_rng(0)
    images, digits = draw.integers(0, 2, (300, 4, 4)), draw.integers(0, 2, 300)
    images[:, 1, 2], images[:, 1, 1], images[:, 1, 3] = 200 * digits, 100, 100
    header = np.array([2051, 300, 4, 4], ">u4").tobytes()
    (tmp_path / "images-idx3").write_bytes(header + images.astype(np.uint8).tobytes())
    (tmp_path / "labels-idx1").write_bytes(np.array([2049, 300], ">u4").tobytes() + digits.astype(np.uint8).tobytes())
    model = hw.train(hw.open(tmp_path / "images-idx3"), "logistic", engine="serial", epochs=30)
    assert np.mean(model.predict(images.reshape(300, 16).astype(np.float32)) == digits) == 1.0

    pytest.importorskip("sklearn")
    from hogwild.sklearn import FFM
    (tmp_path / "train.ffm").write_text("".join(f"{d} 0:{d}:1 1:{2 + k % 3}:1\n" for k, d in enumerate(digits)))
    fitted = FFM(random_state=0, fields=[0, 0, 1, 1, 1]).fit(hw.open(tmp_path / "train.ffm", model="ffm"))
    x = np.zeros((300, 5), np.float32)
    x[np.arange(300), digits] = x[np.arange(300), 2 + np.arange(300) % 3] = 1.0
    assert fitted.n_features_in_ == 5 and fitted.score(x, digits) == 1.0


def test_a_file_that_is_none_is_told_by_its_place(tmp_path):
    with pytest.raises(hw.InputError, match="nowhere.svm"):
        hw.open(tmp_path / "nowhere.svm")
    (tmp_path / "bad.svm").write_text("1 1:2\n0 3:x\n")
    with pytest.raises(hw.InputError, match="bad.svm:2:"):
        hw.open(tmp_path / "bad.svm")
    with pytest.raises(hw.ConfigError, match="format|ratings"):
        hw.open(tmp_path / "bad.svm", format="ratings")


def test_a_file_is_named_for_what_it_is(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"PAR1\x15\x04\x15\x10\0\0")
    with pytest.raises(hw.InputError, match="x.parquet: (pyarrow cannot read it|this is a file of Parquet or Arrow)"):
        hw.open(tmp_path / "x.parquet", label="y")
    (tmp_path / "x.csv").write_text("0,7,3,5\n1,2,9,4\n")
    with pytest.raises(hw.ConfigError, match="x.csv: this is a table; name the column of its label: label COLUMN, one of 1, 2"):
        hw.open(tmp_path / "x.csv", model="softmax")


def test_a_table_is_read_by_its_names(tmp_path):
    rows = "".join(f"{'yes' if k % 3 else 'no'},{k % 3},c{k % 3},{k}\n" for k in range(90))
    (tmp_path / "t.csv").write_text("y,n,c_1,id\n" + rows)
    data = hw.open(tmp_path / "t.csv", label="y", categorical="c_*", numeric=["n"], ignore=["id"])
    assert data.shape == (90, 4) and sorted(data.y) == [0.0] * 30 + [1.0] * 60
    model = hw.train(data, "logistic", epochs=20, engine="serial")
    assert model.classes_.tolist() == ["no", "yes"]
    model.save(tmp_path / "m.bin")
    assert hw.load(tmp_path / "m.bin").classes_.tolist() == ["no", "yes"]
    with pytest.raises(TypeError, match="by their names, and arrays have none"):
        model.predict(np.ones((2, 3), np.float32))
    with pytest.raises(hw.ConfigError, match="trained further by the command"):
        hw.train(data, "logistic", epochs=1, engine="serial", initial=model)
    (tmp_path / "u.csv").write_text("c_1,n\nc0,0\nc1,1\n")
    said = subprocess.run([sys.executable, "-m", "hogwild", "predict", tmp_path / "m.bin", tmp_path / "u.csv"],
                          capture_output=True, text=True, check=True).stdout
    assert said.split() == ["no", "yes"]
    hashed = hw.open(tmp_path / "t.csv", label="y", ignore="id", hash_bits=10, format="csv", cache=False)
    assert pickle.loads(pickle.dumps(hashed)).nnz == hashed.nnz
    kinds = hw.open(tmp_path / "t.csv", label="y", text="c_1", interactions="n*c_1", min_rows=2, word_ngrams=2, ignore="id",
                    cache=False)
    assert kinds.nnz == 210  # a word a row; where n is 0 neither a number nor a combination
    (tmp_path / "columns.txt").write_text("label y\ntext c_1\ninteractions n*c_1\nmin-rows 2\nword-ngrams 2\nignore id\n")
    assert hw.open(tmp_path / "t.csv", columns=tmp_path / "columns.txt", cache=False).nnz == 210
    with pytest.raises(hw.ConfigError, match="word_ngrams"):
        hw.open(tmp_path / "t.csv", label="y", word_ngrams=20)
    with pytest.raises(hw.ConfigError, match="no column 'z'; it has y, n, c_1, id"):
        hw.open(tmp_path / "t.csv", label="z")
    for wrong in ({"label": 1}, {"label": "y", "ignore": [1]}, {"label": "y", "hash_bits": 1.5}, {"numeric": "a,b"}):
        with pytest.raises(TypeError):
            hw.open(tmp_path / "t.csv", **wrong)


def test_labels_of_lines_of_entries_may_be_words(tmp_path):
    path = tmp_path / "t.svm"
    path.write_text("spam 1:1\nham 2:1\n" * 10)
    with pytest.warns(hw.Note, match="labels are words"):
        rows = hw.open(path, cache=False)
    model = hw.train(rows, "logistic", epochs=20, engine="serial")
    assert model.classes_.tolist() == ["ham", "spam"]
    assert model.predict(np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)).tolist() == ["spam", "ham"]
    model.save(tmp_path / "m.bin")
    assert hw.load(tmp_path / "m.bin").classes_.tolist() == ["ham", "spam"]
    (tmp_path / "o.svm").write_text("eggs 1:1\nham 2:1\n")
    with pytest.warns(hw.Note), pytest.raises(hw.ConfigError, match="other words than those of the model"):
        hw.train(hw.open(tmp_path / "o.svm", cache=False), "logistic", epochs=1, engine="serial", initial=model)


def test_parquet_arrow_and_feather_are_tables(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    rows = range(60)
    table = pa.table({"y": ["yes" if k % 3 else "no" for k in rows], "n": [None if k % 10 == 0 else k / 4 for k in rows],
                      "c": pa.array([f"c, \"{k % 3}\"" for k in rows]).dictionary_encode(),
                      "tags": [["a", "b"][: k % 3] for k in rows], "big": pa.array(rows, pa.int64()),
                      "day": pa.array([k * 86_400_000_000 for k in rows], pa.timestamp("us"))})
    how = {"label": "y", "list": "tags", "date": "day"}
    parquet.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.feather")
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=7)
    names = "y,n,c,tags,big,day\n"
    text = "".join(f"{'yes' if k % 3 else 'no'},{'' if k % 10 == 0 else k / 4},\"c, \"\"{k % 3}\"\"\",{'|'.join(['a', 'b'][: k % 3])},"
                   f"{k},{np.datetime64(k * 86_400_000_000, 'us')}\n" for k in rows)
    (tmp_path / "t.csv").write_text(names + text)
    expected = hw.train(hw.open(tmp_path / "t.csv", cache=False, **how), "logistic", epochs=3, engine="serial")
    expected.save(tmp_path / "csv.txt")
    for name in ("t.parquet", "t.feather", "t.arrow"):
        data = hw.open(tmp_path / name, **how)
        assert pickle.loads(pickle.dumps(data)).nnz == data.nnz
        hw.train(data, "logistic", epochs=3, engine="serial").save(tmp_path / "arrow.txt")
        assert (tmp_path / "arrow.txt").read_text() == (tmp_path / "csv.txt").read_text()
    with pytest.raises(hw.ConfigError, match=r"t.parquet: this is a table; name the column of its label.*one of y, n, c"):
        hw.open(tmp_path / "t.parquet")
    with pytest.raises(hw.ConfigError, match="leave out the format"):
        hw.open(tmp_path / "t.parquet", format="libsvm")
    parquet.write_table(pa.table({"y": [1], "s": [{"a": 1}]}), tmp_path / "s.parquet")
    with pytest.raises(hw.InputError, match="the column 's' has the type struct"):
        hw.open(tmp_path / "s.parquet", label="y")


def in_order(data):
    """The rows of a data set whose labels are the numbers of the rows."""
    rows, labels, _ = data._arrays()
    return rows[np.argsort(labels)]


def test_matrix_market_files_are_what_scipy_reads(tmp_path):
    sp, io = pytest.importorskip("scipy.sparse"), pytest.importorskip("scipy.io")
    draw = np.random.default_rng(3)
    real = sp.random(200, 31, density=0.1, format="coo", random_state=draw)
    whole = real.copy()
    whole.data = np.ceil(10 * real.data).astype(int)
    dense = real.toarray()
    dense[0, -1] = 0.5
    path = tmp_path / "m.mtx"
    np.savetxt(tmp_path / "m.labels", np.arange(200), fmt="%d")
    for matrix, field in ((real, "real"), (whole, "integer"), (whole, "pattern"), (dense, "real")):
        io.mmwrite(path, matrix, field=field, symmetry="general", comment="of a test")
        expected = io.mmread(path)
        expected = expected if isinstance(expected, np.ndarray) else expected.toarray()
        found = in_order(hw.open(path, cache=False)).toarray()
        assert (found == expected[:, :found.shape[1]].astype(np.float32)).all() and not expected[:, found.shape[1]:].any()
    square = np.diag([1.0, 2.0])
    for matrix, field, symmetry in ((square, "real", "symmetric"), (square, "complex", "general"),
                                    (square, "complex", "hermitian"), (np.array([[0, 1.0], [-1.0, 0]]), "real", "skew-symmetric")):
        io.mmwrite(path, sp.coo_array(matrix), field=field, symmetry=symmetry)
        with pytest.raises(hw.InputError, match=f"m.mtx:1:[0-9]+: '({field}|{symmetry})' (values|matrices) are not read"):
            hw.open(path, cache=False)


def test_files_of_numpy_and_scipy(tmp_path):
    sp = pytest.importorskip("scipy.sparse")
    x = some_csr()
    y = labels_of(x)
    np.save(tmp_path / "y.npy", y)
    np.save(tmp_path / "x.npy", x.toarray())
    sp.save_npz(tmp_path / "x.npz", x)
    sp.save_npz(tmp_path / "csc.npz", x.tocsc(), compressed=False)
    np.savez(tmp_path / "named.npz", X=x.toarray(), y=y, other=y[::-1].copy())
    np.savez_compressed(tmp_path / "single.npz", table=x.toarray(), clicks=y)
    expected, of_dense = (coefficients(hw.Dataset(rows, y, shuffle=True)) for rows in (x, x.toarray()))
    for name, label in (("x.npz", y), ("x.npz", tmp_path / "y.npy"), ("csc.npz", str(tmp_path / "y.npy")), ("x.npy", y.tolist()),
                        ("named.npz", None), ("single.npz", "clicks")):
        data = hw.open(tmp_path / name, label=label)
        same = expected if name in ("x.npz", "csc.npz") else of_dense
        assert data.path == str(tmp_path / name) and coefficients(data) == same, name
        assert coefficients(pickle.loads(pickle.dumps(data))) == same
        again, labels, _ = data._arrays()
        assert again.shape == x.shape and sorted(labels.tolist()) == sorted(y.tolist())
    assert coefficients(hw.open(tmp_path / "named.npz", label="other")) != of_dense
    with pytest.raises(TypeError, match="a shuffled Dataset has its rows in another order"):
        hw.train(data, "logistic", epochs=1).predict(data)


@pytest.mark.parametrize("name, options, words", [
    ("x.npy", {}, "x.npy: it has no labels: give label=, an array or the path of a .npy file"),
    ("two.npz", {"label": "y"}, "has the arrays A, B, y; call that of the rows 'X'"),
    ("two.npz", {"label": "z"}, "is no file, and none of the arrays A, B, y"),
    ("x.npy", {"label": "none.npy"}, "label='none.npy' is no file"),
    ("x.npy", {"label": [1, 0]}, "x.npy: "),
    ("x.npy", {"label": [1, 0, 1], "format": "csv"}, "there is no format: leave it out"),
    ("x.npy", {"label": [1, 0, 1], "categorical": "a"}, "there is no categorical: leave it out"),
    ("cut.npy", {"label": [1, 0, 1]}, "cut.npy: numpy cannot read it"),
    ("objects.npy", {"label": [1, 0, 1]}, "objects.npy: numpy cannot read it"),
    ("nan.npy", {"label": [1, 0, 1]}, "nan.npy: ")])
def test_files_of_numpy_are_refused(tmp_path, name, options, words):
    table = np.array([[1.0, 2.0], [0.0, 3.0], [4.0, 0.0]])
    np.save(tmp_path / "x.npy", table)
    (tmp_path / "cut.npy").write_bytes((tmp_path / "x.npy").read_bytes()[:-5])
    np.save(tmp_path / "objects.npy", np.array([{}, {}, {}], object), allow_pickle=True)
    np.save(tmp_path / "nan.npy", np.where(table == 3, np.nan, table))
    np.savez(tmp_path / "two.npz", A=table, B=table, y=[1, 0, 1])
    with pytest.raises((hw.InputError, hw.ConfigError)) as refused:
        hw.open(tmp_path / name, **options)
    assert words in str(refused.value)


def test_the_command_says_how_files_of_numpy_are_read(tmp_path):
    np.save(tmp_path / "x.npy", np.eye(3))
    np.savez(tmp_path / "x.npz", X=np.eye(3))
    for name in ("x.npy", "x.npz"):
        done = subprocess.run([sys.executable, "-m", "hogwild", "train", tmp_path / name], capture_output=True, text=True)
        assert done.returncode == 3 and "read it in Python, by hogwild.open(path, label=LABELS)" in done.stderr


def test_pairs_and_triples_are_opened_for_what_they_are(tmp_path):
    (tmp_path / "pairs.txt").write_text("7 1 2 3\n8 1\n")
    with pytest.warns(hw.Note, match="each line is a user and the user's items"):
        pairs = hw.open(tmp_path / "pairs.txt", format="pairs", cache=False)
    assert pairs.shape == (4, 5) and list(pairs.y) == [1, 1, 1, 1] and pairs.names is None
    (tmp_path / "triples.tsv").write_text("b\tr\t01\nb\ts\t1\n")
    triples = hw.open(tmp_path / "triples.tsv", format="triples")
    assert triples.shape == (2, 5) and triples.names == ["b", "01", "1", "r", "s"]
    assert pickle.loads(pickle.dumps(triples)).names == triples.names
    (tmp_path / "named.tsv").write_text("ann\tx\t5\nbob\ty\t2\n")
    with pytest.warns(hw.Note, match="1 ratings below 3 are left out"):
        named = hw.open(tmp_path / "named.tsv", format="pairs", named_ids=True, positive_from=3)
    assert named.shape == (1, 2) and named.names == ["ann", "x"]
    with pytest.raises(hw.ConfigError, match="positive_from is for ratings that become pairs"):
        hw.open(tmp_path / "named.tsv", positive_from=3)
    with pytest.raises(hw.ConfigError, match="reads rows of features, not format pairs"):
        hw.open(tmp_path / "pairs.txt", format="pairs", model="logistic")


def test_the_header_of_ratings_is_told_as_a_warning(tmp_path):
    (tmp_path / "r.csv").write_text("userId,movieId,timestamp,rating\n1,10,964982703,5\n2,20,964982704,3\n")
    with pytest.warns(hw.Note, match="line 1 is a header, by which the user is 'userId'"):
        data = hw.open(tmp_path / "r.csv", model="matrix_factorization", cache=False)
    assert sorted(data.y) == [3, 5]


def test_a_model_is_saved_read_and_pickled(tmp_path):
    x = some_csr()
    y = labels_of(x)
    model = hw.train(hw.Dataset(x, y), "logistic", engine="serial", epochs=10)
    for name in ("model.txt", "model.bin"):
        model.save(tmp_path / name)
        assert np.array_equal(hw.load(tmp_path / name).scores(x), model.scores(x))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.scores(x), model.scores(x)) and again.run_["status"] == model.run_["status"]
    assert np.allclose(model.predict_proba(x).sum(axis=1), 1.0)
    assert np.array_equal(model.predict(x), model.classes_[(model.scores(x) > 0).astype(int)])


def test_a_model_that_others_may_change_is_told_as_a_warning(tmp_path):
    x = np.eye(4, dtype=np.float32)
    hw.train(hw.Dataset(x, [0, 1, 0, 1]), epochs=1).save(tmp_path / "model")
    os.chmod(tmp_path / "model", 0o644)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hw.load(tmp_path / "model")
    os.chmod(tmp_path / "model", 0o666)
    with pytest.warns(hw.Note, match="may be written by everybody") as told:
        hw.load(tmp_path / "model")
    assert told[0].filename == __file__


@pytest.mark.parametrize("options, fault, says", [
    (dict(format="foo"), hw.ConfigError, "format: 'foo' is none of auto"), (dict(memory="a"), TypeError, "memory='a'"),
    (dict(model="foo", cache=False), hw.ConfigError, "no model 'foo'"), (dict(cache="no"), TypeError, "cache='no'")])
def test_a_file_is_opened_by_names_that_there_are(tmp_path, options, fault, says):
    (tmp_path / "rows.svm").write_text("1 1:1\n0 2:1\n" * 5)
    with pytest.raises(fault, match=says):
        hw.open(tmp_path / "rows.svm", **options)


def test_groups_of_a_table_are_held_back_whole(tmp_path):
    # The label of a user is a toss: only who has seen the user knows it.
    rows = [(user % 2, user) for user in range(60) for _ in range(10)]
    np.random.default_rng(1).shuffle(rows)
    (tmp_path / "t.csv").write_text("y,user\n" + "".join(f"{y},u{user}\n" for y, user in rows))
    accuracy = {}
    for group in (None, "user"):
        data = hw.open(tmp_path / "t.csv", label="y", categorical="user", group=group, cache=False)
        done = hw.train(data, epochs=5, engine="serial", validation=0.2, seed=1)
        accuracy[group] = done.run_["validation_accuracy"]
    assert accuracy[None] > 0.99 and accuracy["user"] < 0.9
