# SPDX-License-Identifier: Apache-2.0
"""Vectors of words, with gensim's conventions."""
import os
import pickle

import numpy as np
import pytest

import hogwild as hw
from hogwild.words import Doc2Vec, TaggedDocument


def sentences():
    draw = np.random.default_rng(0)
    groups = [["red", "green", "blue", "white"], ["one", "two", "three", "four"], ["oak", "ash", "elm", "fir"]]
    return [draw.choice(groups[k % 3], 8).tolist() for k in range(3000)]


@pytest.mark.parametrize("sg, hs", [(0, 0), (1, 0), (1, 1)])
def test_words_that_stand_together_are_near(sg, hs, tmp_path):
    made = hw.Word2Vec(sentences(), vector_size=16, min_count=1, workers=2, sg=sg, hs=hs, sample=0.0, epochs=10)
    assert len(made.wv) == 12 and made.wv["red"].shape == (16,)
    for word, others in (("red", {"green", "blue", "white"}), ("two", {"one", "three", "four"})):
        assert {w for w, _ in made.wv.most_similar(word, topn=3)} == others
    assert made.wv.similarity("oak", "elm") > made.wv.similarity("oak", "one")


def test_a_text_in_a_file_is_read_as_sentences_are(tmp_path):
    (tmp_path / "text").write_text("\n".join(" ".join(s) for s in sentences()))
    options = dict(vector_size=8, min_count=1, workers=1, sample=0.0)
    file, lists = hw.Word2Vec(corpus_file=tmp_path / "text", **options), hw.Word2Vec(sentences(), **options)
    assert file.wv.index_to_key == lists.wv.index_to_key and np.array_equal(file.wv.vectors, lists.wv.vectors)
    assert file.wv.analogies([("red", "green", "one", "two"), ("red", "green", "one", "nowhere")])[1] == 1


def test_words_of_any_bytes_keep_their_vectors(tmp_path):
    word = b"caf\xe9"  # latin-1
    (tmp_path / "text").write_bytes(b"\n".join([word + b" rouge vert"] * 50))
    options = dict(vector_size=4, min_count=1, workers=1, sample=0.0)
    file = hw.Word2Vec(corpus_file=tmp_path / "text", **options)
    assert {os.fsencode(w) for w in file.wv.index_to_key} == {word, b"rouge", b"vert"}
    lists = hw.Word2Vec([[os.fsdecode(word), "rouge", "vert"]] * 50, **options)
    assert np.array_equal(lists.wv[os.fsdecode(word)], file.wv[os.fsdecode(word)])
    (tmp_path / "vectors.txt").write_bytes(b"2 2\n" + word + b" 1 2\nrouge 3 4\n")
    read = hw.words.WordVectors.load(tmp_path / "vectors.txt")
    assert read[os.fsdecode(word)].tolist() == [1.0, 2.0] and "rouge" in read


def test_words_that_are_none_are_refused():
    with pytest.raises(TypeError, match="sentences"):
        hw.Word2Vec()
    with pytest.raises(TypeError, match="corpus_file"):
        hw.Word2Vec("a text")
    with pytest.raises(ValueError, match="blanks"):
        hw.Word2Vec([["two words"]])
    with pytest.raises(hw.InputError):
        hw.Word2Vec([["rare"]], min_count=5)
    with pytest.raises(KeyError, match="nowhere"):
        hw.Word2Vec([["a", "b"] * 10], min_count=1, workers=1).wv["nowhere"]


@pytest.mark.parametrize("sentences, fault, says", [
    (["hello", "world"], TypeError, "'hello' is one word.*lists of words"),
    (np.array(["hello", "world"]), TypeError, "'hello' is one word"),
    ([b"hello"], TypeError, "lists of words"), (7, TypeError, "lists of words"), ([1, 2], TypeError, "list of words.*is 1"),
    ([[1, 2]], TypeError, r"words are str, and 1 is of the type int.*str\(word\)"),
    ([[np.int64(0)]], TypeError, "int64"), ([["a", None]], TypeError, "NoneType"), ([["a", 1.5]], TypeError, "float"),
    ([["a", ""]], ValueError, "empty"), ([["a", "two words"]], ValueError, "'two words'.*blanks"),
    ([["a\n"]], ValueError, "blanks"), ([["a\0b"]], ValueError, "bytes 0"), ([[b"a\tb"]], ValueError, "blanks"),
])
def test_sentences_that_are_no_lists_of_words_are_refused(sentences, fault, says):
    with pytest.raises(fault, match=says):
        hw.Word2Vec(sentences, vector_size=4, min_count=1, workers=1)


