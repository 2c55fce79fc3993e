# SPDX-License-Identifier: Apache-2.0
"""Which batch and step suit an engine that meets: found on one machine, where meetings cost little.

Runs in lockstep do not depend on how ranks reach each other, so epochs to the target are those of a run of as many
threads. What an epoch takes on a network is known from the messages of a meeting. The product decides.
"""
import dataclasses

import synchronous
import trials

ROWS = {"ring": (None,), "all_reduce": (64, 256, 1024), "local_sgd": (1024, 4096, 16384)}
STEPS = {"ring": (0.5, 1.0, 2.0), "all_reduce": (16.0, 64.0, 256.0), "local_sgd": (0.5, 1.0, 2.0)}
DECAYS = {"ring": (0.8,), "all_reduce": (0.8, 0.95), "local_sgd": (0.8, 0.95)}
MOST_EPOCHS = 60


def ways(which, engine, quick):
    for rows in ROWS[engine][-2:] if quick else ROWS[engine]:
        for times in STEPS[engine]:
            for decay in DECAYS[engine][-1:] if quick else DECAYS[engine]:
                yield trials.Way(engine, which.step * times, decay, rows)


def reached(result):
    """After how many epochs a run reached its target, or None."""
    return result["epochs"] if result.get("status") == "target" else None


def epochs_of(trial, engine, machines, target, quick=False):
    """(way, epochs to the target or None) for each point of the grid."""
    for way in ways(trial.which, engine, quick):
        result = trial.alone(way, MOST_EPOCHS, target, ["--workers", str(machines)])
        yield way, reached(result)


def epoch_seconds(way, machines, workload, net):
    """On a network, as bench/simulate has it."""
    told = dataclasses.replace(workload, sync_rows={way.engine: way.rows})
    return synchronous.simulate(told, net, machines, way.engine, epochs=1).epoch_seconds


def best_of(found, seconds):
    """The way that should reach the target soonest; None where none reaches it. `seconds`: of an epoch, by way."""
    reached = [(epochs * seconds(way), epochs, way) for way, epochs in found if epochs is not None]
    return min(reached, key=lambda x: x[0], default=None)
