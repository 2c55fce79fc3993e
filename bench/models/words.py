# SPDX-License-Identifier: Apache-2.0
"""Word vectors by skip_gram, measured by analogies."""
import concurrent.futures
import json
import re
import subprocess

import runs

SETTINGS = {"dimension": 100, "window": 5, "negative": 5, "sample": 1e-4, "min-count": 5}
EPOCHS = 5
LEAST_ACCURACY = 0.195  # a run of word2vec.c of five epochs has 0.2065; two of its runs differ by 0.005


def analogies(asked, vectors, questions):
    done = subprocess.run([asked.hogwild, "evaluate", vectors, "--analogies", questions, "--json"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["accuracy"]


def task(asked, folder):
    text = runs.unpacked(asked.data, "wikifa.txt", folder)
    questions = runs.unpacked(asked.data, "questions-words.txt", folder)
    vectors = folder / "vectors.bin"

    def training(place, *more):
        return runs.Hogwild(asked.hogwild, place,
                            [text, "--model", "skip_gram", *(w for k, v in SETTINGS.items() for w in (f"--{k}", str(v))),
                             "--epochs", str(EPOCHS), "--save", place / vectors.name, *more], per="nonzeros")

    def ours(*more):
        run = training(folder, *more)
        return lambda: {**run(), "analogies": analogies(asked, vectors, questions)}

    def beside_each_other(programs):
        """As many programs of one worker at a time, with nothing in common but the machine."""
        places = [folder / f"program {k}" for k in range(programs)]

        def run():
            for place in places:
                place.mkdir(exist_ok=True)
            with concurrent.futures.ThreadPoolExecutor(programs) as pool:
                told = list(pool.map(lambda place: training(place, "--engine", "serial")(), places))
            return {"rate": sum(t["rate"] for t in told), "command_seconds": max(t["command_seconds"] for t in told),
                    "analogies": analogies(asked, places[0] / vectors.name, questions)}
        return run

    def word2vec(threads):
        def run():
            s = SETTINGS
            seconds, said = runs.output_of(
                [asked.word2vec, "-train", text, "-output", vectors, "-size", s["dimension"], "-window", s["window"],
                 "-negative", s["negative"], "-sample", s["sample"], "-min-count", s["min-count"], "-hs", 0, "-cbow", 0,
                 "-iter", EPOCHS, "-binary", 1, "-threads", threads], folder, 7200.0)
            told = re.findall(r"Words/thread/sec: ([\d.]+)k", said)
            return {"rate": float(told[-1]) * 1e3 * threads, "command_seconds": seconds,
                    "analogies": analogies(asked, vectors, questions)}
        return run

    few = f"{asked.workers} "
    return runs.Task(
        "words", f"wikifa, {SETTINGS}, {EPOCHS} epochs", "analogies", f"at least {LEAST_ACCURACY}",
        lambda f: f["analogies"] >= LEAST_ACCURACY,
        [runs.Contestant("one worker", 1, ours("--engine", "serial")),
         runs.Contestant(few + "threads", asked.workers, ours("--workers", str(asked.workers))),
         runs.Contestant(few + "processes", asked.workers,
                         ours("--workers", str(asked.workers), "--engine", "processes")),
         runs.Contestant(few + "programs", asked.workers, beside_each_other(asked.workers)),
         runs.Contestant(f"word2vec.c, {asked.workers} threads", asked.workers, word2vec(asked.workers),
                         runs.found(asked.word2vec), most_runs=1)],
        [("two workers against one", few + "threads", "one worker", "rate"),
         ("processes against threads", few + "processes", few + "threads", "rate"),
         ("threads against programs that share nothing", few + "threads", few + "programs", "rate"),
         ("threads against word2vec.c", few + "threads", f"word2vec.c, {asked.workers} threads", "rate")])