def test_words_of_lists_are_those_of_a_file(tmp_path):
    # A no-break space and a line separator do not separate words in a file, which has bytes.
    words = ["10\u00a0000", "km", "a\u2028b", "\x85"]
    (tmp_path / "text").write_text((" ".join(words) + "\n") * 100, encoding="utf-8", newline="")
    options = dict(vector_size=4, min_count=1, workers=1, sample=0.0)
    file = hw.Word2Vec(corpus_file=tmp_path / "text", **options)
    assert set(file.wv.index_to_key) == set(words)
    for same in ([words] * 100, [tuple(words)] * 100, np.array([words] * 100), (iter(words) for _ in range(100)),
                 [[word.encode() for word in words]] * 100):
        lists = hw.Word2Vec(same, **options)
        assert lists.wv.index_to_key == file.wv.index_to_key
        np.testing.assert_array_equal(lists.wv.vectors, file.wv.vectors)


def vectors():
    return hw.Word2Vec(sentences(), vector_size=16, min_count=1, workers=1, sample=0.0, epochs=5).wv


def test_vectors_are_asked_for_as_gensims_are(tmp_path):
    wv = vectors()
    unit = wv.vectors / np.linalg.norm(wv.vectors, axis=1, keepdims=True)
    red, blue, oak = (wv.key_to_index[word] for word in ("red", "blue", "oak"))
    np.testing.assert_array_equal(wv[["red", "oak"]], wv.vectors[[red, oak]])
    copied = wv.get_vector("red")
    copied[:] = 0.0
    assert wv["red"].any() and np.linalg.norm(wv.get_vector("red", norm=True)) == pytest.approx(1.0, abs=1e-6)
    # Words count by vectors of length 1, vectors too, each by its weight.
    asked = unit[red] + 0.5 * unit[blue] - 2.0 * unit[oak]
    cosine = unit @ asked / np.linalg.norm(asked)
    for positive, negative in ((["red", ("blue", 0.5)], [("oak", 2.0)]), ([wv["red"] * 7, (wv["blue"], 0.5)], [("oak", 2)])):
        told = dict(wv.most_similar(positive, negative, topn=12))
        for word in ("green", "one", "elm"):
            assert told[word] == pytest.approx(cosine[wv.key_to_index[word]], abs=1e-5)
        assert ("red" in told) == (not isinstance(positive[0], str)) and "oak" not in told
    assert wv.similar_by_word("red", topn=3) == wv.most_similar("red", topn=3)
    assert wv.similar_by_vector(wv["red"], topn=1)[0][0] == "red" == wv.most_similar(wv["red"], topn=1)[0][0]
    assert wv.distance("red", "blue") == pytest.approx(1.0 - unit[red] @ unit[blue], abs=1e-6)
    assert wv.n_similarity(["red", "blue"], ["red", "blue"]) == pytest.approx(1.0, abs=1e-6)
    assert wv.doesnt_match(["red", "green", "oak", "white", "nowhere"]) == "oak"
    for ask, fault, says in ((lambda: wv[3], TypeError, "iterable|words are str"), (lambda: wv["nowhere"], KeyError, "nowhere"),
                             (lambda: wv.most_similar([np.ones(3)]), ValueError, "shape .3,."),
                             (lambda: wv.doesnt_match(["nowhere"]), ValueError, "none of these"),
                             (lambda: wv.most_similar(), ValueError, "no input")):
        with pytest.raises(fault, match=says):
            ask()
    for name in ("vectors.bin", "vectors.txt"):
        wv.save(tmp_path / name)
        read = hw.WordVectors.load(tmp_path / name)
        assert read.index_to_key == wv.index_to_key
        np.testing.assert_allclose(read.vectors, wv.vectors, rtol=1e-6)


