# SPDX-License-Identifier: Apache-2.0
"""fastText, skip-gram without subwords: a separate run for each number of epochs, since its step falls to 0.

It draws negative words by the root of the counts, not by their power 3/4, and trains the end of a line as a word. Its
vectors are measured as ours.
"""
from suite import words
from suite.peer import Peer, by_counts, finder, packaged, ran

program = finder("fasttext", "there is no program fasttext (on Debian and Ubuntu: apt-get install fasttext)")


def train(task, place, workers, settings, seed):
    data, told, out = task.data(place), words.options(task), place.work / "fasttext"

    def run(epochs):
        return ran([program(), "skipgram", "-input", data["train"], "-output", out, "-loss", "ns", "-minn", 0,
                    "-maxn", 0, "-dim", told["dimension"], "-ws", told["window"], "-neg", told["negative"],
                    "-t", told["sample"], "-minCount", told["min-count"], "-lr", settings["step"],
                    "-epoch", epochs, "-thread", workers, "-seed", seed, "-saveOutput", "-verbose", 0])

    def value():
        inputs, outputs = (words.read(out.with_suffix(end), headed=True) for end in (".vec", ".output"))
        return words.objective(task, place, data, {word: inputs[word] + outputs[word] for word in inputs})
    return by_counts(task, run, value, (1, 2, 4, 8, 16, 32), 0)  # a run of 0 epochs writes its vectors, too


contestant = Peer("fasttext", packaged(program, "fasttext"), ("words",), train, {"step": [0.05, 0.1, 0.2]},
                  models=("skip_gram",), metrics=("objective",), workers=(1, 2))
