# SPDX-License-Identifier: Apache-2.0
"""Runs two builds in turns in one call: A B, B A, A B, ..., so that other load on the machine affects both alike."""
import pathlib

from suite import record, turns
from suite.terms import Outcome, Unavailable


def measure(driver, places, tasks, contestants, given):
    """The paths of the records of A and B, `given.out`/A.jsonl and B.jsonl.

    `driver`: suite.lines; `places`: of A and of B; `given`: runs of each, workers,
    seconds to wait for a quiet moment. Both records begin at the same time: their turns belong together.
    """
    paths = [pathlib.Path(given.out) / f"{name}.jsonl" for name in "AB"]
    kept = [record.Record(path) for path in paths]
    contexts = [driver.context(place, given, {}) for place in places]
    for to, context in zip(kept, contexts):
        to.put("context", **{**context, "began": contexts[0]["began"]})
    for task in tasks:
        try:
            for place in places:
                task.data(place)
        except Unavailable as reason:
            for to in kept:
                to.put("skipped", task=task.name, contestant=None, reason=str(reason))
            continue
        _task(driver, places, task, contestants, given, kept)
    for to in kept:
        to.file.close()
    return paths


def abba(turn):
    """The build that runs first in a turn, and the one that runs second."""
    return (0, 1) if turn % 2 == 0 else (1, 0)


def _task(driver, places, task, contestants, given, kept):
    taking_part = list(driver.entries(task, contestants, places[0], given.workers, kept[0]))
    settings = [c.settings(task) for c, _ in taking_part]
    ran = []
    for turn in range(-1, given.seeds):  # the first writes caches, and is not recorded
        for which, (c, w) in enumerate(taking_part):
            for side in abba(turn):
                idle = turns.wait(given.wait if turn >= 0 else 0)
                try:
                    outcome = c.run(task, places[side], w, settings[which], max(turn, 0) + 1)
                except Unavailable as reason:
                    outcome = Outcome([], error=str(reason))
                ran.append((turn, which, side, idle, outcome))
    references = [[o for turn, which, side, _, o in ran
                   if turn >= 0 and side == of and taking_part[which][0].name == "serial" and not o.error]
                  for of in (0, 1)]
    for turn, which, side, idle, outcome in ran:
        if turn >= 0:
            c, w = taking_part[which]
            who = {"task": task.name, "contestant": c.name, "workers": w, "place": "here"}
            kept[side].put("run", **driver.run_line(task, who, settings[which], turn, idle, outcome, references[side]))