def test_pairs_of_words_are_compared_with_what_people_say(tmp_path):
    from scipy import stats

    wv = vectors()
    pairs = [("red", "blue", 9.0), ("One", "two", 8.0), ("red", "oak", 1.0), ("elm", "three", 2.0)]
    known = [wv.similarity(a.lower(), b) for a, b, _ in pairs]
    pearson, spearman, unknown = wv.evaluate_word_pairs(pairs + [("red", "nowhere", 5.0)])
    assert pearson[0] == pytest.approx(stats.pearsonr([9, 8, 1, 2], known)[0]) and pearson[0] > 0.5
    assert spearman[0] == pytest.approx(stats.spearmanr([9, 8, 1, 2], known)[0]) and unknown == pytest.approx(20.0)
    lines = "# words\n" + "".join(f"{a}\t{b}\t{said}\n" for a, b, said in pairs)
    (tmp_path / "pairs.tsv").write_text(lines)
    assert wv.evaluate_word_pairs(tmp_path / "pairs.tsv")[0][0] == pytest.approx(pearson[0])
    assert wv.evaluate_word_pairs(pairs, case_insensitive=False)[2] == 25.0
    assert wv.evaluate_word_pairs(pairs + [("red", "nowhere", 0.0)], dummy4unknown=True)[2] == 20.0
    (tmp_path / "pairs.tsv").write_text(lines + "red blue\n")
    with pytest.raises(ValueError, match="pairs.tsv:6: a line has two words and a number"):
        wv.evaluate_word_pairs(tmp_path / "pairs.tsv")


@pytest.mark.parametrize("sg, hs", [(0, 0), (1, 0), (1, 1)])
def test_training_goes_on_from_what_was_saved(sg, hs, tmp_path):
    options = dict(vector_size=8, min_count=1, workers=1, sample=0.0, sg=sg, hs=hs, epochs=2, seed=3)
    first = hw.Word2Vec(sentences(), **options)
    before = first.wv.vectors.copy()
    first.save(tmp_path / "model")
    again = hw.Word2Vec.load(tmp_path / "model")
    copy = pickle.loads(pickle.dumps(first))
    for read in (again, copy):
        assert read.wv.index_to_key == first.wv.index_to_key
        np.testing.assert_array_equal(read.wv.vectors, before)
    more = [["red", "green", "blue", "nowhere"]] * 500
    for model in (first, again, copy):
        model.train(more, total_examples=len(more), epochs=3, start_alpha=0.02)
        assert len(model.wv) == 12 and "nowhere" not in model.wv
        # Words that did not occur since keep their vectors, except for the noise of negative samples.
        oak = model.wv.key_to_index["oak"]
        assert np.linalg.norm(model.wv.vectors[oak] - before[oak]) < 0.2 * np.linalg.norm(before[oak])
        assert not np.array_equal(model.wv["red"], before[model.wv.key_to_index["red"]])
    np.testing.assert_array_equal(first.wv.vectors, again.wv.vectors)
    np.testing.assert_array_equal(first.wv.vectors, copy.wv.vectors)
    # A negligible step begins where the last one ended.
    again.train(more, epochs=1, start_alpha=1e-12)
    np.testing.assert_allclose(again.wv.vectors, first.wv.vectors, rtol=1e-5, atol=1e-7)


def test_what_there_is_not_is_told():
    for name in ("min_alpha", "ns_exponent", "compute_loss", "callbacks", "max_final_vocab", "trim_rule", "nonsense"):
        with pytest.raises(TypeError, match=name + " is none of Word2Vec's parameters here: "):
            hw.Word2Vec([["a", "b"]], **{name: 1})
    model = hw.Word2Vec([["a", "b"]] * 10, vector_size=4, min_count=1, workers=1)
    with pytest.raises(TypeError, match="Word2Vec.sentences."):
        model.build_vocab([["c"]], update=True)
    with pytest.raises(TypeError, match="give sentences"):
        model.train()
    with pytest.raises(hw.InputError, match="no word is one of those"):
        model.train([["c", "d"]])


@pytest.mark.parametrize("first", ["\ufeffa", "ARROW1", "PK\x03\x04", "BZh9", b"\xff\xfea", b"\x1f\x8b\x08", b"\xfd7zXZ"])
def test_the_first_word_says_nothing_about_the_others(first):
    model = hw.Word2Vec([[first, "c"]] * 50, min_count=1, vector_size=8, workers=1)
    assert set(model.wv.index_to_key) == {first if isinstance(first, str) else os.fsdecode(first), "c"}
    model.train([[first, "c"]] * 50)


