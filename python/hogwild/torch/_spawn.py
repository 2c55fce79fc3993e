# SPDX-License-Identifier: Apache-2.0
"""Processes that train a shared module together."""
from __future__ import annotations

import multiprocessing
import pickle
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import NamedTuple

import torch

from .. import _engine
from ._shared import pickled


class WorkerEnd(NamedTuple):
    """How a worker of spawn() ended."""

    worker: int
    pid: int
    exitcode: int  # 0: it trained to its end; below 0: the negative of the signal that killed it


def spawn(train: Callable, workers: int | None = None, args: tuple = ()) -> list[WorkerEnd]:
    """Runs train(worker, *args) in several processes, and returns when all have ended.

    Workers get tensors of a module shared by hogwild.torch.share() as the same memory; everything else is copied. Each
    worker gets its part of the CPUs for PyTorch's own threads. If a worker is killed, a RuntimeWarning says so, and the
    others go on.

    Parameters
    ----------
    train : callable
        A function at the top level of a module, because processes are started anew; the script needs
        `if __name__ == "__main__":`.
    workers : int, optional
        By default as many as the CPUs that the process may use, or that its control group grants.
    args : tuple
        Passed after the number of the worker, which counts from 0.

    Returns
    -------
    list of WorkerEnd
        In the order of the workers' numbers.

    Raises
    ------
    WorkerError
        Raised once all have ended, if one has raised an exception, which it contains, or if all were killed.
    """
    cpus = _engine.default_workers()
    workers = cpus if workers is None else int(workers)
    if workers < 1:
        raise ValueError(f"workers={workers} should be 1 or more")
    work = pickled((train, tuple(args)))
    context = multiprocessing.get_context("spawn")
    processes, faults = [], []
    try:
        for worker in range(workers):
            hears, tells = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(work, worker, max(1, cpus // workers), tells))
            process.start()
            tells.close()
            processes.append(process)
            faults.append(hears)
        said = _await(processes, faults)
    except BaseException:
        for process in processes:
            process.terminate()
        raise
    finally:
        for process in processes:
            process.join()
        for hears in faults:
            hears.close()
    ends = [WorkerEnd(worker, process.pid, process.exitcode) for worker, process in enumerate(processes)]
    if said:
        worker, trace = min(said.items())
        raise _engine.WorkerError(f"worker {worker} of {workers} has raised\n{trace}")
    if all(end.exitcode != 0 for end in ends):
        raise _engine.WorkerError("no worker has trained to its end: " + "; ".join(_told(end) for end in ends))
    return ends


def _await(processes, faults):
    """The exceptions that workers have raised, by their numbers, once all have ended."""
    said, left = {}, {process.sentinel: worker for worker, process in enumerate(processes)}
    while left:
        for sentinel in wait(list(left)):
            worker = left.pop(sentinel)
            process = processes[worker]
            process.join()
            if process.exitcode == 0:
                continue
            try:
                said[worker] = faults[worker].recv() if faults[worker].poll() else None
            except EOFError:
                said[worker] = None
            if said[worker] is None:
                del said[worker]
                goes_on = f": the {len(left)} others go on" if left else ""
                warnings.warn(_told(WorkerEnd(worker, process.pid, process.exitcode)) + goes_on, RuntimeWarning,
                              stacklevel=3)
    return said


def _told(end):
    if end.exitcode >= 0:
        return f"worker {end.worker} (process {end.pid}) has ended with exit code {end.exitcode}"
    try:
        name = signal.Signals(-end.exitcode).name
    except ValueError:
        name = f"signal {-end.exitcode}"
    return f"worker {end.worker} (process {end.pid}) was killed by {name}"


def _work(work, worker, threads, tells):
    torch.set_num_threads(threads)
    try:
        train, args = pickle.loads(work)
        train(worker, *args)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception:
        tells.send(traceback.format_exc())
        sys.exit(1)
