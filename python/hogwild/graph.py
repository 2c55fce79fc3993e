# SPDX-License-Identifier: Apache-2.0
"""Vectors of the nodes of a graph, learned from random walks or from its edges."""
import numbers
import os

import numpy as np

from . import _engine
from ._arrays import is_sparse, require_count, zeros_for
from ._fits import Parameters, trained, workers_of_threads
from ._train import keep_parameters
from ._user_items import seed_of
from ._word_vectors import WordVectors

_TERMS = {"dimension": "dimensions", "step": "learning_rate", "seed": "random_state", "workers": "num_threads"}


class _Nodes(Parameters):
    """The common part of models that give each node of a graph a vector. A class has _counts, the names of its parameters
    that are whole numbers above 0, and _options(), the engine's words for its parameters."""

    def fit(self, graph, directed=False, callback=None):
        """Learns from a graph: a file of edges, "u v" or "u v weight"; a square sparse matrix, whose entries are the
        weights of edges from row to column; or an array or list of edges (u, v) or (u, v, weight) between nodes that have
        names or numbers. Edges lead both ways, unless `directed`; the matrix is symmetric then. Returns self."""
        for name in self._counts:
            require_count(name, getattr(self, name))
        require_count("num_threads", self.num_threads, 0)
        rows, whole = _rows_of(graph, directed)
        options = {**self._options(), "dimension": self.dimensions, "negative": self.negative,
                   "products": self.products, "step": self.learning_rate, "seed": seed_of(self.random_state),
                   "reproducible": bool(self.reproducible), **workers_of_threads(self.num_threads)}
        vectors, self.run_, interrupt = trained(rows, options, lambda job: job._run.vectors(), self._terms, None, callback,
                                                "the graph")
        words = vectors.words if rows.path else [word[1:] for word in vectors.words]
        self.wv = WordVectors(words, vectors.values)
        self.nodes_ = list(map(int, words)) if whole else words
        self._numbered = whole
        if interrupt is not None:
            raise interrupt
        return self

    @property
    def embedding_(self):
        """The vectors of nodes that are numbers, float32 of shape (largest number + 1, dimensions): row k is node k, and
        rows of nodes without edges are 0."""
        self._require_fitted("wv", "fit(graph)")
        if not self._numbered:
            raise AttributeError("the nodes have names, and wv has their vectors by them")
        made = zeros_for("embedding_", (max(self.nodes_) + 1, self.wv.vector_size), np.float32, instead="take wv")
        made[self.nodes_] = self.wv.vectors
        return made

    def __getitem__(self, node):
        """The vector of a node."""
        name = self._known(node)
        return self.wv[name]

    def most_similar(self, node, topn=10):
        """The topn nodes with the greatest cosine to one: a list of (node, cosine)."""
        name = self._known(node)
        near = self.wv.most_similar(name, topn=topn)
        return [(int(name) if self._numbered else name, cosine) for name, cosine in near]

    def _known(self, node):
        self._require_fitted("wv", "fit(graph)")
        if str(node) not in self.wv:
            raise KeyError(f"the node {node!r} has no edge")
        return str(node)


class DeepWalk(_Nodes):
    """Nodes that random walks visit near each other get vectors that are near each other.

    Parameters
    ----------
    dimensions : int, default=128
        Numbers of a vector.
    num_walks, walk_length : int, default=40
        Walks from each node, and nodes of a walk.
    window : int, default=10
        Neighbours on each side of a node in its walk.
    negative : int, default=5
        How much contrast weighs: as so many drawn nodes for each pair.
    {}products : {{"float", "bf16"}} or None, default=None
        Numbers that training multiplies; None: the model's default.
    learning_rate : float or None, default=None
        The first step; None: the model's default.
    num_threads : int, default=1
        Workers; 0: as many as this process may use.
    random_state : int, RandomState, Generator or None, default=1
        None: a seed is drawn.
    reproducible : bool, default=False
        Whether the result has the same bits for any num_threads.

    Attributes
    ----------
    nodes_ : list
        The nodes that have edges: their names, or their numbers.
    wv : WordVectors
        Their vectors, by names: that of node 7 is wv["7"].
    run_ : hogwild.Run
    """

    _counts = ("dimensions", "num_walks", "walk_length", "window", "negative")
    _terms = {**_TERMS, "length": "walk_length", "walks": "num_walks", "epochs": "num_walks"}
    p = q = None

    def __init__(self, dimensions=128, num_walks=40, walk_length=40, window=10, negative=5, learning_rate=None,
                 num_threads=1, random_state=1, reproducible=False, products=None):
        keep_parameters(self, locals())

    def _options(self):
        return {"model": "node_vectors", "walks": self.num_walks, "length": self.walk_length, "window": self.window,
                "p": self.p, "q": self.q}


class Node2Vec(DeepWalk):
    def __init__(self, dimensions=128, num_walks=40, walk_length=40, window=10, negative=5, p=1.0, q=1.0,
                 learning_rate=None, num_threads=1, random_state=1, reproducible=False, products=None):
        keep_parameters(self, locals())


