# SPDX-License-Identifier: Apache-2.0
"""Trained word vectors."""
import numbers
import os

import numpy as np

from . import _engine
from ._arrays import require_count


class WordVectors:
    """Words and their vectors; the attribute `wv` of Word2Vec.

    Attributes
    ----------
    index_to_key : list of str
        The words, by falling frequency. Bytes that are not UTF-8 are decoded as by os.fsdecode(), so that os.fsencode()
        restores them.
    key_to_index : dict
    vectors : float32 ndarray of shape (words, vector_size)
    """

    def __init__(self, words, vectors, parts=None):
        self.index_to_key, self.vectors, self._parts = list(words), vectors, parts
        self.key_to_index = {word: k for k, word in enumerate(self.index_to_key)}
        self._unit = None

    @classmethod
    def load(cls, path):
        """Reads a word2vec file, text or binary."""
        read = _engine.WordVectors.load(os.fspath(path))
        return cls(read.words, read.values)

    @classmethod
    def load_word2vec_format(cls, *_, **__):
        """Raises TypeError: load() reads these files."""
        raise TypeError("load(path) reads the files of word2vec, and tells itself whether they are text or binary")

    def __getattr__(self, name):
        if name in _ELSEWHERE:
            raise AttributeError(f"WordVectors have no {name}: {_ELSEWHERE[name]}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def vector_size(self):
        return self.vectors.shape[1]

    def __len__(self):
        return len(self.index_to_key)

    def __contains__(self, word):
        """Whether a word has a vector."""
        return word in self.key_to_index or self._unseen(word) is not None

    def __getitem__(self, words):
        """The vector of a word, or for a list of words one row for each."""
        if isinstance(words, str):
            return self._vector(words)
        return np.array([self._vector(word) for word in words]).reshape(-1, self.vector_size)

    def get_vector(self, word, norm=False):
        """A copy of the vector of a word; with `norm` of length 1."""
        return np.array(self._unit_vector(word) if norm else self._vector(word))

    def _unseen(self, word):
        """The vector of a word by its parts; None if there is none."""
        return None if self._parts is None or not isinstance(word, str) else self._parts.of(os.fsencode(word))

    def _vector(self, word):
        vector = None if word in self.key_to_index else self._unseen(word)
        return self.vectors[self._index(word)] if vector is None else vector[0]

    def _unit_vector(self, word):
        return self._units()[self._index(word)] if word in self.key_to_index else _unit_rows(self._vector(word)[None])[0]

    def _index(self, word):
        if not isinstance(word, str):
            raise TypeError(f"words are str, and {word!r} is of the type {type(word).__name__}")
        if word not in self.key_to_index:
            raise KeyError(f"the word {word!r} is not in the vocabulary")
        return self.key_to_index[word]

    def _units(self):
        if self._unit is None:
            self._unit = _unit_rows(self.vectors)
        return self._unit

    def similarity(self, first, second):
        """The cosine of two words' vectors."""
        return float(self._unit_vector(first) @ self._unit_vector(second))

    def distance(self, first, second):
        """1 minus the cosine of two words' vectors."""
        return 1.0 - self.similarity(first, second)

    def n_similarity(self, first, second):
        """The cosine of the means of two lists of words, whose vectors are first scaled to length 1."""
        return float(np.dot(*(_unit_rows(self._mean([(word, 1.0) for word in words])[None])[0]
                              for words in (first, second))))

    def most_similar(self, positive=(), negative=(), topn=10, **others):
        """The topn words with the greatest cosine to the sum of the positive words minus the negative ones.

        Each of them is a word, a vector, or a pair of one of these and its weight. Vectors of words are scaled to
        length 1. Returns a list of (word, cosine), without the given words.
        """
        for name in others:
            raise TypeError(f"{name} is none of most_similar()'s parameters here: all words are compared, and the "
                            "array `vectors` has their vectors by falling frequency")
        require_count("topn", topn, 0)
        asked = [(key, weight) for key, weight in _weighted(positive)]
        asked += [(key, -weight) for key, weight in _weighted(negative)]
        if not asked:
            raise ValueError("cannot compute similarity with no input: give a word")
        units, sum_of = self._units(), self._mean(asked)
        given = sorted({self.key_to_index[key] for key, _ in asked if isinstance(key, str) and key in self.key_to_index})
        cosine = units @ sum_of / max(float(np.linalg.norm(sum_of)), 1e-30)
        cosine[given] = -np.inf
        best = np.argsort(-cosine, kind="stable")[:min(topn, len(self) - len(given))]
        return [(self.index_to_key[k], float(cosine[k])) for k in best]

    def similar_by_word(self, word, topn=10, **others):
        """most_similar() for one word."""
        return self.most_similar([word], topn=topn, **others)

    def similar_by_vector(self, vector, topn=10, **others):
        """most_similar() for one vector."""
        return self.most_similar([np.asarray(vector)], topn=topn, **others)

    def _mean(self, weighted):
        """The weighted mean of words and vectors, scaled to length 1."""
        if not weighted:
            raise ValueError("there is no word: give one at least")
        total = np.zeros(self.vector_size, np.float64)
        for key, weight in weighted:
            if isinstance(key, str):
                vector = self._unit_vector(key)
            else:
                try:
                    vector = np.asarray(key, np.float64)
                except (TypeError, ValueError):
                    raise TypeError(f"{key!r} is neither a word nor a vector of numbers") from None
                if vector.shape != (self.vector_size,):
                    raise ValueError(f"a vector has the shape {vector.shape}, and those of words have {(self.vector_size,)}")
                if not np.all(np.isfinite(vector)):
                    raise ValueError("a vector has numbers that are not finite, which are near to nothing")
                vector = _unit_rows(vector[None])[0]
            total += weight * vector
        return total / len(weighted)

    def doesnt_match(self, words):
        """The word whose vector is farthest from the mean of all."""
        if isinstance(words, str):
            raise TypeError(f"words are a list, and this is the str {words!r}: split() it")
        known = [word for word in words if word in self]
        if not known:
            raise ValueError("none of these words is in the vocabulary")
        mean = self._mean([(word, 1.0) for word in known])
        return min(known, key=lambda word: float(self._unit_vector(word) @ mean))

    def evaluate_word_pairs(self, pairs, delimiter="\t", case_insensitive=True, dummy4unknown=False):
        """The correlation of the cosines of word pairs with human judgements.

        `pairs` is a file with a line "word, word, number" for each pair, separated by `delimiter`, in which lines that
        begin with # are ignored; or an iterable of such triples. Pairs with an unknown word are left out, or count as 0
        with dummy4unknown. Returns Pearson's and Spearman's correlation, as returned by scipy.stats, and the percentage
        of pairs with an unknown word.
        """
        from scipy import stats

        words = {}
        for word in self.index_to_key:
            words.setdefault(word.upper() if case_insensitive else word, word)
        told, known, unknown = [], [], 0
        for first, second, number in _triples(pairs, delimiter):
            found = [words.get(word.upper() if case_insensitive else word) for word in (first, second)]
            if None in found:
                unknown += 1
                if not dummy4unknown:
                    continue
            told.append(float(number))
            known.append(0.0 if None in found else self.similarity(*found))
        if len(told) < 2:
            raise ValueError(f"there are {len(told)} pairs whose words are known: a correlation is of two at least")
        return stats.pearsonr(told, known), stats.spearmanr(told, known), 100.0 * unknown / (len(told) + (
            0 if dummy4unknown else unknown))

    def save(self, path):
        """Writes a word2vec file: binary if the name ends in .bin, else text. load() reads it."""
        _engine.WordVectors.of([os.fsencode(word) for word in self.index_to_key],
                               np.ascontiguousarray(self.vectors, np.float32)).save(os.fspath(path))

    def analogies(self, questions):
        """Counts the analogies (a, b, c, d), "a is to b as c is to d", for which d is the nearest word to b - a + c.

        Returns (right, asked); questions with an unknown word are not asked.
        """
        right = asked = 0
        for a, b, c, d in questions:
            if not all(word in self for word in (a, b, c, d)):
                continue
            asked += 1
            right += self.most_similar([b, c], [a], topn=1)[0][0] == d
        return right, asked


class DocumentVectors(WordVectors):
    """Documents and their vectors; the attribute `dv` of Doc2Vec. All is as of WordVectors, with the names of documents
    in place of words. Names that are numbers may be given as numbers, and are returned so.

    Attributes
    ----------
    tags : list
        The names, in the order of `vectors`.
    """

    def __init__(self, tags, vectors):
        self.tags = list(tags)
        super().__init__(map(str, self.tags), vectors)

    def __contains__(self, tag):
        return super().__contains__(_named(tag))

    def __getitem__(self, tags):
        return super().__getitem__(_named(tags))

    def most_similar(self, positive=(), negative=(), topn=10, **others):
        """The topn documents with the greatest cosine to the sum of the positive ones minus the negative ones: as of
        WordVectors."""
        near = super().most_similar(_named(positive), _named(negative), topn, **others)
        return [(self.tags[self.key_to_index[name]], cosine) for name, cosine in near]

    def n_similarity(self, first, second):
        """The cosine of the means of two lists of documents: as of WordVectors."""
        return super().n_similarity(_named(list(first)), _named(list(second)))

    def doesnt_match(self, tags):
        """The document whose vector is farthest from the mean of all."""
        found = super().doesnt_match(tags if isinstance(tags, str) else _named(list(tags)))
        return self.tags[self.key_to_index[found]]

    def _index(self, tag):
        return super()._index(_named(tag))

    def _unit_vector(self, tag):
        return super()._unit_vector(_named(tag))


def _named(tags):
    """The name of a document that may be a number, or the names of several, each perhaps in a pair with its weight."""
    if isinstance(tags, tuple) and len(tags) == 2 and isinstance(tags[1], float):
        return _named(tags[0]), tags[1]
    if isinstance(tags, (list, tuple)):
        return type(tags)((_named(tag[0]), tag[1]) if isinstance(tag, tuple) and len(tag) == 2 else
                          _named(tag) if isinstance(tag, numbers.Integral) else tag for tag in tags)
    return str(tags) if isinstance(tags, numbers.Integral) else tags


# Names that gensim's users know, and the alternatives here.
_ELSEWHERE = {
    "save_word2vec_format": "save(path) writes the files of word2vec, binary ones if the name ends in .bin",
    "similar_by_key": "similar_by_word(word) is the same",
    "most_similar_cosmul": "most_similar() compares by sums of vectors",
    "get_mean_vector": "take np.mean(wv[words], axis=0), with get_vector(word, norm=True) for vectors of length 1",
    "rank": "most_similar(word, topn=len(wv)) has all words in their order",
    "wmdistance": "n_similarity(first, second) compares two lists of words",
    "evaluate_word_analogies": "analogies(questions) counts the right ones",
    "vocab": "key_to_index has the words",
    "index2word": "index_to_key has the words",
}


def _unit_rows(vectors):
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1.0)


def _weighted(keys):
    """Converts words, vectors, pairs of one and a weight, or a single one of these, to pairs."""
    if isinstance(keys, str) or _is_weighted(keys) or (
            isinstance(keys, np.ndarray) and keys.ndim == 1 and keys.dtype.kind == "f"):
        keys = [keys]
    elif not np.iterable(keys):
        raise TypeError(f"{keys!r} is neither a word nor a list of words")
    for key in keys:
        yield (key[0], float(key[1])) if _is_weighted(key) else (key, 1.0)


def _is_weighted(key):
    return isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], numbers.Real) and not isinstance(
        key[0], numbers.Real)


def _triples(pairs, delimiter):
    if not isinstance(pairs, (str, os.PathLike)):
        yield from pairs
        return
    with open(pairs, encoding="utf-8", errors="surrogateescape") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#") or not line.strip():
                continue
            fields = line.rstrip("\r\n").split(delimiter)
            try:
                first, second, said = fields
                yield first, second, float(said)
            except ValueError:
                raise ValueError(f"{os.fspath(pairs)}:{number}: a line has two words and a number, parted by "
                                 f"{delimiter!r}") from None
