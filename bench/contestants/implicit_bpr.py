# SPDX-License-Identifier: Apache-2.0
"""implicit's BayesianPersonalizedRanking, measured after every tenth epoch. It draws items by their popularity."""
import time

from suite import embeddings, point
from suite.peer import Peer, module, option


def main(asked):
    import numpy
    from implicit.cpu.bpr import BayesianPersonalizedRanking
    from scipy.sparse import csr_matrix
    told, measuring = asked.settings, 0.0
    begin = time.perf_counter()
    users, items = embeddings.read_pairs(asked.data["train"])
    clicks = csr_matrix((numpy.ones(len(users), "float32"), (users, items)))
    parsed = time.perf_counter() - begin
    model = BayesianPersonalizedRanking(factors=int(option(asked, "--factors", 64)), learning_rate=told["step"],
                                        regularization=told["l2"], iterations=asked.epochs, num_threads=asked.workers,
                                        random_state=asked.seed)

    def watch(epoch, *_):
        nonlocal measuring
        now, epoch = time.perf_counter(), epoch + 1
        if epoch % 10 == 0 or epoch == asked.epochs:
            # The last number of an item is its bias; that of a user is 1.
            path = embeddings.write_pairs(asked, epoch, model.user_factors[:, :-1], model.item_factors[:, :-1],
                                          model.item_factors[:, -1])
            point.tell(seconds=now - begin - measuring, epochs=epoch, weights=path, parse_seconds=parsed)
        measuring += time.perf_counter() - now
    begin = time.perf_counter()
    model.fit(clicks, show_progress=False, callback=watch)


def train(*run):
    return embeddings.train(__name__, *run, timeout=1200)


contestant = Peer("implicit_bpr", module("implicit", "implicit"), ("pairs",), train,
                  {"step": [0.02, 0.05, 0.1], "l2": [0.001, 0.01, 0.02]}, models=("bpr",), metrics=embeddings.LISTS,
                  workers=(1, 2))
