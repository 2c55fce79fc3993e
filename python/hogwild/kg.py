# SPDX-License-Identifier: Apache-2.0
"""Models of knowledge graphs: vectors of entities and relations, learned from triples (head, relation, tail)."""
import contextlib
import numbers
import os
import re
import warnings

import numpy as np

from . import _engine
from ._arrays import require_count
from ._data import open as _open
from ._engine import ConfigError, Note
from ._fits import Parameters, trained, workers_of_threads
from ._memory_files import file_of, in_memory
from ._train import Job, Model, keep_parameters, outside
from ._user_items import seed_of
from ._word_vectors import WordVectors

_TERMS = {"step": "learning_rate", "seed": "random_state", "workers": "num_threads"}


class _KnowledgeGraph(Parameters):
    """{}

    Parameters
    ----------
    factors : int or None, default=None
        Numbers of each entity{}; None: the model's default, as for all parameters below.
    epochs : int or None, default=None
        Passes over the triples.
    learning_rate : float or None, default=None
        The first step.
    negatives : int or None, default=None
        Entities drawn for a block of triples.
    loss : {{"softmax", "logistic", "hinge", "self_adversarial"}} or None, default=None
        How an answer is compared with them.
    margin, temperature : float or None, default=None
        Of the losses "hinge", and "self_adversarial".
    dropout : float or None, default=None
        Fraction of a question's numbers that training leaves out.
    {}
    products : {{"float", "bf16"}} or None, default=None
        Numbers that training multiplies.
    batch : int or None, default=None
        Triples of a block.
    num_threads : int, default=1
        Workers; 0: as many as this process may use.
    random_state : int, RandomState, Generator or None, default=1
        None: a seed is drawn.
    reproducible : bool, default=False
        Whether the result has the same bits for any num_threads.

    Attributes
    ----------
    entities, relations : list
        Their names, or their ids in ascending order.
    entity_embeddings, relation_embeddings, inverse_relation_embeddings : float32 ndarray
        A row for each, in their order; a relation has one for each direction. Of complex numbers the real parts come
        first.
    run_ : hogwild.Run or None
        How it was trained; None for a model that was read from a file.
    """

    def fit(self, triples, callback=None):
        """Learns from a file of triples, or from an array or list of triples (head, relation, tail) of names, or of whole
        numbers. Returns self."""
        if self.factors is not None:
            require_count("factors", self.factors)
        require_count("num_threads", self.num_threads, 0)
        given = _given(triples, "the triples")
        with _file_of(given, "the triples") as path:
            rows = _open(path, "triples")
            options = {"model": self._MODEL, "step": self.learning_rate, "seed": seed_of(self.random_state),
                       **workers_of_threads(self.num_threads), "reproducible": bool(self.reproducible),
                       **{name: getattr(self, name) for name in self._OPTIONS}}
            saved, self.run_, interrupt = trained(rows, options, Job.saved, _TERMS, None, callback, "the triples")
        self._take(saved, isinstance(given, list) and all(_is_id(x) for triple in given for x in triple))
        if interrupt is not None:
            raise interrupt
        return self

    def evaluate(self, test, known=None):
        """Orders all entities for both questions of each test triple, and returns a dict of mrr, hits_at_1, hits_at_3 and
        hits_at_10. Other answers that are right, by the test triples or by the `known` ones, such as those of the
        training, are left out. Both are files or triples, as of fit(); triples with an unknown name are left out, which a
        hogwild.Note tells."""
        self._check_fitted()
        if known is None:
            warnings.warn("no triples are known to be true but those of the test: give those of the training as known",
                          Note, stacklevel=outside())
        called = "the test triples", "the known triples"
        with _file_of(_given(test, called[0]), called[0]) as path, \
                _file_of("" if known is None else _given(known, called[1]), called[1]) as beside:
            measures, notes = self._asked().evaluate(path, beside)
        for note in notes:
            for there, name in zip((path, beside), called):
                note = note.replace(there, name) if in_memory(there) else note
            warnings.warn(note, Note, stacklevel=outside())
        if not measures:
            raise ValueError("no test triple has names that the model knows")
        return measures

    def predict(self, head, relation, tail=None, k=10):
        """The k best tails of a head and a relation, or heads if the head is None: a list of (entity, score), the best
        first. With both, the score of the triple. For lists, of which all are of one length, a list with the answer to
        each."""
        self._check_fitted()
        require_count("k", k)
        if head is None and tail is None:
            raise ValueError("a head or a tail is asked for, by None in its place, and not both")
        lists = [list(each) for each in (head, relation, tail) if np.ndim(each) > 0]
        counts = sorted({len(each) for each in lists}) or [1]
        if len(counts) > 1:
            raise ValueError(f"there are lists of {counts[0]} and of {counts[-1]}: give one name of each for a question")
        if counts == [0]:
            return []
        columns = [[each] * counts[0] if np.ndim(each) == 0 else list(each) for each in (head, relation, tail)]
        for given in (columns[0], columns[2]):
            if "?" in given:
                raise ValueError("an entity that is called ? cannot be asked about")
        asked = [["?" if x is None else x for x in triple] for triple in zip(*columns)]
        with file_of(_text_of(asked, "the questions"), "the questions") as path:
            answers = self._asked().answers(path, k)
        answers = [said if isinstance(said, float) else [(self._name(name), score) for name, score in said]
                   for said in answers]
        return answers if lists else answers[0]

    def neighbors(self, entity, k=10):
        """The k entities with the greatest cosine to one: a list of (entity, cosine)."""
        self._check_fitted()
        if self._near is None:
            self._near = WordVectors(map(str, self.entities), self.entity_embeddings)
        if str(entity) not in self._near:
            raise KeyError(f"the model does not know the entity {entity!r}")
        return [(self._name(name), cosine) for name, cosine in self._near.most_similar(str(entity), topn=k)]

    @property
    def model_(self):
        """The hogwild.Model."""
        self._check_fitted()
        return Model(self._saved, self.run_)

    def save(self, path):
        """Writes a file that load() and the command read."""
        self.model_.save(path)

    @classmethod
    def load(cls, path):
        """Reads a file of save(), or of the command. Its entities and relations have names, and parameters are those of a
        new object."""
        saved = _engine.Saved.load(os.fspath(path))
        if saved.model != cls._MODEL:
            raise ConfigError(f"{os.fspath(path)}: this is a {saved.model} model, and no {cls._MODEL}")
        made = cls()
        made.run_ = None
        made._take(saved, False)
        return made

    def _take(self, saved, ids):
        """Makes attributes of a saved model's parameters. `ids`: names are numbers."""
        self._saved, self._ids, self._triples, self._near = saved, ids, None, None
        columns, names = saved.columns, saved.names
        weights = saved.weights.reshape(len(columns), saved.width)
        width = int(dict(saved.options)["rank"]) * (2 if self._COMPLEX else 1)
        each = saved.width // 2  # of a relation, in one direction
        found = []
        for odd in (1, 0):
            rows = np.flatnonzero(columns % 2 == odd)
            told = [self._name(names[row]) for row in rows]
            if ids:
                order = np.argsort(told)
                rows, told = rows[order], [told[k] for k in order]
            found.append((told, rows))
        self.entities, self.relations = found[0][0], found[1][0]
        self.entity_embeddings = weights[found[0][1], :width]
        self.relation_embeddings, self.inverse_relation_embeddings = (
            weights[found[1][1], first:first + each] for first in (0, each))

    def _name(self, text):
        return int(text) if self._ids else text

    def _asked(self):
        if self._triples is None:
            self._triples = _engine.Triples(self._saved)
        return self._triples

    def _check_fitted(self):
        self._require_fitted("_saved", "fit(triples)")

    def __getstate__(self):
        state = {name: value for name, value in self.__dict__.items() if name not in ("_triples", "_near")}
        return state | {"_saved": self._saved.bytes()} if "_saved" in state else state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if "_saved" in state:
            self._saved, self._triples, self._near = _engine.Saved.parse(state["_saved"]), None, None