if DeepWalk.__doc__:  # python -OO has none
    Node2Vec.__doc__ = DeepWalk.__doc__.format("""p, q : float, default=1
        A walk returns to the node that it comes from by the factor 1/p, and goes to nodes that are no neighbours of that
        one by the factor 1/q.
    """)
    DeepWalk.__doc__ = DeepWalk.__doc__.format("")


class LINE(_Nodes):
    """Nodes with an edge, and nodes whose edges lead to the same nodes, get vectors that are near each other.

    Parameters
    ----------
    dimensions : int, default=128
        Numbers of a vector.
    proximity : {"both", "first", "second"}, default="both"
        "first": nodes with an edge are near each other; "second": nodes with the same neighbours are; "both": half of the
        numbers are for each, and both halves have the length 1.
    negative : int, default=5
        How much contrast weighs: as so many drawn nodes for each edge.
    products : {"float", "bf16"} or None, default=None
        Numbers that training multiplies; None: the model's default.
    epochs : int or None, default=None
        How long to train; None: the model's default.
    learning_rate : float or None, default=None
        The first step; None: the model's default.
    num_threads : int, default=1
        Workers; 0: as many as this process may use.
    random_state : int, RandomState, Generator or None, default=1
        None: a seed is drawn.
    reproducible : bool, default=False
        Whether the result has the same bits for any num_threads.

    Attributes
    ----------
    nodes_ : list
        The nodes that have edges: their names, or their numbers.
    wv : WordVectors
        Their vectors, by names: that of node 7 is wv["7"].
    run_ : hogwild.Run
    """

    _counts = ("dimensions", "negative")
    _terms = _TERMS

    def __init__(self, dimensions=128, proximity="both", negative=5, epochs=None, learning_rate=None,
                 num_threads=1, random_state=1, reproducible=False, products=None):
        keep_parameters(self, locals())

    def _options(self):
        if self.epochs is not None:
            require_count("epochs", self.epochs)
        return {"model": "line", "proximity": self.proximity, "epochs": self.epochs}


class _Edges:
    """The edges of a graph, which a Job takes instead of a Dataset."""

    def __init__(self, rows, path=None):
        self._rows, self.path = rows, path


def _rows_of(graph, directed):
    """The edges of a graph, and whether its nodes are numbers. Nodes in memory are called by their names behind a =, so
    that no name begins a comment or a header."""
    if isinstance(graph, (str, os.PathLike)):
        path = os.path.abspath(os.fspath(graph))
        return _Edges(_engine.Rows.open_edges(path, bool(directed)), path), False
    if is_sparse(graph):
        edges, whole = _entries(graph, directed), True
    else:
        edges = graph.tolist() if isinstance(graph, np.ndarray) else list(graph)
        whole = all(_is_number(node) for edge in edges for node in _ends(edge))
    lines = [b" ".join((_named(edge[0], edge), _named(edge[1], edge), *map(_weight, edge[2:]))) for edge in edges]
    return _Edges(_engine.Rows.read_edges(b"\n".join(lines), bool(directed))), whole


def _entries(matrix, directed):
    """The entries of a matrix as edges, each once."""
    from scipy.sparse import coo_array, triu

    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"the matrix has the shape {matrix.shape}: it has a row and a column for each node")
    if not directed and abs(matrix - matrix.T).nnz:
        raise ValueError("the matrix is not symmetric: fit with directed=True, or take matrix.maximum(matrix.T)")
    given = coo_array(matrix if directed else triu(matrix))
    given.sum_duplicates()
    given.eliminate_zeros()
    ends = zip(*(each.tolist() for each in given.coords))
    if np.all(given.data == 1):
        return list(ends)
    return [(u, v, weight) for (u, v), weight in zip(ends, given.data.tolist())]


def _ends(edge):
    if isinstance(edge, (str, bytes)) or not hasattr(edge, "__len__") or len(edge) not in (2, 3):
        raise ValueError(f"an edge is {edge!r}, and edges are (u, v) or (u, v, weight)")
    return edge[:2]


def _is_number(node):
    return isinstance(node, numbers.Integral) and not isinstance(node, bool) and node >= 0


def _named(node, edge):
    if _is_number(node):
        return b"=%d" % node
    if not isinstance(node, str):
        raise TypeError(f"an edge is {edge!r}: nodes are str, or whole numbers not below 0")
    name = node.encode("utf-8", "surrogateescape")
    if not name or any(c in b" \t\r\n,;" for c in name):
        raise ValueError(f"the node {node!r} has an empty name, or blanks, commas, semicolons or ends of lines in it")
    return b"=" + name


def _weight(weight):
    if not isinstance(weight, numbers.Real) or isinstance(weight, bool):
        raise TypeError(f"the weight of an edge is {weight!r}, and no number")
    return repr(float(weight)).encode()