@pytest.mark.parametrize("parameters, says", [
    (dict(sg=2), "sg=2"), (dict(sg="x"), "sg='x'"), (dict(hs=3), "hs=3"), (dict(min_count=1.5), "min_count=1.5"),
    (dict(min_count=-1), "min_count=-1"), (dict(sample=None), "sample=None"), (dict(workers=0), "workers=0"),
    (dict(workers=2.5), "workers=2.5"), (dict(vector_size=-1), "dimension is vector_size here"),
    (dict(alpha=-1), "step is alpha here")])
def test_parameters_that_do_not_suit_are_named_as_they_are_here(parameters, says):
    with pytest.raises(ValueError, match=says):
        hw.Word2Vec([["a", "c"]] * 50, **{"min_count": 1, "vector_size": 8, "workers": 1, **parameters})


def test_questions_that_are_none_are_refused():
    wv = vectors()
    for ask, fault, says in (
            (lambda: wv.most_similar("red", topn=-1), ValueError, "topn=-1"),
            (lambda: wv.most_similar("red", topn=None), ValueError, "topn=None"),
            (lambda: wv.most_similar([np.full(16, np.nan)]), ValueError, "not finite"),
            (lambda: wv.similar_by_vector(np.full(16, np.inf)), ValueError, "not finite"),
            (lambda: wv.most_similar(0), TypeError, "0 is neither a word"),
            (lambda: wv.most_similar([object()]), TypeError, "neither a word nor a vector"),
            (lambda: wv.doesnt_match("red blue two"), TypeError, r"split\(\) it"),
            (lambda: wv.most_similar("red", restrict_vocab=3), TypeError, "restrict_vocab is none of"),
            (lambda: wv.save_word2vec_format, AttributeError, r"save\(path\)"),
            (lambda: hw.WordVectors.load_word2vec_format("x"), TypeError, r"load\(path\)"),
            (lambda: wv.similar_by_key, AttributeError, "similar_by_word"), (lambda: wv.rank, AttributeError, "most_similar"),
            (lambda: wv.nonsense, AttributeError, "no attribute 'nonsense'")):
        with pytest.raises(fault, match=says):
            ask()
    assert wv.most_similar(("red", 0.5)) == wv.most_similar(["red"]) and wv.most_similar("red", topn=0) == []
    model = hw.Word2Vec([["a", "b"]] * 50, vector_size=4, min_count=1, workers=1)
    assert model.vector_size == 4
    for name in ("end_alpha", "compute_loss"):
        with pytest.raises(TypeError, match=name + " is none of train"):
            model.train([["a", "b"]], **{name: 1})


