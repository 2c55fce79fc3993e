# SPDX-License-Identifier: Apache-2.0
"""The sides A and B of a comparison: a record, a program, a folder with a build, or a commit, which is built."""
import contextlib
import os
import pathlib

from suite import life
from suite.terms import Unavailable

ROOT = pathlib.Path(__file__).resolve().parents[2]


def is_record(name):
    """Whether it is a file that is not a program; record.read() checks its contents."""
    path = pathlib.Path(name)
    return path.is_file() and not os.access(path, os.X_OK)


@contextlib.contextmanager
def program(name, work, options, repository=ROOT):
    """The path of the program `hogwild` of a side. A commit is built in a work tree under `work`, with the same CMake
    options as the other side; the work tree is removed at the end. Unavailable if there is no program."""
    path = pathlib.Path(name)
    if path.is_file() and os.access(path, os.X_OK):
        yield path.resolve()
    elif path.is_dir():
        found = path / "bin" / "hogwild"
        if not found.is_file():
            raise Unavailable(f"{path}: there is no bin/hogwild; give the folder of a build, as build/release")
        yield found.resolve()
    else:
        tree = work / _commit(name, repository)
        _git(repository, "worktree", "add", "--quiet", "--detach", "--force", tree, tree.name)
        try:
            yield _built(tree, options)
        finally:
            _git(repository, "worktree", "remove", "--force", tree)


def _commit(name, repository):
    try:
        return _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()
    except Unavailable:
        raise Unavailable(f"{name}: no record, program, folder with a build or commit has this name") from None


def _built(tree, options):
    build = tree / "build" / "compared"
    _run("cmake", "--preset", "release", "-S", tree, "-B", build, "-DHOGWILD_BUILD_TOOLS=ON",
         "-DHOGWILD_BUILD_TESTS=OFF", "-DHOGWILD_BUILD_BENCH=OFF", *options)
    _run("cmake", "--build", build, "--target", "hogwild")
    return build / "bin" / "hogwild"


def _git(repository, *arguments):
    return _run("git", "-C", repository, *arguments)


def _run(*command):
    try:
        ended = life.run(command)
    except OSError as error:
        raise Unavailable(f"{command[0]}: {error.strerror}; tools/packages says what a build needs") from None
    if ended.returncode:
        told = (ended.stderr or ended.stdout).strip().splitlines()
        raise Unavailable(f"{' '.join(map(str, command))} failed:\n" + "\n".join(told[-12:]))
    return ended.stdout
