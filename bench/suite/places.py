# SPDX-License-Identifier: Apache-2.0
"""The places where contestants train: this machine, or machines of the network lab with a rank on each."""
import contextlib
import dataclasses
import os
import pathlib
import shutil
import sys

from suite.terms import Unavailable

NETWORKS = {"100mbit-10ms": (100, 10), "1gbit-1ms": (1000, 1), "unlimited": (None, 0)}  # Mbit/s, ms each way
SLOWER = 4.0  # how many times the last machine of such a place is slower
NAMES = ["here", *(f"lab:{name}{slow}" for name in NETWORKS for slow in ("", "-slow"))]


def _lab():
    folder = str(pathlib.Path(__file__).resolve().parents[1] / "network")
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        import lab
    except ImportError:
        raise Unavailable("the network lab is in bench/network of the source, and not installed") from None
    return lab


def program():
    """The hogwild program: $HOGWILD_PROGRAM, that of the prefix that these scripts are installed in, or one in the
    PATH."""
    scripts = pathlib.Path(__file__).resolve().parents[1]
    installed = scripts.parents[2] / "bin" / "hogwild"
    ours = scripts.match("share/hogwild/bench") and installed.exists()
    return os.environ.get("HOGWILD_PROGRAM", str(installed) if ours else "hogwild")


def relay(place):
    """The path of delay_relay: beside the program, or in the PATH."""
    beside = place.hogwild.parent / "delay_relay"
    return beside if beside.exists() else pathlib.Path(shutil.which("delay_relay") or beside)


def missing(name, place):
    """Why this place is not available here; empty if it is."""
    try:
        return "" if name == "here" else _lab().missing(relay(place)) or ""
    except Unavailable as reason:
        return str(reason)


@contextlib.contextmanager
def opened(name, place, machines):
    """`place` under that name; a lab has so many machines and is removed afterwards. May raise Unavailable."""
    if name == "here":
        yield place
        return
    lab = _lab()
    network = name.removeprefix("lab:").removesuffix("-slow")
    fair = min(1.0, len(os.sched_getaffinity(0)) / machines)  # a fair share of a CPU, for each
    made = lab.Lab(relay(place), machines, *NETWORKS[network], slow_cpu=fair / SLOWER if "-slow" in name else None)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(made)
        except lab.Unavailable as reason:
            raise Unavailable(str(reason)) from None
        yield dataclasses.replace(place, name=name, lab=made)