class _OfProducts(_KnowledgeGraph):
    _OPTIONS = ("factors", "epochs", "negatives", "loss", "margin", "temperature", "dropout", "n3", "products", "batch")

    def __init__(self, factors=None, epochs=None, learning_rate=None, negatives=None, loss=None, margin=None,
                 temperature=None, dropout=None, n3=None, batch=None, num_threads=1, random_state=1,
                 reproducible=False, products=None):
        keep_parameters(self, locals())


class _OfDistances(_KnowledgeGraph):
    _OPTIONS = ("factors", "epochs", "negatives", "loss", "margin", "temperature", "dropout", "gamma", "products",
                "batch")

    def __init__(self, factors=None, epochs=None, learning_rate=None, negatives=None, loss=None, margin=None,
                 temperature=None, dropout=None, gamma=None, batch=None, num_threads=1, random_state=1,
                 reproducible=False, products=None):
        keep_parameters(self, locals())


class TransE(_OfDistances):
    _MODEL, _COMPLEX = "transe", False


class DistMult(_OfProducts):
    _MODEL, _COMPLEX = "distmult", False


class ComplEx(_OfProducts):
    _MODEL, _COMPLEX = "complex", True


class RotatE(_OfDistances):
    _MODEL, _COMPLEX = "rotate", True


