# SPDX-License-Identifier: Apache-2.0
"""Labels of texts and vectors of words, with fastText's calls."""
import gzip
import pickle
import random
import struct
import warnings

import numpy as np
import pytest

import hogwild as hw
from hogwild.text import load_model, train_supervised, train_unsupervised

TOPICS = ("billing", "delivery", "login")
OWN = {topic: [f"{topic[0]}{k}" for k in range(12)] for topic in TOPICS}
SMALL = dict(dim=16, thread=1)


def line(chance, *topics):
    words = [chance.choice(OWN[topic]) for topic in topics for _ in range(4)] + ["the", "of"]
    chance.shuffle(words)
    return " ".join([f"__label__{topic}" for topic in topics] + words)


def texts(seed, count, lists=False):
    chance = random.Random(seed)
    return [line(chance, *chance.sample(TOPICS, 1 + (lists and k % 3 == 0))) for k in range(count)]


def written(path, lines):
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("texts")
    written(made / "train.txt", texts(1, 300))
    written(made / "test.txt", texts(2, 200))
    written(made / "lists.txt", texts(3, 400, lists=True))
    return made


@pytest.fixture(scope="module")
def trained(folder):
    return train_supervised(folder / "train.txt", **SMALL)


@pytest.mark.parametrize("more", [{}, {"loss": "ova"}, {"wordNgrams": 2, "minn": 2, "maxn": 3}, {"thread": 2}])
def test_labels_come_back(folder, more):
    model = train_supervised(folder / "train.txt", **SMALL | more)
    rows, precision, recall = model.test(folder / "test.txt")
    assert rows == 200 and precision == recall > 0.95
    labels, probabilities = model.predict("b1 b2 the")
    assert labels == ("__label__billing",) and probabilities.shape == (1,) and probabilities[0] > 0.9


def test_one_text_and_several_are_told_the_same(trained):
    several, chances = trained.predict(["b1 b2 the", "", "l5 __label__billing", "unheard of_it"], k=2)
    assert [each[:1] for each in several[:3]] == [["__label__billing"], [], ["__label__login"]]
    for text, labels, told in (("b1 b2 the", several[0], chances[0]), ("", several[1], chances[1])):
        one = trained.predict(text, k=2)
        assert one[0] == tuple(labels) and np.array_equal(one[1], told)
    # Of unknown words nothing is known, and what is there besides counts for nothing.
    np.testing.assert_allclose(trained.predict("unheard", k=-1)[1], [1 / 3] * 3, rtol=1e-5)
    assert trained.predict("b1 unheard b2")[1] == trained.predict("b1 b2")[1]
    assert trained.predict([]) == ([], [])


def test_labels_below_a_threshold_are_left_out(trained):
    labels, probabilities = trained.predict("b1 b2 b3", k=-1)
    assert set(labels) == set(trained.labels) == set(trained.get_labels()) == {f"__label__{topic}" for topic in TOPICS}
    assert np.all(np.diff(probabilities) <= 0) and probabilities.sum() == pytest.approx(1, abs=1e-5)
    assert trained.predict("b1 b2 b3", k=3, threshold=0.5)[0] == ("__label__billing",)
    assert trained.predict("unheard", k=3, threshold=0.5)[0] == ()


def test_measures_are_those_of_predictions(folder, trained):
    model = train_supervised(folder / "lists.txt", **SMALL)
    lines = texts(4, 150, lists=True)
    said = model.predict(lines, k=2)[0]
    given = [[word for word in each.split() if word.startswith("__label__")] for each in lines]
    right = sum(len(set(one) & set(other)) for one, other in zip(said, given))
    found = model.test(written(folder / "more.txt", lines), k=2)
    assert found == (150, right / 300, right / sum(map(len, given))) and right > 150
    with pytest.warns(hw.Note, match="2 lines have no label that the model knows"):
        rows, precision, recall = trained.test(written(folder / "odd.txt", [
            "__label__refund b1", "\ufeff", "", "__label__refund __label__billing b1 b2", "__label__login __label__delivery l1"]))
    assert (rows, precision, recall) == (2, 1.0, 2 / 3)
    assert trained.test(folder / "test.txt", k=3, threshold=0.5)[1] > 0.95
    with pytest.raises(ValueError, match="no line has a label"), pytest.warns(hw.Note):
        trained.test(written(folder / "none.txt", ["b1 b2"]))
    (folder / "packed.gz").write_bytes(gzip.compress(b"__label__login l1\n"))
    with pytest.raises(hw.InputError, match="faulty.txt:10004:7: '__label__' has no label"):
        trained.test(written(folder / "faulty.txt", ["__label__login l1", "", *["__label__login l1"] * 10_001, "l1 l2 __label__"]))
    with pytest.raises(hw.InputError, match="decompress"):
        trained.test(folder / "packed.gz")


