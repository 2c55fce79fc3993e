# SPDX-License-Identifier: Apache-2.0
"""Word vectors, with the interface of the package gensim."""
import collections
import json
import numbers
import os
import re

import numpy as np

from . import _engine
from ._arrays import require_count, saved_arrays
from ._engine import ConfigError, InputError
from ._train import Job, said_here, words_of, workers_of
from ._word_vectors import DocumentVectors, WordVectors


class Word2Vec:
    """Trains word vectors, by skip-gram or continuous bags of words.

    Parameters
    ----------
    sentences : iterable of lists of str, default=None
    corpus_file : str or path, default=None
        A file instead of sentences: words between blanks, one sentence a line; plain or compressed. It is read without
        Python, and never held in memory.
    vector_size : int, default=100
    window : int, default=5
    min_count : int, default=5
    workers : int, default=3
    sg : {0, 1}, default=0
        1: skip-gram, 0: continuous bags of words.
    hs : {0, 1}, default=0
        1: hierarchical softmax instead of negative samples.
    negative : int, default=5
    sample : float, default=1e-3
    alpha : float or None, default=None
        The first step; None: the model's default.
    epochs : int, default=5
    seed : int, default=1
    reproducible : bool, default=False
        Whether the result has the same bits for any number of workers.
    callback : callable, default=None
        Called with a dict after each epoch.

    Attributes
    ----------
    wv : WordVectors
    run_ : hogwild.Run
    """

    _TERMS = {"step": "alpha", "dimension": "vector_size"}
    _parts = {}  # the options of parts of words
    _documents, _tags = False, None  # whether texts are documents, and their names if these are not their numbers

    def __init__(self, sentences=None, corpus_file=None, vector_size=100, window=5, min_count=5, workers=3, sg=0, hs=0,
                 negative=5, sample=1e-3, alpha=None, epochs=5, seed=1, reproducible=False, callback=None, **others):
        _require_text("Word2Vec", others, sentences, corpus_file)
        _require_flags(sg=sg, hs=hs)
        self._learn(sentences, corpus_file, {"model": "skip_gram" if sg else "cbow"}, vector_size, window, min_count,
                    workers, hs, negative, sample, alpha, epochs, seed, reproducible, callback)

    def _learn(self, sentences, corpus_file, form, vector_size, window, min_count, workers, hs, negative, sample, alpha,
               epochs, seed, reproducible, callback):
        require_count("min_count", min_count)
        if not isinstance(sample, numbers.Real):
            raise ValueError(f"sample={sample!r}: it must be a number, 0 to keep all occurrences of frequent words")
        self.min_count, self.epochs = int(min_count), epochs
        self._options = {**form, "dimension": vector_size, "window": window,
                         "sample": float(sample), "seed": seed, "reproducible": bool(reproducible),
                         "hierarchical": bool(hs), "negative": None if hs else negative,
                         **self._parts, **workers_of(workers, "workers")}
        text = _Text(corpus_file, sentences, min_count, parts=self._parts, documents=self._documents)
        self._counts = text._rows.words()
        self._train(text, epochs, alpha, callback, None)

    def train(self, sentences=None, corpus_file=None, *, total_examples=None, total_words=None, epochs=None,
              start_alpha=None, callback=None, **others):
        """Trains further, on more sentences; unknown words are left out.

        The step begins anew, with start_alpha; None: the model's default. total_examples and total_words, which gensim
        requires, are ignored: sentences are counted here.
        """
        _require_text("train()", others, sentences, corpus_file)
        text = _Text(corpus_file, sentences, self.min_count, self._counts, self._parts)
        self._train(text, self.epochs if epochs is None else epochs, start_alpha, callback, self._saved)

    def build_vocab(self, *_, **__):
        """Raises TypeError: the vocabulary is that of the sentences given to Word2Vec()."""
        raise TypeError("the vocabulary is made with the object, from all sentences: Word2Vec(sentences); train() goes on "
                        "with its words")

    def save(self, path):
        """Writes all that train() needs to continue to a numpy file, .npz, which load() reads."""
        with open(os.fspath(path), "wb") as file:
            np.savez(file, model=np.frombuffer(self._saved.bytes(), np.uint8),
                     words=np.frombuffer(b"\n".join(word for word, _ in self._counts), np.uint8),
                     counts=np.array([count for _, count in self._counts], np.uint64),
                     told=np.array(json.dumps([self.min_count, self.epochs, self._options, self._tags], default=int)))

    @classmethod
    def load(cls, path):
        """Reads a file of save()."""
        made = cls.__new__(cls)
        with saved_arrays(os.fspath(path), "Word2Vec.save") as read:
            model, words, counts = (read[name] for name in ("model", "words", "counts"))
            made.min_count, made.epochs, made._options, *tags = json.loads(read["told"].item())
        made._tags = tags[0] if tags else None
        learned = made._options["model"]
        if (learned == "paragraph_vectors") != cls._documents:
            raise InputError(f"{os.fspath(path)}: a {learned} model, which {'Word2Vec' if cls._documents else 'Doc2Vec'}."
                             "load() reads")
        made.__setstate__({"_saved": model.tobytes(), "_counts": list(zip(words.tobytes().split(b"\n"), counts.tolist()))})
        return made

    @property
    def vector_size(self):
        return self._options["dimension"]

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "wv"} | {"_saved": self._saved.bytes()}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._saved = _engine.Saved.parse(state["_saved"])
        self._take_words()

    def _take_words(self):
        """Of the saved model."""
        words = self._saved.names
        rows = self._saved.weights.reshape(len(words), -1)
        size = self._options["dimension"]
        first = rows.shape[1] - 2 * size  # after the word's number of occurrences, if that is there
        self._parts = {name: str(self._options[name]) for name in ("subwords", "buckets") if name in self._options}
        self.wv = WordVectors(words, np.ascontiguousarray(rows[:, first:first + size]), self._saved.subwords())

    def _train(self, text, epochs, alpha, callback, initial):
        options = {**self._options, "epochs": epochs, "step": alpha}

        def take(job):
            return job._run.saved_words(self.min_count)

        self._saved, interrupt = _train(self, text, options, take, initial, callback)
        if interrupt is not None:
            raise interrupt


