# SPDX-License-Identifier: Apache-2.0
"""Holds the folders of each library to the order that CONTRIBUTING.md gives: a file includes files of its own folder
and of folders before it. A public header stands for what it includes itself."""

import pathlib
import posixpath
import re
import sys

root = pathlib.Path(sys.argv[1])
text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
orders = {
    library: [folder.strip() for folder in folders.split("<-")]
    for library, folders in re.findall(r"^    (\w+): ((?:[^\n]|\n {8,})+)$", text, re.M)
}
include = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def folder_of(path):
    """The library and the folder of a file, or nothing for a public header or another file outside the folders."""
    found = re.fullmatch(r"(\w+)/(?:src|include/hogwild/detail)/(\w+)/.+", path)
    return found and found.groups()


sources = {}
for library in orders:
    for path in sorted((root / library).rglob("*")):
        if path.suffix not in (".hpp", ".cpp", ".h", ".cuh", ".cu"):
            continue
        sources[path.relative_to(root).as_posix()] = include.findall(path.read_text(encoding="utf-8"))


def files_of(path, name):
    """The files of ours that an include of this name in this file may mean."""
    library = path.split("/")[0]
    beside = path.rsplit("/", 1)[0]
    places = [f"{beside}/{name}", f"{library}/src/{name}"] + [f"{other}/include/{name}" for other in orders]
    return [place for place in map(posixpath.normpath, places) if place in sources][:1]


def reached(path, seen):
    """The files in folders that this file includes, itself or by public headers."""
    for name in sources[path]:
        for file in files_of(path, name):
            if folder_of(file):
                yield file
            elif file not in seen:
                seen.add(file)
                yield from reached(file, seen)


faults = []
folders = set()
for path in sources:
    own = folder_of(path)
    if not own:
        continue
    folders.add(own)
    library, folder = own
    for file in reached(path, set()):
        other_library, other = folder_of(file)
        if other_library != library or other == folder:
            continue
        order = orders[library]
        if folder in order and other in order and order.index(other) > order.index(folder):
            faults.append(f"{path} includes {file}: {folder} stands before {other}")
for library, order in orders.items():
    there = {folder for lib, folder in folders if lib == library}
    faults += [f"CONTRIBUTING.md does not place {library}/{folder}" for folder in sorted(there - set(order))]
    gone = [folder for folder in order if folder not in there]
    faults += [f"CONTRIBUTING.md places {library}/{folder}, which does not exist" for folder in gone]
    faults += [f"CONTRIBUTING.md places {library}/{folder} twice" for folder in there if order.count(folder) > 1]
architecture = (root / "docs/architecture.md").read_text(encoding="utf-8")
for library, folder in sorted(folders):
    if f"`{library}/{folder}`" not in architecture:
        faults.append(f"docs/architecture.md does not name {library}/{folder}")
faults += [f"CONTRIBUTING.md gives no order of {library}" for library in ("core", "hogwild") if library not in orders]
print("\n".join(faults) or f"{len(folders)} folders keep their order")
sys.exit(bool(faults))
