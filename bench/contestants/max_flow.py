# SPDX-License-Identifier: Apache-2.0
"""PyMaxflow (Boykov and Kolmogorov): the least cut between two terminals, exactly. As a program, this file solves."""
import json
import sys
import time


def solve(asked):
    import maxflow
    from suite import point
    begin = time.perf_counter()
    with open(asked["data"]["train"], encoding="ascii") as file:
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


if __name__ == "__main__":
    solve(json.loads(sys.argv[1]))
else:
    from suite.peer import Peer, by_script, module
    from suite.terms import Outcome

    def train(task, place, workers, settings, seed):
        data = task.data(place)
        if not str(data["train"]).endswith(".max"):
            return Outcome([], error="it solves cuts between two terminals, from a DIMACS file")
        return by_script(__file__, task, place, workers, settings, seed, data)

    contestant = Peer("max_flow", module("maxflow", "PyMaxflow"), ("cut",), train, {}, metrics=("test_cut",))