class GloVe:
    """Trains word vectors by how often words stand near each other; the saved vector of a word is the sum of its two.

    Parameters
    ----------
    sentences, corpus_file, vector_size, min_count, workers, alpha, seed, reproducible, callback
        As of Word2Vec.
    window : int, default=10
    x_max : float, default=10
        The count from which on pairs of words weigh the same.
    epochs : int or None, default=None
        None: the model's default.

    Attributes
    ----------
    wv : WordVectors
    run_ : hogwild.Run
    """

    _TERMS = {"step": "alpha", "dimension": "vector_size"}

    def __init__(self, sentences=None, corpus_file=None, vector_size=100, window=10, min_count=5, x_max=10.0, workers=3,
                 alpha=None, epochs=None, seed=1, reproducible=False, callback=None, **others):
        _require_text("GloVe", others, sentences, corpus_file)
        require_count("min_count", min_count)
        options = {"model": "glove", "dimension": vector_size, "window": window, "x_max": x_max, "epochs": epochs,
                   "step": alpha, "seed": seed, "reproducible": bool(reproducible), **workers_of(workers, "workers")}
        interrupt = _train(self, _Text(corpus_file, sentences, min_count), options, lambda job: None, None, callback)[1]
        if interrupt is not None:
            raise interrupt

    @property
    def vector_size(self):
        return self.wv.vector_size


TaggedDocument = collections.namedtuple("TaggedDocument", "words tags")
TaggedDocument.__doc__ = """A document for Doc2Vec: its words, and a list of its name, a str or a number."""


