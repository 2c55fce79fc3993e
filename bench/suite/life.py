# SPDX-License-Identifier: Apache-2.0
"""Ends scripts on any request as on Ctrl-C, without leaving programs or folders behind."""
import contextlib
import ctypes
import fcntl
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from .text import printable

ONE_REQUEST = 2.0  # seconds: timeout(1) signals a program and then its group, which is one request
ASK = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LIBC = ctypes.CDLL(None)  # loaded before a child is forked
_SET_PARENT_DEATH_SIGNAL = 1  # of prctl(2)
_SELF = os.getpid()
_OURS = "hogwild_script_"


def end_as_by_ctrl_c():
    """From now on SIGTERM and SIGHUP raise KeyboardInterrupt, as SIGINT does, unless they are ignored.

    Signals within two seconds are the same request, so that nothing disturbs the end; a later one ends at once.
    """
    asked = []

    def ask(_number, _frame):
        if not asked:
            asked.append(time.monotonic())
            raise KeyboardInterrupt
        if time.monotonic() - asked[0] > ONE_REQUEST:
            os._exit(130)
    for number in ASK:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, ask)


def run_main(main, said):
    """Exits with the code that main() returns; on Ctrl-C and its like, with 130 and the sentence `said`."""
    end_as_by_ctrl_c()
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print(said, file=sys.stderr)
        sys.exit(130)


def with_parent():
    """For `preexec_fn` of subprocess: the child is killed when this program ends, however it ends."""
    _LIBC.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != _SELF:  # it has ended meanwhile
        os._exit(1)


def run(command, **options):
    """subprocess.run of a command with text output, which does not outlive this program."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, preexec_fn=with_parent,
                          **{"check": False, **options})


def end(child, patience=2.0):
    """Ends a child that has a session of its own, with all in it; first gives it time to finish."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break
            time.sleep(0.01)
        os.killpg(child.pid, signal.SIGKILL)


def _require_temporary_place(program):
    """Exits with 4 where TMPDIR names no folder that this user may write: Python would take another one, unsaid."""
    place = os.environ.get("TMPDIR")
    if place and not (os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK)):
        print(f"{program}: {printable(place)}, which TMPDIR names, is no folder that this user "
              "may write; make it, or set TMPDIR to another one", file=sys.stderr)
        sys.exit(4)


@contextlib.contextmanager
def folder(program):
    """A temporary folder for a program of this name, removed afterwards. The next call removes those of killed scripts,
    which nobody locks."""
    _require_temporary_place(program)
    _sweep()
    while True:
        path = tempfile.mkdtemp(prefix=_OURS)
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(path):  # otherwise another script removed it before it was locked
            break
        os.close(lock)
    try:
        yield pathlib.Path(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def _sweep():
    for left in pathlib.Path(tempfile.gettempdir()).glob(_OURS + "*"):
        with contextlib.suppress(OSError):  # another user's, or gone
            lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(lock)