@pytest.mark.parametrize("kind", [hw.Word2Vec, hw.MatrixFactorization])
def test_files_that_save_has_not_written_are_refused(kind, tmp_path):
    if kind is hw.Word2Vec:
        made = hw.Word2Vec([["a", "b"]] * 50, vector_size=4, min_count=1, workers=1)
    else:
        made = hw.MatrixFactorization(factors=2, iterations=1).fit(np.eye(4))
    made.save(tmp_path / "made.npz")
    kind.load(tmp_path / "made.npz")
    whole = (tmp_path / "made.npz").read_bytes()
    files = {"text": b"a b c\n", "empty": b"", "cut": whole[:len(whole) // 2]}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    np.save(tmp_path / "array.npy", np.eye(3))
    np.savez(tmp_path / "others.npz", model=np.zeros(3), words=np.zeros(3), counts=np.zeros(3), told=np.array("{"))
    for name in (*files, "array.npy", "others.npz"):
        with pytest.raises(ValueError, match=name + r" was not written by \w+.save\(\), or is damaged"):
            kind.load(tmp_path / name)


def test_glove_counts_words_that_stand_together(tmp_path):
    options = dict(vector_size=16, window=4, min_count=1)
    model = hw.words.GloVe(sentences(), workers=2, **options)
    for word, others in (("red", {"green", "blue", "white"}), ("two", {"one", "three", "four"})):
        assert {w for w, _ in model.wv.most_similar(word, topn=3)} == others
    (tmp_path / "text").write_text("\n".join(" ".join(s) for s in sentences()))
    one, other = (hw.words.GloVe(**text, workers=n, epochs=3, reproducible=True, **options)
                  for text, n in ((dict(sentences=sentences()), 1), (dict(corpus_file=tmp_path / "text"), 3)))
    assert one.wv.index_to_key == other.wv.index_to_key and np.array_equal(one.wv.vectors, other.wv.vectors)
    copy = pickle.loads(pickle.dumps(one))
    assert copy.vector_size == 16 and copy.run_.history == one.run_.history and len(one.run_.history) == 3
    rare = hw.words.GloVe(sentences(), workers=1, epochs=3, x_max=1e9, **options)
    assert not np.allclose(rare.wv.vectors, one.wv.vectors)


@pytest.mark.parametrize("options, fault, says", [
    (dict(negative=5), TypeError, "negative is none of GloVe's"), (dict(x_max=0), ValueError, "x_max"),
    (dict(window=0), ValueError, "window"), (dict(vector_size=0), ValueError, "1 to 65536 dimensions"),
    (dict(min_count=0), ValueError, "min_count=0"), (dict(alpha=-1), ValueError, "step is alpha here"),
    (dict(corpus_file="x"), TypeError, "give sentences, or")])
def test_what_glove_has_not_is_refused(options, fault, says):
    with pytest.raises(fault, match=says):
        hw.words.GloVe([["a", "b", "c"]] * 10, **dict(min_count=1) | options)


def test_unseen_words_have_vectors_by_their_parts(tmp_path):
    draw = np.random.default_rng(1)
    stems, ends = ["kalo", "minu", "peri"], ["ar", "en", "il", "om"]
    text = [[stems[k % 3] + ends[e] for e in draw.integers(0, 4, 8)] for k in range(2000)]
    made = hw.FastText(text, vector_size=16, min_count=1, workers=2, sg=1, sample=0.0, epochs=20, bucket=5000)
    assert "kalous" in made.wv and "xyz" not in made.wv and made.wv["kalous"].shape == (16,)
    assert made.wv[["kaloar", "kalous"]].shape == (2, 16)
    assert {w[:4] for w, _ in made.wv.most_similar("kalous", topn=3)} == {"kalo"}
    assert made.wv.similarity("kalous", "kaloar") > made.wv.similarity("kalous", "minuar")
    assert abs(float(np.linalg.norm(made.wv.get_vector("kalous", norm=True))) - 1.0) < 1e-5
    with pytest.raises(KeyError, match="xyz"):
        made.wv["xyz"]
    made.save(tmp_path / "words.npz")
    for again in (hw.FastText.load(tmp_path / "words.npz"), pickle.loads(pickle.dumps(made))):
        assert np.allclose(again.wv["kalous"], made.wv["kalous"]) and np.array_equal(again.wv.vectors, made.wv.vectors)
        again.train(text[:3], epochs=1, start_alpha=1e-9)
        assert np.allclose(again.wv.vectors, made.wv.vectors, atol=1e-4)
    with pytest.raises(hw.ConfigError, match="min_n"):
        hw.FastText(text, min_n=5, max_n=3)
    with pytest.raises(KeyError):
        hw.Word2Vec(text, vector_size=4, min_count=1, workers=1).wv["kalous"]


def documents():
    """Documents of three groups; document k is of group k % 3."""
    draw = np.random.default_rng(1)
    groups = [["red", "green", "blue", "white"], ["one", "two", "three", "four"], ["oak", "ash", "elm", "fir"]]
    return [draw.choice(groups[k % 3] + ["the", "a", "of"], 12).tolist() for k in range(150)]


DOCUMENTS = dict(vector_size=16, min_count=1, workers=1, sample=0.0, epochs=40)


@pytest.mark.parametrize("form", [dict(dm=1), dict(dm=0), dict(dm=0, dbow_words=1), dict(dm=0, hs=1)])
def test_documents_of_one_kind_are_near(form):
    made = Doc2Vec(documents(), **form, **DOCUMENTS)
    assert len(made.dv) == 150 and made.dv.vectors.shape == (150, 16) and made.dv[3].shape == (16,)
    # By chance a third is.
    near = [tag % 3 == k % 3 for k in range(150) for tag, _ in made.dv.most_similar(k, topn=3)]
    assert np.mean(near) > 0.9
    new = [made.infer_vector(words) for words in documents()[:30]]
    assert np.mean([made.dv.most_similar([vector], topn=1)[0][0] % 3 == k % 3 for k, vector in enumerate(new)]) > 0.9
    assert np.array_equal(made.infer_vector(["oak", "never", "elm"]), made.infer_vector(["oak", "elm"]))
    if not form["dm"] and "dbow_words" not in form:
        with pytest.raises(AttributeError, match="dbow_words=1"):
            made.wv
    else:
        assert {word for word, _ in made.wv.most_similar("red", topn=3)} == {"green", "blue", "white"}


def test_documents_have_names_and_are_kept(tmp_path):
    plain = Doc2Vec(documents(), **DOCUMENTS)
    (tmp_path / "text").write_text("".join(" ".join(words) + "\n" for words in documents()))
    of_file = Doc2Vec(corpus_file=tmp_path / "text", **DOCUMENTS)
    assert np.array_equal(of_file.dv.vectors, plain.dv.vectors) and of_file.dv.tags == list(range(150))
    named = Doc2Vec([TaggedDocument(words, [f"no {k}"]) for k, words in enumerate(documents())], **DOCUMENTS)
    assert np.array_equal(named.dv["no 7"], plain.dv[7]) and "no 7" in named.dv and 150 not in plain.dv
    assert named.dv.most_similar("no 7", topn=1)[0][0] == f"no {plain.dv.most_similar(7, topn=1)[0][0]}"
    named.save(tmp_path / "docs.npz")
    for kept in (Doc2Vec.load(tmp_path / "docs.npz"), pickle.loads(pickle.dumps(named))):
        assert kept.dv.tags == named.dv.tags and np.array_equal(kept.dv.vectors, named.dv.vectors)
        assert np.array_equal(kept.infer_vector(["oak", "elm"]), named.infer_vector(["oak", "elm"]))
        assert np.array_equal(kept.wv["oak"], named.wv["oak"])
    with pytest.raises(hw.InputError, match="Doc2Vec.load"):
        hw.Word2Vec.load(tmp_path / "docs.npz")
    hw.Word2Vec(documents(), vector_size=4, min_count=1, epochs=1).save(tmp_path / "words.npz")
    with pytest.raises(hw.InputError, match="Word2Vec.load"):
        Doc2Vec.load(tmp_path / "words.npz")


def test_documents_are_named_by_numbers_everywhere():
    made = Doc2Vec(documents(), **DOCUMENTS).dv
    assert made.doesnt_match([0, 3, 6, 1]) == 1
    assert made.n_similarity([0, 3], [6]) == made.n_similarity(["0", "3"], ["6"])
    assert made.most_similar([(3, 1.0)]) == made.most_similar((3, 1.0)) == made.most_similar(3)
    assert made.most_similar([(3, 1)], [(4, 2)]) == made.most_similar([("3", 1)], [("4", 2)])


def test_documents_that_are_none_are_refused():
    made = Doc2Vec([["a", "b"], [], ["b", "a"]], **DOCUMENTS)
    assert len(made.dv) == 3  # one without words, too
    with pytest.raises(KeyError, match="3"):
        made.dv[3]
    for unknown in (["never"], []):
        assert np.array_equal(made.infer_vector(unknown), np.zeros(16, np.float32))
    for how in (dict(alpha=np.nan), dict(alpha=-1), dict(alpha=1e30), dict(alpha="1"), dict(epochs=0)):
        with pytest.raises(ValueError, match=next(iter(how))):
            made.infer_vector(["a"], **how)
    with pytest.raises(TypeError, match="infer_vector"):
        made.train([["a"]])
    with pytest.raises(TypeError, match="documents"):
        Doc2Vec()
    with pytest.raises(ValueError, match="dbow_words"):
        Doc2Vec([["a"]], dm=1, dbow_words=1)
    with pytest.raises(ValueError, match="one name"):
        Doc2Vec([TaggedDocument(["a"], ["x", "y"])], **DOCUMENTS)
    with pytest.raises(ValueError, match="the same name"):
        Doc2Vec([TaggedDocument(["a"], ["1"]), TaggedDocument(["b"], [1])], **DOCUMENTS)