def test_vectors_make_the_scores(trained):
    words = ["b1", "b1", "d2", "the"]
    text = trained.get_sentence_vector(" ".join(words))
    np.testing.assert_allclose(text, np.mean([trained.get_word_vector(word) for word in words], axis=0), rtol=1e-4, atol=1e-6)
    labels = trained._saved.bias.reshape(3, 16) @ text
    chances = np.exp(labels) / np.exp(labels).sum()
    said = dict(zip(*trained.predict(" ".join(words), k=-1)))
    np.testing.assert_allclose(chances, [said[label] for label in trained.labels], rtol=1e-4)
    assert not trained.get_word_vector("unheard").any() and not trained.get_sentence_vector(" ").any()
    assert set(trained.words) == {*sum(OWN.values(), []), "the", "of"} and "b1" in trained and "unheard" not in trained
    assert trained.get_dimension() == 16 and np.array_equal(trained["b1"], trained.get_word_vector("b1"))
    assert {word[0] for _, word in trained.get_nearest_neighbors("b1", k=5)} == {"b"}


def test_parts_of_words_give_unknown_ones_a_vector(folder):
    model = train_supervised(folder / "train.txt", minn=1, maxn=2, **SMALL)
    assert "b99" not in model.words and model.get_word_vector("b99").any()
    assert model.predict("b99")[0] == ("__label__billing",)


def test_a_model_is_saved_and_pickled(folder, trained):
    trained.save_model(folder / "model.bin")
    texts_ = ["b1 d2", "l1"]
    for other in (load_model(folder / "model.bin"), pickle.loads(pickle.dumps(trained))):
        assert other.predict(texts_, k=2)[0] == trained.predict(texts_, k=2)[0] and other.words == trained.words
    assert hw.load(folder / "model.bin").name == trained.model_.name == "text_classifier"
    hw.train(hw.Dataset(np.eye(4, dtype=np.float32), [0, 1, 0, 1])).save(folder / "other.bin")
    (folder / "fasttext.bin").write_bytes(b"\xba\x16\x4f\x2f" + bytes(60))
    for path, says in (("other.bin", "logistic model"), ("fasttext.bin", "fastText's own"), ("test.txt", "test.txt")):
        with pytest.raises(ValueError, match=says):
            load_model(folder / path)


def test_a_quantized_model_predicts_nearly_the_same(folder):
    model = train_supervised(folder / "train.txt", wordNgrams=2, **SMALL)
    before, words = model.test(folder / "test.txt"), len(model.words)
    model.save_model(folder / "whole.bin")
    assert not model.is_quantized()
    model.quantize(qout=True, cutoff=300)
    model.save_model(folder / "small.bin")
    assert model.is_quantized() and len(model.words) <= words
    assert (folder / "small.bin").stat().st_size < (folder / "whole.bin").stat().st_size / 1.5
    read = load_model(folder / "small.bin")
    for other in (model, read, pickle.loads(pickle.dumps(read))):
        assert other.test(folder / "test.txt")[1] > before[1] - 0.02
        assert other.predict("b1 b2 the")[0] == ("__label__billing",) and other.is_quantized()
    assert np.array_equal(read["b1"], model["b1"])
    with pytest.raises(ValueError, match="quantised already"):
        read.quantize()
    with pytest.raises(AttributeError, match="TextClassifier is quantized"):
        train_unsupervised(folder / "test.txt", dim=4, minCount=1, epoch=1).quantize()


def read_fasttext(path):
    """The dimension, words, labels, vectors of words and outputs of a file in fastText's form."""
    data, at = path.read_bytes(), 0

    def take(kind):
        nonlocal at
        number, = struct.unpack_from("<" + kind, data, at)
        at += struct.calcsize("<" + kind)
        return number

    def matrix():
        nonlocal at
        assert take("B") == 0
        rows, columns = take("q"), take("q")
        at += 4 * rows * columns
        return np.frombuffer(data, "<f4", rows * columns, at - 4 * rows * columns).reshape(rows, columns)

    magic, version, dim, *others = (take("i") for _ in range(14))
    assert (magic, version, take("d")) == (793712314, 12, pytest.approx(1e-4))
    entries, words, labels, tokens, pruned = take("i"), take("i"), take("i"), take("q"), take("q")
    assert (entries, pruned) == (words + labels, -1) and tokens > 0
    names = []
    for _ in range(entries):
        end = data.index(b"\0", at)
        names.append(data[at:end].decode())
        at = end + 1
        assert take("q") > 0 and take("b") == (len(names) > words)
    inputs, outputs = matrix(), matrix()
    assert at == len(data) and inputs.shape == (words + others[7], dim)
    return names[:words], names[words:], inputs, outputs, others


