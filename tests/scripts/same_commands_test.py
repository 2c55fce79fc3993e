#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tools/test after tools/quickstart compiles nothing again: both make the program by the same commands, also where a compiler
cache was installed in between.

Usage: same_commands_test.py SOURCE_FOLDER SCRATCH_FOLDER CMAKE COMPILER
"""
import os
import pathlib
import shutil
import subprocess
import sys


def linked_project(source, root):
    """A folder like the project, without anything built."""
    root.mkdir(parents=True)
    for entry in source.iterdir():
        if entry.name not in ("build", ".git"):
            (root / entry.name).symlink_to(entry)
    # Python's packages are there, so that tools/python_env fetches nothing.
    env = root / "build" / "python-env"
    env.mkdir(parents=True)
    shutil.copy(source / "python" / "requirements.txt", env / "complete")


def programs(folder, cmake):
    """All programs of this machine but a compiler cache; no package is missing, and cmake configures but never builds."""
    folder.mkdir(parents=True)
    for place in ("/bin", "/usr/bin", "/usr/local/bin"):
        for program in pathlib.Path(place).iterdir() if os.path.isdir(place) else ():
            if program.name not in ("cmake", "ccache", "dpkg-query") and not (folder / program.name).exists():
                (folder / program.name).symlink_to(program)
    put(folder / "dpkg-query", "printf installed")
    put(folder / "cmake", f'[ "$1" != --build ] || exit 1\nexec "{cmake}" "$@"')


def put(path, script):
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def commands_of(script, root, path, compiler):
    """The commands that make the program, after the script has configured; it ends where it would build."""
    asked = subprocess.run([root / "tools" / script], cwd=root, capture_output=True, text=True, check=False,
                           env={"PATH": str(path), "CXX": compiler, "HOME": str(root)})
    build = root / "build" / "release"
    if not (build / "build.ninja").exists():
        sys.exit(f"{script} did not configure:\n{asked.stdout}{asked.stderr}")
    told = subprocess.run(["ninja", "-C", build, "-t", "commands", "hogwild"], capture_output=True, text=True, check=True)
    return told.stdout.splitlines()


def main(source, scratch, cmake, compiler):
    scratch = pathlib.Path(scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    root, path = scratch / "project", scratch / "bin"
    linked_project(pathlib.Path(source), root)
    programs(path, cmake)
    first = commands_of("quickstart", root, path, compiler)
    put(path / "ccache", 'exec "$@"')
    second = commands_of("test", root, path, compiler)
    changed = sorted(set(first) - set(second))
    print("\n".join(changed[:3]))
    shutil.rmtree(scratch)
    print(f"{len(first)} commands, {len(changed)} of them changed")
    return 1 if changed or not first else 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
