# SPDX-License-Identifier: Apache-2.0
"""LightFM's BPR and WARP by AdaGrad, in its maintained form lightfm-next, an epoch at a time."""
import time

from suite import embeddings, point
from suite.peer import Peer, module, option


def main(asked):
    import numpy
    from lightfm import LightFM
    from scipy.sparse import coo_matrix
    begin, seconds = time.perf_counter(), 0.0
    users, items = embeddings.read_pairs(asked.data["train"])
    clicks = coo_matrix((numpy.ones(len(users), "float32"), (users, items)))
    parsed = time.perf_counter() - begin
    model = LightFM(no_components=int(option(asked, "--factors", 64)), loss=option(asked, "--model"),
                    learning_rate=asked.settings["step"], random_state=asked.seed)
    for epoch in range(1, asked.epochs + 1):
        begin = time.perf_counter()
        model.fit_partial(clicks, epochs=1, num_threads=asked.workers)
        seconds += time.perf_counter() - begin
        if epoch < 9 or epoch % 5 == 0 or epoch == asked.epochs:
            path = embeddings.write_pairs(asked, epoch, model.user_embeddings, model.item_embeddings, model.item_biases)
            point.tell(seconds=seconds, epochs=epoch, weights=path, parse_seconds=parsed)


def train(*run):
    return embeddings.train(__name__, *run, timeout=1200)


contestant = Peer("lightfm", module("lightfm", "lightfm-next"), ("pairs",), train, {"step": [0.02, 0.05, 0.1]},
                  models=("bpr", "warp"), metrics=embeddings.LISTS, workers=(1, 2))
