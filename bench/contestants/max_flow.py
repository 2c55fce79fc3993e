# SPDX-License-Identifier: Apache-2.0
"""PyMaxflow (Boykov and Kolmogorov): the least cut between two terminals, exactly."""
import time

from suite import point
from suite.peer import Peer, by_script, module
from suite.terms import Outcome


def main(asked):
    import maxflow
    begin = time.perf_counter()
    with open(asked.data["train"], encoding="ascii") as file:
        lines = [line.split() for line in file]
    count = next(int(w[2]) for w in lines if w[:1] == ["p"])
    ends = {w[2]: int(w[1]) for w in lines if w[:1] == ["n"]}
    graph = maxflow.Graph[float]()
    graph.add_nodes(count + 1)
    for _, u, v, capacity in (w for w in lines if w[:1] == ["a"]):
        u, v, capacity = int(u), int(v), float(capacity)
        if u == ends["s"] and v != ends["t"]:
            graph.add_tedge(v, capacity, 0)
        elif v == ends["t"] and u != ends["s"]:
            graph.add_tedge(u, 0, capacity)
        elif ends["s"] != v and ends["t"] != u:
            graph.add_edge(u, v, capacity, 0)
    parsed = time.perf_counter()
    flow = graph.maxflow()
    point.tell(time.perf_counter() - parsed, 1, value=flow, parse_seconds=parsed - begin)


def train(task, place, workers, settings, seed):
    data = task.data(place)
    if not str(data["train"]).endswith(".max"):
        return Outcome([], error="it solves cuts between two terminals, from a DIMACS file")
    return by_script(__name__, task, place, workers, settings, seed, data)


contestant = Peer("max_flow", module("maxflow", "PyMaxflow"), ("cut",), train, {}, metrics=("test_cut",))