@pytest.mark.parametrize("loss, number", [("softmax", 3), ("ova", 4)])
def test_fasttext_predicts_the_same(folder, loss, number):
    model = train_supervised(folder / "train.txt", loss=loss, **SMALL)
    model.save_model(folder / "as_fasttext.bin", form="fasttext")
    words, labels, inputs, outputs, others = read_fasttext(folder / "as_fasttext.bin")
    assert set(words) == set(model.words) and labels == model.labels and others[5:8] == [number, 3, 0]
    scores = outputs @ inputs[[words.index(word) for word in ("b1", "d2", "b1")]].mean(axis=0)
    chances = 1 / (1 + np.exp(-scores)) if loss == "ova" else np.exp(scores) / np.exp(scores).sum()
    said = dict(zip(*model.predict("b1 d2 b1", k=-1)))
    np.testing.assert_allclose(chances, [said[label] for label in labels], rtol=1e-4)


def test_fasttext_itself_reads_models(folder):
    fasttext = pytest.importorskip("fasttext", reason="the package fasttext is not installed")
    for more in ({}, {"loss": "ova"}, {"wordNgrams": 2}, {"minn": 2, "maxn": 3}):
        model = train_supervised(folder / "train.txt", **SMALL | more)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model.save_model(folder / "f.bin", form="fasttext")
        assert [str(note.message) for note in told if "as zeros" in str(note.message)] or set(more) <= {"loss"}
        theirs = fasttext.load_model(str(folder / "f.bin"))
        lines = [each.split(" ", 1)[1] for each in texts(2, 100)]
        for line_ in lines:
            (label,), chance = model.predict(line_)
            # predict() of fasttext 0.9.2 fails with numpy 2; this is what it calls. Its sigmoid is a table.
            (their_chance, other), = theirs.f.predict(line_ + "\n", 1, 0.0, "strict")
            assert label == other and chance[0] == pytest.approx(their_chance, abs=2e-3 if set(more) <= {"loss"} else 0.3)
        if "wordNgrams" not in more:
            np.testing.assert_allclose(theirs.get_word_vector("b1"), model["b1"], rtol=1e-4, atol=1e-6)
    plain = written(folder / "words.txt", [each.split(" ", 1)[1] for each in texts(5, 500)])
    for kind in ("skipgram", "cbow"):
        model = train_unsupervised(plain, kind, dim=16, minCount=1, epoch=3, minn=2, maxn=3, bucket=5000, thread=1)
        model.save_model(folder / "w.bin", form="fasttext")
        theirs = fasttext.load_model(str(folder / "w.bin"))
        for word in model.words:
            np.testing.assert_allclose(theirs.get_word_vector(word), model[word], rtol=1e-4, atol=1e-5)
        ours, other = model.wv["b77"], theirs.get_word_vector("b77")
        assert ours @ other / np.linalg.norm(ours) / np.linalg.norm(other) == pytest.approx(1, abs=1e-5)


def test_words_begin_with_vectors_of_others(folder, trained):
    vectors = hw.WordVectors(trained.words, trained._words().vectors)
    vectors.save(folder / "words.vec")
    model = train_supervised(folder / "train.txt", pretrainedVectors=folder / "words.vec", lr=1e-30, epoch=1, thread=1)
    np.testing.assert_allclose(model["b1"], trained["b1"], rtol=1e-5)
    assert any("begins with" in note for note in model.run_.notes)
    with pytest.raises(ValueError, match="16 numbers"):
        train_supervised(folder / "train.txt", pretrainedVectors=folder / "words.vec", dim=8)


def test_reproducible_runs_have_the_same_bits(folder):
    one, other = (train_supervised(folder / "lists.txt", dim=8, epoch=3, thread=n, reproducible=True) for n in (1, 3))
    assert one._saved.bytes() == other._saved.bytes()


