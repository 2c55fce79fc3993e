# SPDX-License-Identifier: Apache-2.0
"""Vectors of words, in the habits of the package gensim."""
import os

import numpy as np

from . import _engine
from ._train import Job, words_of, workers_of


class WordVectors:
    """Words and their vectors, as Word2Vec has them in `wv`.

    Attributes
    ----------
    index_to_key : list of str
        The words, by falling frequency. Bytes that are no UTF-8 are in them as os.fsdecode() has them, so that
        os.fsencode() gives them back.
    key_to_index : dict
    vectors : float32 ndarray of shape (words, vector_size)
    """

    def __init__(self, words, vectors):
        self.index_to_key, self.vectors = list(words), vectors
        self.key_to_index = {word: k for k, word in enumerate(self.index_to_key)}
        self._unit = None

    @classmethod
    def load(cls, path):
        """Reads a file of word2vec's, text or binary."""
        read = _engine.WordVectors.load(os.fspath(path))
        return cls(read.words, read.values)

    @property
    def vector_size(self):
        return self.vectors.shape[1]

    def __len__(self):
        return len(self.index_to_key)

    def __contains__(self, word):
        return word in self.key_to_index

    def __getitem__(self, word):
        return self.vectors[self._index(word)]

    def _index(self, word):
        if word not in self.key_to_index:
            raise KeyError(f"the word {word!r} is not in the vocabulary")
        return self.key_to_index[word]

    def _units(self):
        if self._unit is None:
            length = np.linalg.norm(self.vectors, axis=1, keepdims=True)
            self._unit = self.vectors / np.where(length > 0, length, 1.0)
        return self._unit

    def similarity(self, first, second):
        """The cosine of two words' vectors."""
        units = self._units()
        return float(units[self._index(first)] @ units[self._index(second)])

    def most_similar(self, positive=(), negative=(), topn=10):
        """The topn words with the greatest cosine to the sum of the positive words less the negative ones.

        Returns a list of (word, cosine), without the words that were given.
        """
        positive = [positive] if isinstance(positive, str) else list(positive)
        negative = [negative] if isinstance(negative, str) else list(negative)
        if not positive and not negative:
            raise ValueError("cannot compute similarity with no input: give a word")
        units = self._units()
        given = [self._index(word) for word in positive + negative]
        asked = sum(units[k] for k in given[:len(positive)]) - sum(units[k] for k in given[len(positive):])
        cosine = units @ asked / max(float(np.linalg.norm(asked)), 1e-30)
        cosine[given] = -np.inf
        best = np.argsort(-cosine, kind="stable")[:min(topn, len(self) - len(set(given)))]
        return [(self.index_to_key[k], float(cosine[k])) for k in best]

    def analogies(self, questions):
        """How many of (a, b, c, d), lines of "a is to b as c is to d", have d as the nearest word to b - a + c.

        Returns (right, asked); questions with a word that is not known are not asked.
        """
        right = asked = 0
        for a, b, c, d in questions:
            if not all(word in self for word in (a, b, c, d)):
                continue
            asked += 1
            right += self.most_similar([b, c], [a], topn=1)[0][0] == d
        return right, asked


class Word2Vec:
    """Trains vectors of words, by skip-gram or by bags of words.

    Parameters
    ----------
    sentences : iterable of lists of str, default=None
    corpus_file : str or path, default=None
        In its place a file: words between blanks, sentences between ends of lines; plain or compressed. It is read
        without Python, and never held in memory.
    vector_size : int, default=100
    window : int, default=5
    min_count : int, default=5
    workers : int, default=3
    sg : {0, 1}, default=0
        1 is skip-gram, 0 continuous bags of words.
    hs : {0, 1}, default=0
        1 is hierarchical softmax in the place of negative samples.
    negative : int, default=5
    sample : float, default=1e-3
    alpha : float or None, default=None
        The first step; None is the model's own.
    epochs : int, default=5
    seed : int, default=1
    reproducible : bool, default=False
        The same bits for any number of workers.
    callback : callable, default=None
        Is given a dict of each epoch.

    Attributes
    ----------
    wv : WordVectors
    run_ : hogwild.Run
    """

    def __init__(self, sentences=None, corpus_file=None, vector_size=100, window=5, min_count=5, workers=3, sg=0, hs=0,
                 negative=5, sample=1e-3, alpha=None, epochs=5, seed=1, reproducible=False, callback=None):
        if (sentences is None) == (corpus_file is None):
            raise TypeError("give sentences, or the name of a corpus_file")
        text = _Text(corpus_file, sentences, min_count)
        options = {"model": "skip_gram" if sg else "cbow", "dimension": vector_size, "window": window, "epochs": epochs,
                   "sample": float(sample), "step": alpha, "seed": seed, "reproducible": bool(reproducible),
                   "hierarchical": bool(hs), "negative": None if hs else negative, **workers_of(workers)}
        job = Job(text, words_of(options), None, callback, "the text")
        interrupt = None
        try:
            job.wait()
        except BaseException as raised:  # whatever a signal's handler raises
            interrupt = raised
        trained = job._run.vectors()
        if trained is None:
            raise interrupt or ValueError("the vectors are not finite: take a lower alpha")
        self.run_ = job.record()
        self.wv = WordVectors(trained.words, trained.values)
        if interrupt is not None:
            raise interrupt


class _Text:
    """What a Job takes in the place of a Dataset."""

    path = None

    def __init__(self, corpus_file, sentences, min_count):
        if corpus_file is not None:
            self._rows = _engine.Rows.open_text(os.fspath(corpus_file), min_count)
            return
        if isinstance(sentences, str):
            raise TypeError("sentences are lists of words: for a text in a file take corpus_file")
        lines = []
        for sentence in sentences:
            words = list(sentence)
            if any(not word or word.split() != [word] for word in words):
                raise ValueError(f"a word of {words!r} is empty or has blanks in it")
            lines.append(" ".join(words))
        self._rows = _engine.Rows.read_text("\n".join(lines).encode("utf-8", "surrogateescape"), min_count)
