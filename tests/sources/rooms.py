# SPDX-License-Identifier: Apache-2.0
"""Holds the folders of each library to the order that CONTRIBUTING.md gives: a file includes files of its own folder
and of folders before it. A public header stands for what it includes itself."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
orders = {
    library: [room.strip() for room in rooms.split("<-")]
    for library, rooms in re.findall(r"^    (\w+): ((?:[^\n]|\n {8,})+)$", text, re.M)
}
include = re.compile(r'^#include [<"]([^>"]+)[>"]', re.M)


def room_of(path):
    """The library and the folder of a file, or nothing for a public header."""
    found = re.fullmatch(r"(\w+)/(?:src|include/hogwild/detail)/(\w+)/.+", path)
    return found and found.groups()


sources = {}
for library in orders:
    for path in sorted((root / library).rglob("*.?pp")):
        sources[path.relative_to(root).as_posix()] = include.findall(path.read_text(encoding="utf-8"))


def files_of(path, name):
    """The files of ours that an include of this name in this file may mean."""
    library = path.split("/")[0]
    here = path.rsplit("/", 1)[0]
    places = [f"{here}/{name}", f"{library}/src/{name}"] + [f"{other}/include/{name}" for other in orders]
    return [place for place in places if place in sources][:1]


def reached(path, seen):
    """The files in folders that this file includes, itself or by public headers."""
    for name in sources[path]:
        for file in files_of(path, name):
            if room_of(file):
                yield file
            elif file not in seen:
                seen.add(file)
                yield from reached(file, seen)


faults = []
rooms = set()
for path in sources:
    own = room_of(path)
    if not own:
        continue
    rooms.add(own)
    library, room = own
    for file in reached(path, set()):
        other_library, other = room_of(file)
        if other_library != library or other == room:
            continue
        order = orders[library]
        if room in order and other in order and order.index(other) > order.index(room):
            faults.append(f"{path} includes {file}: {room} stands before {other}")
for library, order in orders.items():
    there = {room for lib, room in rooms if lib == library}
    faults += [f"CONTRIBUTING.md does not place {library}/{room}" for room in sorted(there - set(order))]
    faults += [f"CONTRIBUTING.md places {library}/{room}, which does not exist" for room in order if room not in there]
architecture = (root / "docs/architecture.md").read_text(encoding="utf-8")
for library, room in sorted(rooms):
    if f"`{library}/{room}`" not in architecture:
        faults.append(f"docs/architecture.md does not name {library}/{room}")
if not orders or not sources:
    faults.append("CONTRIBUTING.md gives no order, or there are no sources")
print("\n".join(faults) or f"{len(rooms)} folders keep their order")
sys.exit(bool(faults))
