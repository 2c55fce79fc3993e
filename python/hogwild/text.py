# SPDX-License-Identifier: Apache-2.0
"""Labels of texts, and vectors of words, with the calls of the package fasttext."""
import os
import re

from . import _engine
from ._arrays import require_count
from ._data import open as _open
from ._engine import ConfigError, InputError
from ._fits import trained
from ._text_models import MARK, TextClassifier, TextVectors
from ._train import Job, said_here, threads_of, workers_of
from ._word_vectors import WordVectors
from .words import Word2Vec


def train_supervised(input, lr=None, dim=None, epoch=None, wordNgrams=1, minn=0, maxn=0, loss="softmax", minCount=1,
                     label=MARK, thread=None, pretrainedVectors=None, seed=1, reproducible=False, callback=None, **others):
    """Learns the labels of texts.

    Parameters
    ----------
    input : str or path
        Lines "__label__A __label__B word word ...", plain or compressed.
    lr, dim, epoch : number or None, default=None
        The first step, the numbers of a vector, and the passes over the texts; None: the model's default.
    wordNgrams : int, default=1
        Runs of up to so many words have vectors, too.
    minn, maxn : int, default=0
        Parts of words of so many characters have vectors, too; 0: none.
    loss : {"softmax", "ova"}, default="softmax"
        "ova": each label against all others.
    minCount, label
        1 and "__label__"; other values are refused.
    thread : int or None, default=None
        Workers; None: as many as this process may use.
    pretrainedVectors : str, path or None, default=None
        A file of word vectors, with which words begin.
    seed : int, default=1
    reproducible : bool, default=False
        Whether the result has the same bits for any number of threads.
    callback : callable, default=None
        Called with a dict after each epoch.

    Returns
    -------
    TextClassifier
    """
    _refuse("train_supervised", others)
    if minCount != 1:
        raise ValueError(f"minCount={minCount!r}: all words have vectors here; leave rare ones out of the text")
    if label != MARK:
        raise ValueError(f"label={label!r}: labels begin with {MARK} here: replace it in the text")
    if loss not in ("softmax", "ova"):
        raise ValueError(f"loss={loss!r}: it is 'softmax', or 'ova' for each label against all others")
    require_count("wordNgrams", wordNgrams)
    require_count("minn", minn, 0)
    require_count("maxn", maxn, max(minn, 0))
    rows = _open(input, "labelled_text", model="text_classifier", word_ngrams=None if wordNgrams == 1 else wordNgrams,
                 char_ngrams=f"{max(minn, 1)}-{maxn}" if maxn else None)
    options = {"model": "text_classifier", "step": lr, "dimension": dim, "epochs": epoch,
               "class_loss": "one_vs_rest" if loss == "ova" else loss, "seed": seed, "reproducible": bool(reproducible),
               **workers_of(-1 if thread is None else thread, "thread")}
    vectors = None
    if pretrainedVectors:
        vectors = _engine.WordVectors.load(os.fspath(pretrainedVectors))
        options["dimension"] = vectors.values.shape[1] if dim is None else dim
    saved, run, interrupt = trained(rows, options, Job.saved, _TERMS, vectors, callback, rows.path)
    if interrupt is not None:
        raise interrupt
    return TextClassifier(saved, run)


def train_unsupervised(input, model="skipgram", lr=None, dim=100, ws=5, epoch=5, minCount=5, neg=5, loss="ns", t=1e-4,
                       minn=3, maxn=6, bucket=2_000_000, thread=None, seed=1, reproducible=False, callback=None, **others):
    """Learns vectors of words and of their parts, by which unseen words have vectors, too.

    Parameters
    ----------
    input : str or path
        Words between blanks, one sentence a line; plain or compressed.
    model : {"skipgram", "cbow"}, default="skipgram"
    lr : float or None, default=None
        The first step; None: the model's default.
    dim, ws, epoch, minCount, neg : int
        The numbers of a vector, the neighbours on each side, the passes over the text, how often a word occurs at least,
        and the words drawn for contrast.
    loss : {"ns", "hs"}, default="ns"
        Drawn words, or a hierarchical softmax.
    t : float, default=1e-4
        Words that are a larger fraction of the text are dropped at random.
    minn, maxn : int, default=3, 6
        The least and the most characters of a part of a word; with a maxn of 0 words have no parts.
    bucket : int, default=2000000
        Parts whose hashes are equal modulo this number are one.
    thread, seed, reproducible, callback
        As of train_supervised().

    Returns
    -------
    TextVectors
    """
    _refuse("train_unsupervised", others)
    for name, value, known in (("model", model, ("skipgram", "cbow")), ("loss", loss, ("ns", "hs"))):
        if value not in known:
            raise ValueError(f"{name}={value!r}: it is {known[0]!r} or {known[1]!r}")
    for name, value, least in (("minCount", minCount, 1), ("minn", minn, 0), ("maxn", maxn, max(minn, 1) if maxn else 0),
                               ("bucket", bucket, 1)):
        require_count(name, value, least)
    parts = {"subwords": f"{max(minn, 1)}-{maxn}", "buckets": str(int(bucket))} if maxn else {}
    made = _Words(parts, corpus_file=input, vector_size=dim, window=ws, min_count=minCount,
                  workers=threads_of(-1 if thread is None else thread, "thread"), sg=int(model == "skipgram"),
                  hs=int(loss == "hs"), negative=neg, sample=t, alpha=lr, epochs=epoch, seed=seed,
                  reproducible=reproducible, callback=callback)
    return TextVectors(made.wv, made.run_, made)


def load_model(path):
    """Reads a model of save_model(), or of the command: a text_classifier, or word vectors."""
    path = os.fspath(path)
    with open(path, "rb") as file:
        begin = file.read(64)
    if begin.startswith(b"\xba\x16\x4f\x2f"):
        raise InputError(f"{path}: this is a model of fastText's own, which is not read: take its .vec file, by hogwild."
                         "WordVectors.load(), or as pretrainedVectors")
    if re.match(rb"\d+ \d+\s", begin):
        return TextVectors(WordVectors.load(path))
    return TextClassifier(_engine.Saved.load(path))


_TERMS = {"step": "lr", "dimension": "dim", "epochs": "epoch", "workers": "thread"}
# Names that fasttext's users know, and the alternatives here.
_ELSEWHERE = {
    "bucket": "each run and part of words has a place by its hash among 2^20 of its kind",
    "ws": "a text is the mean of all its words",
    "neg": "all labels are compared: loss is 'softmax' or 'ova'",
    "minCountLabel": "all labels of the text are learned",
    "wordNgrams": "runs of words have vectors in train_supervised() alone",
    "pretrainedVectors": "train_supervised() begins with word vectors; hogwild.Word2Vec has train(), to go on",
    "lrUpdateRate": "the step falls as the model's own schedule has it",
    "t": "all occurrences of words count",
    "verbose": "nothing is printed; callback is given a dict of each epoch",
}


class _Words(Word2Vec):
    _TERMS = {**_TERMS, "subwords": "maxn", "buckets": "bucket"}

    def __init__(self, parts, **options):
        self._parts = parts
        try:
            super().__init__(**options)
        except ConfigError as fault:
            raise said_here(fault, self._TERMS) from None


def _refuse(called, others):
    for name in others:
        if name.startswith("autotune"):
            raise TypeError(f"{name} is none of {called}()'s parameters here: the command 'hogwild search' finds options")
        raise TypeError(f"{name} is none of {called}()'s parameters here: "
                        f"{_ELSEWHERE.get(name, f'help(hogwild.text.{called}) has those that there are')}")
