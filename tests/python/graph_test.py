# SPDX-License-Identifier: Apache-2.0
"""Vectors of nodes from graphs in files, matrices and lists of edges."""
import pickle

import numpy as np
import pytest

import hogwild as hw

sp = pytest.importorskip("scipy.sparse")
from hogwild.graph import LINE, DeepWalk, Node2Vec  # noqa: E402

GROUPS, EACH = 3, 12
SMALL = dict(dimensions=16, num_walks=60, walk_length=20, window=4)


def groups():
    """Edges of three groups of nodes; within a group each is joined with half of the others by chance, and with the next
    group by one edge. Node k is in group k % 3."""
    draw, edges = np.random.default_rng(0), [(0, 1), (1, 2)]
    for u in range(GROUPS * EACH):
        for v in range(u + 3, GROUPS * EACH, 3):
            if v == u + 3 or draw.random() < 0.5:
                edges.append((u, v))
    return np.array(edges)


def matrix(edges, weights=1.0):
    half = sp.coo_array((np.broadcast_to(weights, len(edges)), edges.T), shape=(GROUPS * EACH + 2,) * 2).tocsr()
    return half + half.T


def in_group(model, of=str):
    """The fraction of the nodes' five nearest ones that are in their group."""
    near = [int(other) % GROUPS == k % GROUPS for k in range(GROUPS * EACH) for other, _ in model.most_similar(of(k), 5)]
    return np.mean(near)


@pytest.fixture(scope="module")
def walked():
    return DeepWalk(**SMALL).fit(groups())


def test_nodes_of_a_group_are_near(walked):
    # By chance 11 of 35 are.
    assert in_group(walked, int) > 0.9
    assert in_group(Node2Vec(p=0.25, q=0.25, num_threads=2, **SMALL).fit(groups()), int) > 0.9


@pytest.mark.parametrize("proximity", ["first", "second", "both"])
def test_nodes_of_a_group_are_near_by_their_edges(proximity):
    made = LINE(dimensions=16, proximity=proximity, num_threads=2).fit(groups())
    assert in_group(made, int) > 0.9
    assert made.embedding_.shape == (GROUPS * EACH, 16)
    if proximity == "both":
        np.testing.assert_allclose(np.linalg.norm(made.wv.vectors.reshape(-1, 8), axis=1), 1.0, rtol=1e-5)
    weighed = LINE(dimensions=16, proximity=proximity, epochs=5).fit(matrix(groups(), 0.5))
    assert weighed.nodes_ and weighed.run_.history[-1]["epoch"] == 5


def test_files_matrices_and_edges_are_the_same(tmp_path, walked):
    edges = groups()
    (tmp_path / "edges").write_text("".join(f"{u} {v}\n" for u, v in edges))
    of_file = DeepWalk(**SMALL).fit(tmp_path / "edges")
    others = [DeepWalk(**SMALL).fit(each) for each in (matrix(edges), edges.tolist(), edges[:, ::-1])]
    for other in others:
        assert other.nodes_ == walked.nodes_ and sorted(other.nodes_) == list(range(GROUPS * EACH))
    for other in (of_file, *others):
        assert other.wv.index_to_key == walked.wv.index_to_key
        np.testing.assert_array_equal(other.wv.vectors, walked.wv.vectors)
    assert of_file.nodes_ == list(map(str, walked.nodes_)) and in_group(of_file) > 0.9
    np.testing.assert_array_equal(of_file["7"], walked[7])
    with pytest.raises(AttributeError, match="names"):
        of_file.embedding_
    of_file.wv.save(tmp_path / "nodes.vec")
    assert hw.WordVectors.load(tmp_path / "nodes.vec").index_to_key == of_file.wv.index_to_key


def test_vectors_of_numbers_are_the_rows_of_an_array(walked):
    np.testing.assert_array_equal(walked.embedding_[7], walked[7])
    lone = DeepWalk(dimensions=4, num_walks=1).fit([(1, 5), (5, 7)])
    assert lone.embedding_.shape == (8, 4) and not lone.embedding_[[0, 2, 3, 4, 6]].any()
    with pytest.raises(KeyError, match="the node 6 has no edge"):
        lone[6]


