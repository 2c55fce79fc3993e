# SPDX-License-Identifier: Apache-2.0
"""PecanPy: walks of node2vec by compiled Python, and gensim's Word2Vec on them. Compiling is not timed."""
import pathlib
import time

from suite import nodes
from suite.peer import Peer, module


def main(asked):
    from pecanpy import pecanpy
    told, plain = asked.settings, asked.settings["p"] == asked.settings["q"] == 1
    kind = pecanpy.FirstOrderUnweighted if plain else pecanpy.SparseOTF

    def opened(path):
        graph = kind(p=told["p"], q=told["q"], workers=asked.workers, random_state=asked.seed)
        graph.read_edg(str(path), weighted=False, directed=False, delimiter=" ")
        return graph
    few = pathlib.Path(asked.work) / "few.txt"
    few.write_text("".join(f"{k} {k + 1}\n" for k in range(9)), encoding="ascii")
    opened(few).simulate_walks(1, told["length"])  # compiles
    begin = time.perf_counter()
    graph = opened(asked.data["train"])
    parsed = time.perf_counter() - begin
    begin = time.perf_counter()
    vectors = graph.embed(dim=told["dimension"], num_walks=told["walks"], walk_length=told["length"],
                          window_size=told["window"], epochs=told["passes"])
    nodes.tell(asked, time.perf_counter() - begin, parsed, graph.nodes, vectors)


def train(*run):
    return nodes.train(__name__, *run)


contestant = Peer("pecanpy", module("pecanpy.pecanpy", "pecanpy"), ("walks",), train, {"passes": [1]},
                  metrics=("macro_f1",), workers=(1, 2))