_N3 = """n3 : float or None, default=None
        How much the third powers of numbers are regularised."""
_GAMMA = """gamma : float or None, default=None
        What a distance is subtracted from, of the losses "logistic" and "self_adversarial"."""
_SUMMARIES = {TransE: ("A tail is near the sum of its head and the relation.", _GAMMA),
              DistMult: ("The product of head, relation and tail, number by number, is large.", _N3),
              ComplEx: ("The same as DistMult with complex numbers, so that head and tail differ.", _N3),
              RotatE: ("A tail is near its head, whose complex numbers the relation rotates.", _GAMMA)}
for _kind, (_summary, _own) in _SUMMARIES.items():
    if _KnowledgeGraph.__doc__:  # python -OO has none
        _kind.__doc__ = _KnowledgeGraph.__doc__.format(_summary, ", complex ones" if _kind._COMPLEX else "", _own)


def _given(triples, name):
    """The path of a file of triples, or a list of them."""
    if isinstance(triples, (str, os.PathLike)):
        return os.path.abspath(os.fspath(triples))
    given = np.asarray(triples) if hasattr(triples, "__array__") else list(triples)
    if isinstance(given, np.ndarray):
        if given.ndim != 2 or given.shape[1] != 3:
            raise ValueError(f"{name} are an array of the shape {given.shape}, and a triple has three: (head, relation, tail)")
        given = given.tolist()
    if not given:
        raise ValueError(f"{name} are none: give one at least")
    return given


def _file_of(given, name):
    return contextlib.nullcontext(given) if isinstance(given, str) else file_of(_text_of(given, name), name)


def _is_id(name):
    return isinstance(name, numbers.Integral) and not isinstance(name, bool)


def _text_of(triples, name):
    """Triples as the engine reads them."""
    lines = []
    for n, triple in enumerate(triples, 1):
        if isinstance(triple, (str, bytes)) or not hasattr(triple, "__len__") or len(triple) != 3:
            raise ValueError(f"{name}: number {n} is {triple!r}, and a triple has three: (head, relation, tail)")
        lines.append(b"\t".join(_bytes_of(x, f"{name}: number {n}") for x in triple))
    if lines[0].lower() in (b"head\trelation\ttail", b"subject\tpredicate\tobject"):  # it would be taken for a header
        lines.insert(0, lines[0])
    return b"\n".join(lines) + b"\n"


def _bytes_of(name, where):
    if _is_id(name):
        return b"%d" % name
    if not isinstance(name, str):
        raise TypeError(f"{where} has the name {name!r}: names are str, or whole numbers")
    known = name.encode("utf-8", "surrogateescape")
    if not known or _PARTS.search(known):
        raise ValueError(f"{where} has the name {name!r}, which is empty, or has tabs or ends of lines in it")
    return known


_PARTS = re.compile(rb"[\t\r\n]")
