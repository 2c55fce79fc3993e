#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""In nvcc's PTX the loops over a row's entries take no more instructions than those of a kernel written by hand.

Reads PTX that a release build left in the folder KEPT; makes it where there is none.

Usage: same_loops.py NVCC OURS BY_HAND KEPT INCLUDE_FOLDER...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ARCHITECTURES = (75, 80, 90)
WEIGHT_READ, WEIGHT_WRITE = "ld.relaxed.gpu.global.f32", "st.relaxed.gpu.global.f32"
LOOPS = ("margin", "update")
# Our kernels that do the same as the other one: float values, sgd, lossy, scope of the device.
PLAIN = re.compile(r"margin_kindI[tj]fLb0ELNS_11update_kindE0ELNS0_12memory_scopeE0E")


def ptx_of(nvcc, source, includes, architecture):
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "out.ptx"
        subprocess.run([nvcc, "-std=c++20", "-O3", "-DNDEBUG", "--expt-relaxed-constexpr", *(f"-I{i}" for i in includes),
                        f"-arch=compute_{architecture}", "-ptx", source, "-o", ptx], check=True)
        return ptx.read_text(encoding="utf-8")


def kept_ptx(kept, source, architecture):
    """The PTX that the build left of a source, or nothing."""
    ptx = pathlib.Path(kept) / f"{pathlib.Path(source).stem}.compute_{architecture}.ptx"
    return ptx.read_text(encoding="utf-8") if ptx.exists() else None


def kernels(ptx):
    """(name, lines) of each: labels with their colon, instructions with their semicolon, nothing else."""
    for part in ptx.split(".entry ")[1:]:
        lines = [line.split("//")[0].strip() for line in part.splitlines()]
        yield re.match(r"[\w$]+", part)[0], [x for x in lines if re.match(r"\$?\w+:$|[@a-z][^:]*;$", x)]


def innermost_loops(lines):
    """The instructions from each label to a branch back to it, where no other loop lies between."""
    places = {line[:-1]: i for i, line in enumerate(lines) if line.endswith(":")}
    loops = []
    for end, line in enumerate(lines):
        target = re.search(r"\bbra(?:\.uni)?\s+(\$?\w+);", line)
        begin = places.get(target[1], end + 1) if target else end + 1
        if begin <= end and not any(begin <= b for b, _ in loops):
            loops.append((begin, end))
    return [[line for line in lines[b:e + 1] if not line.endswith(":")] for b, e in loops]


def instructions_of_an_entry(lines):
    """{loop: instructions for each entry}, for the version of the loop that takes most entries at once."""
    found = {}
    for loop in innermost_loops(lines):
        entries = sum(WEIGHT_READ in line for line in loop)
        if entries == 0:
            continue
        kind = LOOPS[any(WEIGHT_WRITE in line for line in loop)]
        found[kind] = max(found.get(kind, (0, 0.0)), (entries, len(loop) / entries))
    return {kind: count for kind, (_, count) in found.items()}


def index_of(name):
    """Whether columns are of 16 or of 32 bits: the mangled t and j."""
    return re.search(r"(?:margin_kindI|rows_by_handI)([tj])", name)[1]


def main(nvcc, ours, by_hand, kept, includes):
    faults, compared = [], 0
    for architecture in ARCHITECTURES:
        hand = {index_of(name): instructions_of_an_entry(lines)
                for name, lines in kernels(ptx_of(nvcc, by_hand, [], architecture))}
        for name, lines in kernels(kept_ptx(kept, ours, architecture) or ptx_of(nvcc, ours, includes, architecture)):
            if not PLAIN.search(name):
                continue
            index, mine = index_of(name), instructions_of_an_entry(lines)
            for kind in LOOPS:
                compared += 1
                if kind not in mine or kind not in hand[index]:
                    faults.append(f"{architecture} {index} {kind}: there is no such loop in {mine} or {hand[index]}")
                elif mine[kind] > hand[index][kind]:
                    faults.append(f"{architecture} {index} {kind}: {mine[kind]} instructions an entry, by hand "
                                  f"{hand[index][kind]}")
                else:
                    print(f"{architecture} {index} {kind}: {mine[kind]} instructions an entry, by hand {hand[index][kind]}")
    if compared != len(ARCHITECTURES) * len(LOOPS) * 2:
        faults.append(f"{compared} loops were compared")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:5], sys.argv[5:]))