@pytest.mark.parametrize("kind, loss", [("skipgram", "ns"), ("cbow", "ns"), ("skipgram", "hs")])
def test_words_that_stand_together_are_near(folder, kind, loss):
    plain = written(folder / "plain.txt", [" ".join(w for w in each.split() if not w.startswith("__")) for each in texts(5, 2000)])
    model = train_unsupervised(plain, kind, dim=16, epoch=10, loss=loss, t=0.0, minCount=1, thread=2)
    assert {word[0] for _, word in model.get_nearest_neighbors("b1", k=5)} == {"b"}
    assert set(model.words) == {*sum(OWN.values(), []), "the", "of"} and model.get_dimension() == 16
    unit = [model["b1"] / np.linalg.norm(model["b1"]), model["l1"] / np.linalg.norm(model["l1"])]
    # Entries of unit vectors are at most 1, so two of them have errors of some float epsilons, however small their mean.
    np.testing.assert_allclose(model.get_sentence_vector("b1 unheard l1"), np.mean(unit, axis=0), atol=8 * np.finfo(np.float32).eps)
    for name in ("words.vec", "words.bin"):
        model.save_model(folder / name)
        np.testing.assert_allclose(load_model(folder / name)["b1"], model["b1"], rtol=1e-6)
    assert pickle.loads(pickle.dumps(model)).words == model.words
    with pytest.raises(AttributeError, match="predict"):
        model.predict("b1")


@pytest.mark.parametrize("options, fault, says", [
    (dict(label="__tag__"), ValueError, "labels begin with __label__"), (dict(minCount=5), ValueError, "minCount=5"),
    (dict(loss="hs"), ValueError, "'ova'"), (dict(bucket=1000), TypeError, "bucket is none of.*hash"),
    (dict(autotuneValidationFile="x"), TypeError, "hogwild search"), (dict(nonsense=1), TypeError, "nonsense is none of"),
    (dict(maxn=3, minn=4), ValueError, "maxn=3"), (dict(wordNgrams=0), ValueError, "wordNgrams=0"),
    (dict(dim=0), ValueError, "dimension is dim here"), (dict(lr=-1), ValueError, "step is lr here"),
    (dict(epoch=0), ValueError, "epochs is epoch here"), (dict(thread=0), ValueError, "thread=0"),
])
def test_options_that_there_are_not_are_refused(folder, options, fault, says):
    with pytest.raises(fault, match=says):
        train_supervised(folder / "train.txt", **options)


@pytest.mark.parametrize("ask, fault, says", [
    (lambda m: m.predict("two\nlines"), ValueError, "one line"), (lambda m: m.predict(3), TypeError, "iterable"),
    (lambda m: m.predict([3]), TypeError, "a text is a str"), (lambda m: m.predict("b1", k=0), ValueError, "k=0"),
    (lambda m: m.get_word_vector("two words"), ValueError, "without blanks"),
    (lambda m: m.get_nearest_neighbors("unheard"), KeyError, "unheard"),
    (lambda m: m.quantize(input="x"), ValueError, "leave out input"), (lambda m: m.quantize(retrain=True), ValueError, "retrain"),
    (lambda m: m.quantize(epoch=3), TypeError, "epoch is none of"), (lambda m: m.quantize(dsub=17), ValueError, "1 to 16"),
    (lambda m: m.quantize(cutoff=-1), ValueError, "cutoff=-1"), (lambda m: m.nonsense, AttributeError, "no attribute"),
    (lambda m: m.test("no such file"), OSError, "no such file"),
    (lambda m: m.save_model("x.bin", form="vec"), ValueError, "form='vec'"),
    (lambda m: train_unsupervised("x", "skip_gram"), ValueError, "'skipgram' or 'cbow'"),
    (lambda m: train_unsupervised("x", minn=4, maxn=3), ValueError, "maxn=3"),
    (lambda m: train_unsupervised(__file__, maxn=99, minCount=1), hw.ConfigError, "maxn"),
    (lambda m: train_unsupervised(__file__, lr=-1, minCount=1), ValueError, "step is lr here"),
    (lambda m: train_supervised("no such file"), hw.InputError, "no such file"),
])
def test_what_is_malformed_is_refused(trained, ask, fault, says):
    with pytest.raises(fault, match=says):
        ask(trained)


def test_any_bytes_are_a_text(trained):
    for text in ("\0", "b1\0b2", "\udce9 b1", "__label__nobody b1", "\r", "\x0b\x0c", "\ufeffb1"):
        labels, chances = trained.predict(text, k=2)
        assert len(labels) == len(chances) <= 2, text[:20]
    for text, says in (("x" * 100_000, "at most 16000"), ("b1 __label__", "the text:1:4: '__label__' has no label behind it")):
        with pytest.raises(hw.InputError, match=says):
            trained.predict(text)
