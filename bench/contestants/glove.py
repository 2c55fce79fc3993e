# SPDX-License-Identifier: Apache-2.0
"""GloVe by its authors' programs: a separate run for each number of epochs. Counting is not timed, as ours is not; a
run of no epoch tells the time of starting."""
import pathlib

from suite.peer import Peer, by_counts, finder, option, ran, sized

program = finder("glove", "there is no program glove; name the authors', beside which vocab_count, cooccur and shuffle "
                 "are, by the environment variable HOGWILD_GLOVE", "HOGWILD_GLOVE")
LONGEST = 1200
COUNT = """"$0/vocab_count" -verbose 0 -min-count "$2" < "$1" > names
"$0/cooccur" -verbose 0 -vocab-file names -window-size "$3" -overflow-file overflow < "$1" > counts
"$0/shuffle" -verbose 0 -temp-file temporary -seed "$4" < counts > mixed"""


def train(task, place, workers, settings, seed):
    glove, folder, dimension = pathlib.Path(program()).resolve(), place.work / "glove", option(task, "--dimension", 100)
    folder.mkdir(exist_ok=True)
    ran(["sh", "-ec", COUNT, glove.parent, task.data(place)["train"].resolve(),
         option(task, "--min-count", 5), option(task, "--window", 10), seed], LONGEST, cwd=folder)

    def run(epochs):
        return ran([glove, "-input-file", "mixed", "-vocab-file", "names", "-save-file", "vectors", "-binary", 0,
                    "-vector-size", dimension, "-x-max", option(task, "--x-max", 10), "-eta", settings["step"], "-iter",
                    epochs, "-threads", workers, "-seed", seed, "-verbose", 0], LONGEST, cwd=folder)

    def value():
        lines, headed = (folder / "vectors.txt").read_text(encoding="utf-8"), folder / "headed.txt"
        headed.write_text(f"{lines.count(chr(10))} {dimension}\n{lines}", encoding="utf-8")
        return task.judged(task, place, headed)
    return by_counts(task, run, value, sorted({*(n for n in (5, 10) if n < task.epochs), task.epochs}), 0)


contestant = Peer("glove", sized(program), ("words",), train, {"step": [0.025, 0.05, 0.1]}, models=("glove",),
                  metrics=("analogies",), workers=(1, 2))
