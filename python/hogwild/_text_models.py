# SPDX-License-Identifier: Apache-2.0
"""Models of texts and of words, with the calls of the package fasttext."""
import codecs
import itertools
import os
import warnings

import numpy as np

from . import _engine
from ._arrays import require_count
from ._engine import ConfigError, InputError, Note
from ._train import Model, outside, threads_of
from ._word_vectors import WordVectors

MARK = "__label__"  # before a label in a text
_LINES_AT_ONCE = 10_000


class _OfText:
    """What models of text have in common: words and their vectors."""

    @property
    def words(self):
        """The words that have vectors."""
        return self.get_words()

    def get_words(self):
        """The words that have vectors."""
        return list(self._words().index_to_key)

    def get_dimension(self):
        """The numbers of a vector."""
        return self._words().vector_size

    def __contains__(self, word):
        return word in self._words()

    def __getitem__(self, word):
        return self.get_word_vector(word)

    def get_nearest_neighbors(self, word, k=10):
        """The k words with the greatest cosine to a word's vector: a list of (cosine, word)."""
        return [(cosine, near) for near, cosine in self._words().most_similar(word, topn=k)]

    def __getattr__(self, name):
        if name in _ELSEWHERE:
            raise AttributeError(f"a {type(self).__name__} has no {name}: {_ELSEWHERE[name]}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class TextClassifier(_OfText):
    """Labels of texts, by vectors of words and labels.

    Attributes
    ----------
    labels : list of str
    words : list of str
    model_ : hogwild.Model
    run_ : hogwild.Run or None
        How it was trained; None for a model that was read from a file.
    """

    def __init__(self, saved, run=None):
        if saved.model != "text_classifier":
            raise ConfigError(f"this is a {saved.model} model, and no text_classifier: hogwild.load() reads it")
        self.run_ = run
        self.labels = [MARK + name for name in saved.label_names]
        self._take(saved)

    def _take(self, saved):
        self._predictor = _engine.Predictor(saved, True)  # first, since it may refuse the model
        self._saved, self.model_ = saved, Model(saved, self.run_)
        self._vectors = self._known = None

    def predict(self, text, k=1, threshold=0.0):
        """The k most probable labels of a text, those with a probability of at least `threshold`; k=-1: all.

        Returns a tuple of labels and an array of probabilities, the most probable first; for a list of texts a list of
        lists of labels, and a list of arrays. A text is a line. One without words has no label.
        """
        lines = [_line(text)] if isinstance(text, str) else [_line(each) for each in text]
        labels, probabilities = [[] for _ in lines], [np.empty(0) for _ in lines]
        with_words, best, told = self._best(lines, k)
        for row, classes, chances in zip(with_words, best, told):
            probabilities[row] = chances[chances >= threshold]
            labels[row] = [self.labels[c] for c in classes[:len(probabilities[row])]]
        return (tuple(labels[0]), probabilities[0]) if isinstance(text, str) else (labels, probabilities)

    def test(self, path, k=1, threshold=0.0):
        """Counts the labels of a file's lines among the k most probable ones.

        Returns how many lines have a label that the model knows; the fraction of predicted labels that such lines have;
        and the fraction of their labels that are predicted.
        """
        number = {label.encode("utf-8", "surrogateescape"): n for n, label in enumerate(self.labels)}
        before = rows = left_out = right = predicted = given = 0
        for lines in _pieces(path):
            wanted = [{number[word] for word in line.split() if word in number} for line in lines]
            left_out += sum(not each and bool(line.strip()) for each, line in zip(wanted, lines))
            with_words, best, told = self._best(lines, k, os.fspath(path), before)
            before += len(lines)
            for row, classes, chances in zip(with_words, best, told):
                if wanted[row]:
                    said = classes[chances >= threshold]
                    rows, given, predicted = rows + 1, given + len(wanted[row]), predicted + len(said)
                    right += len(wanted[row].intersection(said.tolist()))
        if left_out:
            warnings.warn(f"{os.fspath(path)}: {left_out} lines have no label that the model knows, and are left out", Note,
                          stacklevel=outside())
        if not rows:
            raise ValueError(f"{os.fspath(path)}: no line has a label that the model knows")
        return rows, right / predicted if predicted else float("nan"), right / given

    def get_labels(self):
        """All labels, in the order of their bytes."""
        return list(self.labels)

    def get_word_vector(self, word):
        """The mean of the vectors of a word and of its parts; zeros if none is known."""
        if _line(word).split() != [_line(word)]:
            raise ValueError(f"{word!r} is no word: words are without blanks")
        return self.get_sentence_vector(word)

    def get_sentence_vector(self, text):
        """The mean of the vectors of a text's words, of their runs and parts; zeros if none is known."""
        line = _line(text)
        if not line.strip():
            return np.zeros(self._saved.width, np.float32)
        _, column, value = self._predictor.text(line, "the text", 0).arrays()
        if self._vectors is None:
            self._vectors = self._saved.weights.reshape(-1, self._saved.width)
        return value @ self._vectors[column] / max(np.abs(value).sum(), np.float32(1e-30))

    def quantize(self, input=None, qout=False, cutoff=0, *, retrain=False, dsub=2, qnorm=True, **others):
        """Makes the model smaller, as `hogwild quantize` does: `dsub` numbers of a vector become one byte.

        Parameters
        ----------
        input, retrain
            None and False: vectors are not trained again.
        qout : bool, default=False
            Whether the vectors of labels are quantized, too.
        cutoff : int, default=0
            Words, runs and parts of words that are kept: those with the longest vectors; 0: all.
        dsub : int, default=2
            1 to 16.
        qnorm : bool, default=True
            Whether lengths of vectors are quantized apart from their directions; fastText's default is False.
        """
        for name in others:
            raise TypeError(f"{name} is none of quantize()'s parameters here: vectors are not trained again")
        if input is not None or retrain:
            raise ValueError("vectors are not trained again here: leave out input and retrain")
        require_count("cutoff", cutoff, 0)
        require_count("dsub", dsub)
        self._take(self._saved.quantised(int(cutoff), int(dsub), bool(qnorm), bool(qout)))

    def is_quantized(self):
        """Whether quantize() made the model smaller."""
        return self._saved.is_quantised

    def save_model(self, path, form=None):
        """Writes a file that load_model() and the command read; with form="fasttext" one that fastText reads."""
        if form is None:
            return self._saved.save(os.fspath(path))
        self.model_.export(path, _form(form))

    def _words(self):
        if self._known is None:
            of_words = _engine.WordVectors.of_text(self._saved)
            self._known = WordVectors(of_words.words, of_words.values)
        return self._known

    def _best(self, lines, k, name="the text", before=0):
        """Which lines have words, and for each of them the numbers of the best labels and their probabilities. `before`
        lines came earlier."""
        if k != -1:
            require_count("k", k)
        rows = [row for row, line in enumerate(lines) if line.strip()]
        if not rows:
            return rows, (), ()
        text = self._predictor.text(b"\n".join(line.rstrip(b"\n") for line in lines), name, before)
        return rows, *self._predictor.best(text, len(self.labels) if k == -1 else k, threads_of(-1))

    def __reduce__(self):
        return _restored, (self._saved.bytes(), self.run_)

    def __repr__(self):
        return f"<TextClassifier of {len(self.labels)} labels>"


def _restored(saved, run):
    return TextClassifier(_engine.Saved.parse(saved), run)


class TextVectors(_OfText):
    """Vectors of words.

    Attributes
    ----------
    words : list of str
        By falling frequency.
    wv : WordVectors
    run_ : hogwild.Run or None
    """

    def __init__(self, wv, run=None, made=None):
        self.wv, self.run_, self._made = wv, run, made

    def __getstate__(self):
        return self.__dict__ | {"wv": self.wv if self._made is None else None}  # else of the trained model

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self._made is not None:
            self.wv = self._made.wv

    def _words(self):
        return self.wv

    def get_word_vector(self, word):
        """The vector of a word; zeros if it is not known."""
        return np.array(self.wv[word]) if word in self.wv else np.zeros(self.wv.vector_size, np.float32)

    def get_sentence_vector(self, text):
        """The mean of the vectors of a text's known words, each scaled to length 1; zeros if none is known."""
        words = [word for word in _line(text).decode("utf-8", "surrogateescape").split() if word in self.wv]
        if not words:
            return np.zeros(self.wv.vector_size, np.float32)
        return np.mean([self.wv.get_vector(word, norm=True) for word in words], axis=0)

    def save_model(self, path, form=None):
        """Writes a word2vec file, which load_model() reads: binary if the name ends in .bin, else text. It has the vectors
        of words, without those of their parts; the file that fastText reads, with form="fasttext", has both."""
        if form is None:
            return self.wv.save(path)
        if self._made is None:
            raise ValueError("these vectors were read from a file, which has no outputs and parts of words: save the "
                             "trained ones")
        _engine.export_to(self._made._saved, os.fspath(path), _form(form))

    def __repr__(self):
        return f"<TextVectors of {len(self.wv)} words>"


# Names that fasttext's users know, and the alternatives here.
_ELSEWHERE = {
    "quantize": "a TextClassifier is quantized",
    "predict_proba": "predict() has the probabilities",
    "test_label": "take scikit-learn's measures with predict()",
    "get_analogies": "hogwild.WordVectors has analogies()",
    "get_subwords": "parts of words have columns by hash, and no names",
    "get_input_matrix": "get_word_vector() has the vectors of words",
    "get_output_matrix": "model_ has all parameters, by its save()",
}


def _form(name):
    if name != "fasttext":
        raise ValueError(f"form={name!r}: it is 'fasttext', or None for a file of hogwild's own")
    return name


def _line(text):
    """The bytes of a text."""
    if not isinstance(text, str):
        raise TypeError(f"a text is a str, and {text!r} is of the type {type(text).__name__}")
    if "\n" in text:
        raise ValueError("a text is one line: replace the ends of lines in it by blanks")
    return text.encode("utf-8", "surrogateescape")


def _pieces(path):
    """Lists of a file's lines."""
    with open(path, "rb") as file:
        begin = file.read(6)
        if _engine.begins_compressed(begin):
            raise InputError(f"{os.fspath(path)}: this file is compressed: decompress it first")
        file.seek(3 if begin.startswith(codecs.BOM_UTF8) else 0)
        while lines := list(itertools.islice(file, _LINES_AT_ONCE)):
            yield lines