class Doc2Vec(Word2Vec):
    """Vectors of documents, by which their words are predicted.

    Parameters
    ----------
    documents : iterable, default=None
        Each is a TaggedDocument, or a list of str, whose name is its number from 0 on.
    corpus_file : str or path, default=None
        A file instead of documents: one a line, which is named by the line's number from 0 on.
    dm : {0, 1}, default=1
        1: the mean of a document's vector and those of a word's neighbours predicts the word (PV-DM); 0: the document's
        vector alone does (PV-DBOW).
    dbow_words : {0, 1}, default=0
        1: with dm=0 words get vectors, too, as by skip-gram; else dm=0 has no window, and `window` means nothing.
    sample : float, default=1e-3
    epochs : int, default=10
    others
        As of Word2Vec; there is no sg.

    Attributes
    ----------
    dv : DocumentVectors
        The vectors of the documents, by their names.
    wv : WordVectors
        Those of words; with dm=0 there are none without dbow_words=1.
    run_ : hogwild.Run
    """

    _documents, _inference = True, None

    def __init__(self, documents=None, corpus_file=None, *, vector_size=100, dm=1, dbow_words=0, window=5, min_count=5,
                 workers=3, hs=0, negative=5, sample=1e-3, alpha=None, epochs=10, seed=1, reproducible=False,
                 callback=None, **others):
        _require_text("Doc2Vec", others, documents, corpus_file, "documents")
        _require_flags(dm=dm, dbow_words=dbow_words, hs=hs)
        if dm and dbow_words:
            raise ValueError("with dm=1 words always get vectors: leave out dbow_words")
        if documents is not None:
            tagged = [_tagged(each, k) for k, each in enumerate(_iterated(documents, "documents are lists of words"))]
            documents, self._tags = [words for words, _ in tagged], [tag for _, tag in tagged]
            if len(set(map(str, self._tags))) < len(tagged):
                raise ValueError("two documents have the same name")
        form = {"model": "paragraph_vectors", "dm": bool(dm), "train_words": True if dbow_words else None}
        window = window if dm or dbow_words else None  # there are no neighbours
        self._learn(documents, corpus_file, form, vector_size, window, min_count, workers, hs, negative, sample, alpha,
                    epochs, seed, reproducible, callback)

    def infer_vector(self, doc_words, alpha=None, epochs=None):
        """The vector of any document, a list of words; its words alone and the seed determine it. `epochs`, 50 if None,
        is how often it is gone through, and `alpha` the first step, above 0 and at most 10; None: the model's default.
        Without a known word it is 0."""
        epochs, alpha = 50 if epochs is None else epochs, 0.1 if alpha is None else alpha
        require_count("epochs", epochs)
        if not isinstance(alpha, numbers.Real) or not 0 < alpha <= 10:
            raise ValueError(f"alpha={alpha!r}: it must be a number above 0, and at most 10")
        if self._inference is None:
            self._inference = _engine.DocumentInference(self._saved)
        return self._inference.of(_bytes_of([doc_words]), int(epochs), float(alpha), self._options["seed"])

    def train(self, *_, **__):
        """Raises TypeError: Doc2Vec(documents) trains, and infer_vector() gives vectors to further documents."""
        raise TypeError("Doc2Vec(documents) trains all documents, and infer_vector() gives vectors to others")

    def __getattr__(self, name):
        if name == "wv":
            raise AttributeError("words have vectors with dm=1, or with dbow_words=1")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self):
        return {name: value for name, value in super().__getstate__().items() if name not in ("dv", "_inference")}

    def __setstate__(self, state):
        super().__setstate__(state)
        self._take_documents()

    def _train(self, *given):
        super()._train(*given)
        self._take_words()
        self._take_documents()

    def _take_documents(self):
        """Of the saved model."""
        vectors = self._saved.bias.reshape(-1, self.vector_size)
        self.dv = DocumentVectors(range(len(vectors)) if self._tags is None else self._tags, vectors)
        if not self._options["dm"] and not self._options["train_words"]:
            del self.wv


class FastText(Word2Vec):
    """Word vectors with vectors of the parts of words, by which unseen words have vectors, too.

    Parameters
    ----------
    min_n, max_n : int, default=3, 6
        The least and the most characters of a part of a word.
    bucket : int, default=2000000
        Parts whose hashes are equal modulo this number are one.
    others
        As of Word2Vec.
    """

    def __init__(self, sentences=None, corpus_file=None, *, min_n=3, max_n=6, bucket=2_000_000, **options):
        for name, value in (("min_n", min_n), ("max_n", max_n), ("bucket", bucket)):
            require_count(name, value)
        self._parts = {"subwords": f"{int(min_n)}-{int(max_n)}", "buckets": str(int(bucket))}
        try:
            super().__init__(sentences, corpus_file, **options)
        except ConfigError as fault:
            raise said_here(fault, {"subwords": "min_n and max_n", "buckets": "bucket"}) from None


def _require_flags(**flags):
    for name, value in flags.items():
        if value not in (0, 1):
            raise ValueError(f"{name}={value!r}: it must be 0 or 1")


def _tagged(document, number):
    """The words of a document, and its name."""
    if not hasattr(document, "tags"):
        return document, number
    tags = [document.tags] if isinstance(document.tags, str) else list(document.tags)
    if len(tags) != 1 or isinstance(tags[0], bool) or not isinstance(tags[0], (str, numbers.Integral)):
        raise ValueError(f"the tags {document.tags!r}: a document has one name, a str or a number, and one vector")
    return document.words, tags[0] if isinstance(tags[0], str) else int(tags[0])


