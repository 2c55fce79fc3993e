# SPDX-License-Identifier: Apache-2.0
"""DeepWalk as many write it: random walks by numpy, all at once, and gensim's Word2Vec on them. Its seconds are those
of both."""
import time

from suite import nodes
from suite.peer import Peer, module


def main(asked):
    import numpy
    from gensim.models.word2vec import Word2Vec
    told, chance = asked.settings, numpy.random.default_rng(asked.seed)
    begin = time.perf_counter()
    edges = numpy.loadtxt(asked.data["train"], dtype=numpy.int64)
    ways = numpy.concatenate([edges, edges[:, ::-1]])
    ways = ways[numpy.argsort(ways[:, 0], kind="stable")]
    names, begins, degrees = numpy.unique(ways[:, 0], return_index=True, return_counts=True)
    to = numpy.searchsorted(names, ways[:, 1])
    parsed = time.perf_counter() - begin
    begin = time.perf_counter()
    walks = [numpy.tile(chance.permutation(len(names)), told["walks"])]
    for _ in range(told["length"] - 1):
        at = walks[-1]
        walks.append(to[begins[at] + (chance.random(len(at)) * degrees[at]).astype(numpy.int64)])
    sentences = [list(map(str, row)) for row in names[numpy.stack(walks, 1)].tolist()]
    model = Word2Vec(sentences, sg=1, hs=0, negative=told["negative"], vector_size=told["dimension"],
                     window=told["window"], sample=0, min_count=1, alpha=told["step"], epochs=1, workers=asked.workers,
                     seed=asked.seed)
    nodes.tell(asked, time.perf_counter() - begin, parsed, model.wv.index_to_key, model.wv.vectors)


def train(*run):
    return nodes.train(__name__, *run)


contestant = Peer("gensim_walks", module("gensim", "gensim"), ("walks",), train, {"step": [0.0125, 0.025, 0.05]},
                  metrics=("macro_f1",), workers=(1, 2), lacks=("--p", "--q"))
