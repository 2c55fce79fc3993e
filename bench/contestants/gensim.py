# SPDX-License-Identifier: Apache-2.0
"""gensim's Word2Vec with negative sampling, an epoch at a time."""
import pathlib
import time

from suite import point, words
from suite.peer import Peer, by_script, module


def main(asked):
    from gensim.models.callbacks import CallbackAny2Vec
    from gensim.models.word2vec import LineSentence, Word2Vec
    told, done = asked.settings, {"epochs": 0, "seconds": 0.0}

    class Watch(CallbackAny2Vec):
        def on_epoch_begin(self, model):
            self.begin = time.perf_counter()

        def on_epoch_end(self, model):
            done["seconds"] += time.perf_counter() - self.begin
            done["epochs"] += 1
            path = pathlib.Path(asked.work) / f"gensim_{done['epochs']}.txt"
            with open(path, "w", encoding="utf-8") as file:
                for word, a, b in zip(model.wv.index_to_key, model.wv.vectors.tolist(), model.syn1neg.tolist()):
                    file.write(f"{word} {' '.join(map('{:.9g}'.format, a + b))}\n")
            point.tell(**done, weights=str(path), parse_seconds=parsed)
    begin = time.perf_counter()
    model = Word2Vec(sg=int("skip_gram" in asked.options), hs=0, negative=told["negative"],
                     vector_size=told["dimension"], window=told["window"], sample=told["sample"],
                     min_count=told["min-count"], alpha=told["step"], workers=asked.workers, seed=asked.seed)
    sentences = list(LineSentence(asked.data["train"]))
    model.build_vocab(sentences)
    parsed = time.perf_counter() - begin
    model.train(sentences, total_examples=model.corpus_count, epochs=asked.epochs, callbacks=[Watch()])


def train(task, place, workers, settings, seed):
    data = task.data(place)
    return by_script(__name__, task, place, workers, {**words.options(task), **settings}, seed, data,
                     measured=lambda path: words.objective(task, place, data, words.read(path)))


contestant = Peer("gensim", module("gensim", "gensim"), ("words",), train, {"step": [0.05, 0.1, 0.2]},
                  models=("skip_gram", "cbow"), metrics=("objective",), workers=(1, 2))