def _require_text(called, others, sentences, corpus_file, texts="sentences"):
    for name in others:
        raise TypeError(f"{name} is none of {called}'s parameters here: {_ELSEWHERE.get(name, _NOT_HERE)}")
    if (sentences is None) == (corpus_file is None):
        raise TypeError(f"give {texts}, or the name of a corpus_file")


def _train(of, text, options, take, initial, callback):
    """Gives `of` the vectors of a text, as the attributes wv and run_. Returns take(job), and what a signal's handler
    raised meanwhile, or None."""
    try:
        job = Job(text, words_of(options), initial, callback, "the text")
        interrupt = job._interrupted()
        trained = job._run.vectors()
    except ConfigError as fault:
        raise said_here(fault, of._TERMS) from None
    if trained is None:
        raise interrupt or ValueError(f"the vectors are not finite: take a lower {of._TERMS['step']}")
    of.run_ = job.record()
    kept = take(job)
    of.wv = WordVectors(trained.words, trained.values, None if kept is None else kept.subwords())
    return kept, interrupt


_NOT_HERE = "help() has those that there are"
# Names that gensim's users know, and the alternatives here.
_ELSEWHERE = {
    "end_alpha": "the step falls as the model's own schedule has it; start_alpha is the first one",
    "queue_factor": "workers take rows as the engine deals them out",
    "report_delay": "callback is given a dict of each epoch",
    "min_alpha": "the step falls as the model's own schedule has it; alpha is the first one",
    "cbow_mean": "a bag of words is the mean of its vectors",
    "ns_exponent": "negative samples are drawn by counts to the power of 0.75",
    "max_final_vocab": "min_count says which words there are",
    "max_vocab_size": "min_count says which words there are",
    "compute_loss": "run_.history has the loss of each epoch",
    "trim_rule": "leave words out of the sentences; min_count leaves the rare ones out",
    "callbacks": "callback is a function that is given a dict of each epoch",
    "hashfxn": "seed says how vectors begin",
    "sorted_vocab": "words are always sorted by falling frequency",
    "batch_words": "workers take rows as the engine deals them out",
    "shrink_windows": "the window of each word is drawn up to `window`",
    "null_word": "there is no such word",
    "dm_mean": "the distributed memory is the mean of its vectors",
    "dm_concat": "the distributed memory is the mean of its vectors",
    "dm_tag_count": "a document has one name",
    "docvecs": "Doc2Vec(documents) learns them anew",
}


class _Text:
    """The sentences of a text, which a Job takes instead of a Dataset."""

    path = None

    def __init__(self, corpus_file, sentences, min_count, words=None, parts={}, documents=False):
        if corpus_file is not None:
            self._rows = _engine.Rows.open_text(os.fspath(corpus_file), min_count, words, parts, documents)
            return
        self._rows = _engine.Rows.read_text(_bytes_of(sentences), min_count, words, parts, documents)


def _bytes_of(sentences):
    """The text of sentences, one a line."""
    lines = []
    for sentence in _iterated(sentences, "sentences are lists of words"):
        if isinstance(sentence, (str, bytes, bytearray)):
            raise TypeError(f"the sentence {str(sentence)!r} is one word: sentences are lists of words, [['two', 'words'], "
                            "...]; split() a text, or take corpus_file")
        lines.append(b" ".join(_word(word) for word in _iterated(sentence, "a sentence is a list of words")))
    # Behind a blank no word begins the text, where bytes would say that it is compressed, or in which encoding.
    return b" " + b"\n".join(lines) + b"\n"


# The separators of words in a file. Words may contain any other blank, in a file and in Python.
_PARTS = re.compile(rb"[ \t\r\v\f\n\0]")


def _iterated(what, must_be):
    if isinstance(what, (str, bytes, bytearray)):
        raise TypeError(f"{must_be}, and this is {what[:40]!r}: split() it, or for a text in a file take corpus_file")
    try:
        return iter(what)
    except TypeError:
        raise TypeError(f"{must_be}, and this is {what!r}") from None


def _word(word):
    """The bytes of a word, as in a file."""
    if isinstance(word, str):
        known = word.encode("utf-8", "surrogateescape")
    elif isinstance(word, bytes):
        known = word
    else:
        raise TypeError(f"words are str, and {word!r} is of the type {type(word).__name__}: pass str(word), as in "
                        "[list(map(str, sentence)) for sentence in sentences]")
    if not known or _PARTS.search(known):
        raise ValueError(f"the word {word!r} is empty, or has blanks, ends of lines or bytes 0 in it, which part words: "
                         "leave it out, or replace it")
    return known
