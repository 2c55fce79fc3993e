# SPDX-License-Identifier: Apache-2.0
"""libffm: field-aware factorization machines by AdaGrad, without weights and bias. Its own measures of the test rows
are used. As it prints only tenths of seconds, the time of epochs is that of the command less that of a command of one
epoch."""
from suite import life
from suite.peer import Peer, beyond, finder, option, outcome, ran, sized
from suite.terms import Point

program = finder("ffm-train", "there is no program ffm-train; name libffm's by the environment variable HOGWILD_LIBFFM",
                 "HOGWILD_LIBFFM")


def losses(text):
    """Lines "iter tr_logloss va_logloss tr_time" after a heading: returns the third columns."""
    return [float(line.split()[2]) for line in text.splitlines() if line.split()[:1] and line.split()[0].isdigit()]


def train(task, place, workers, settings, _):
    data = task.data(place)
    told = [program(), "-k", option(task, "--factors", 4), "-r", settings["step"], "-l", settings["l2"], "-s", workers]

    def run(epochs):
        return ran([*told, "-t", epochs, data["train"], place.work / "libffm.model"], cwd=place.work)
    run(1)  # leaves its binary form of the rows
    reading, ended = run(1), run(1 + task.epochs)
    each = beyond(ended.seconds, reading.seconds) / task.epochs
    values = losses(life.run([*told, "-t", task.epochs, "-p", data["test"], data["train"], place.work / "libffm.model"],
                             cwd=place.work, check=True).stdout)
    points = [Point(each * n, n, value) for n, value in enumerate(values, 1)]
    arrived = next((n for n, p in enumerate(points, 1) if task.target.passed(p.value)), len(points))
    return outcome(points[:arrived], ended, reading.seconds)


contestant = Peer("libffm", sized(program), ("machine",), train,
                  {"step": [0.1, 0.2, 0.4], "l2": [0.0, 0.00002, 0.0001]}, models=("ffm",), metrics=("test_loss",),
                  workers=(1, 2))