def test_weights_lead_the_walks():
    # Three squares, whose edges within weigh much and between them little.
    edges = np.array([(u, v) for u in range(12) for v in range(u)])
    weights = np.where(edges[:, 0] % 3 == edges[:, 1] % 3, 50.0, 0.5)
    models = [DeepWalk(dimensions=8, walk_length=20, window=2).fit(each) for each in (
        [(u, v, w) for (u, v), w in zip(edges.tolist(), weights)], matrix(edges, weights))]
    np.testing.assert_array_equal(models[0].wv.vectors, models[1].wv.vectors)
    near = [other % 3 == k % 3 for k in range(12) for other, _ in models[0].most_similar(k, 3)]
    assert np.mean(near) > 0.9


def test_edges_may_lead_one_way():
    chain = [(k, k + 1) for k in range(5)]
    one_way = sp.coo_array((np.ones(5), np.array(chain).T), shape=(6, 6))
    with pytest.raises(ValueError, match="directed=True"):
        DeepWalk().fit(one_way)
    directed, both = (DeepWalk(dimensions=4, num_walks=3).fit(chain, directed=way) for way in (True, False))
    of_matrix = DeepWalk(dimensions=4, num_walks=3).fit(one_way, directed=True)
    np.testing.assert_array_equal(of_matrix.wv.vectors, directed.wv.vectors)
    assert not np.array_equal(directed.embedding_, both.embedding_)


def test_names_may_look_like_headers_and_comments():
    model = DeepWalk(dimensions=4, num_walks=1).fit([("u", "v"), ("#v", "%"), ("naïve", "from"), ("1", "01")])
    assert set(model.nodes_) == {"u", "v", "#v", "%", "naïve", "from", "1", "01"} and model["naïve"].shape == (4,)


def test_it_has_the_habits_of_an_estimator(walked):
    sklearn = pytest.importorskip("sklearn")
    model = Node2Vec(dimensions=4, num_walks=2, q=0.5, reproducible=True).fit(groups())
    again = sklearn.base.clone(model)
    assert again.get_params() == model.get_params() and "q=0.5" in repr(again)
    with pytest.raises(sklearn.exceptions.NotFittedError, match="this Node2Vec is not fitted"):
        again.most_similar(3)
    np.testing.assert_array_equal(again.set_params(num_threads=2).fit(groups()).wv.vectors, model.wv.vectors)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.most_similar(3) == model.most_similar(3) and copy.run_.history == model.run_.history
    assert len(walked.run_.history) == SMALL["num_walks"]


@pytest.mark.parametrize("graph, fault, says", [
    ([(1,)], ValueError, "edges are"), ("no such file", hw.InputError, "no such file"), ([], hw.InputError, "no edge"),
    ([(1, 2), 3], ValueError, "an edge is 3"), ([("a b", "c")], ValueError, "'a b'.*blanks"), ([("", "c")], ValueError, "empty"),
    ([(-1, 2)], TypeError, "not below 0"), ([(1.5, 2)], TypeError, "nodes are str"), ([(1, 2, -3.0)], hw.InputError, "above 0"),
    ([(1, 2, "3")], TypeError, "no number"), ([(1, 2, float("nan"))], hw.InputError, "the edges:1:.*weight"),
    (sp.csr_array((2, 3)), ValueError, "a row and a column for each node"), (sp.csr_array((3, 3)), hw.InputError, "no edge"),
])
def test_what_is_no_graph_is_refused(graph, fault, says):
    with pytest.raises(fault, match=says):
        DeepWalk().fit(graph)


@pytest.mark.parametrize("bad, says", [
    (dict(dimensions=0), "dimensions=0"), (dict(num_walks=0), "num_walks=0"), (dict(walk_length=5000), "length is walk_length"),
    (dict(p=0), "p and q"), (dict(learning_rate=-1), "step is learning_rate"), (dict(num_threads=-2), "num_threads=-2")])
def test_options_out_of_range_are_refused(bad, says):
    with pytest.raises(ValueError, match=says):
        Node2Vec(**bad).fit(groups())
