# SPDX-License-Identifier: Apache-2.0
"""One run of hogwild train, and the contents of its record."""
import contextlib
import dataclasses
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

from suite import life, record
from suite.terms import Outcome, Point, Unavailable


@dataclasses.dataclass(frozen=True)
class Ended:
    """A finished command: its exit code, wall clock and CPU seconds, most memory in bytes, and the error stream."""
    code: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    err: str
    late: bool  # it was ended because it took too long


def run(command, *, timeout, cwd=None, out=subprocess.DEVNULL, env=None, answer=None):
    """Runs a command and waits for it. CPU time and memory are those of it and of all processes that it waited for.

    `answer`: the reply to a line that it writes, None if it expects none. Its seconds exclude those of answering;
    `timeout` includes them.
    """
    answering = 0.0
    with tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        late = threading.Event()
        child = None

        def end():
            late.set()
            os.killpg(child.pid, signal.SIGKILL)
        timer = threading.Timer(timeout, end)
        timer.daemon = True  # an interruption before it can be cancelled does not wait for it
        try:
            child = subprocess.Popen([str(word) for word in command], cwd=cwd, env=env, text=bool(answer),
                                     stdin=subprocess.PIPE if answer else subprocess.DEVNULL,
                                     stdout=subprocess.PIPE if answer else out, stderr=errors, start_new_session=True,
                                     preexec_fn=life.with_parent)
            timer.start()
            for line in child.stdout if answer else ():
                asked = time.monotonic()
                reply = answer(line)
                answering += time.monotonic() - asked
                if reply is not None:
                    with contextlib.suppress(BrokenPipeError):  # it has ended
                        print(reply, file=child.stdin, flush=True)
            _, status, used = os.wait4(child.pid, 0)
        except BaseException:  # an interruption does not reach the child, which has a session of its own
            if child:
                life.end(child)
            raise
        finally:
            timer.cancel()
            for pipe in filter(None, (child.stdin, child.stdout) if child else ()):
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        seconds = time.monotonic() - begin - answering
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        err = errors.read().decode("utf-8", "replace").strip()
    return Ended(child.returncode, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, err, late.is_set())


def train(place, arguments, *, metric, timeout, ranks=0, judged=None):
    """Runs `hogwild train ARGUMENTS`; `metric` is a figure of an epoch line. Failures are described in `error`.

    `ranks`: on so many machines of the place's lab; 0: on this machine. CPU time and memory are known only for this
    machine. `judged`: measures the vectors that the run saves, in a file that it is given; the end of the run is its
    only point then.
    """
    with tempfile.NamedTemporaryFile(dir=place.work, suffix=".jsonl") as kept, \
            tempfile.NamedTemporaryFile(dir=place.work, suffix=".vec") as saved:
        command = [place.hogwild, "train", *arguments, "--quiet", "--record", kept.name,
                   *(["--save", saved.name] if judged else [])]
        env = place.lab.environment() if ranks else None
        ended = run(place.lab.mpirun(*command, count=ranks) if ranks else command, timeout=timeout, env=env)
        if ended.late:
            if ranks:
                place.lab.clear()
            return Outcome([], error=f"it took longer than {timeout:g} s")
        if ended.code != 0:
            return Outcome([], error=ended.err[-300:] or f"it ended with {ended.code}")
        try:
            lines = record.lines_of(kept.name)
            value = judged(pathlib.Path(saved.name)) if judged else None
        except (record.Damaged, Unavailable) as reason:
            return Outcome([], error=str(reason))
    context, result, epochs = lines[0], lines[-1], [x for x in lines if x["kind"] == "epoch"]
    if not epochs:
        return Outcome([], error="it trained no epoch")
    shared, last = result.get("link") or result.get("ring") or result.get("meetings") or {}, epochs[-1]
    points = [Point(e["train_seconds"], e["epoch"], e.get(metric)) for e in epochs]
    return Outcome([dataclasses.replace(points[-1], value=value)] if judged else points,
                   parse_seconds=max(0.0, ended.seconds - result["wall_seconds"]),
                   train_seconds=result["train_seconds"],
                   total_seconds=ended.seconds, cpu_seconds=None if ranks else ended.cpu_seconds,
                   peak_bytes=None if ranks else result["peak_rss_bytes"], examples=last["examples"],
                   nonzeros=last["nonzeros"], rows=context["dataset"]["n"] * max(1, ranks),  # a rank has its part
                   bytes_exchanged=shared.get("bytes"), exchange=shared or None,
                   staleness=last.get("staleness", {}).get("p50"), conflict_rate=last.get("conflict_rate"))
