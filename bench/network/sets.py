# SPDX-License-Identifier: Apache-2.0
"""The data that are trained, and how: by set."""
import dataclasses
import itertools
import lzma
import pathlib
import subprocess


@dataclasses.dataclass(frozen=True)
class Set:
    name: str
    model: str
    step: float
    decay: float
    l2: float | None  # None: 1 / rows
    epochs: int  # of the serial reference
    file: str | None  # in the data folder; None: generated


SETS = {s.name: s for s in (
    Set("imdb", "logistic", 0.5, 0.8, 1e-4, 12, "imdb.train.libsvm"),
    Set("rcv1", "logistic", 4.0, 0.8, None, 12, None),
    Set("tiny", "logistic", 0.5, 0.8, None, 8, None),
)}
GENERATED = {"rcv1": ["--rows", "200000"], "tiny": ["--rows", "4000", "--columns", "3000", "--nonzeros", "20"]}
SAMPLED_ROWS = 20_000  # for how popular columns are


class NoData(Exception):
    """Why a set cannot be trained here."""


def file_of(which, hogwild, data, work):
    """Where its rows are; generates them where need be."""
    if which.file is None:
        made = pathlib.Path(work) / f"{which.name}.svm"
        if not made.exists():
            # A tenth is set apart as test rows, nobody reads them here.
            done = subprocess.run([hogwild, "generate", made, "--test", f"{made}.test", *GENERATED[which.name]],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise NoData(f"{which.name} cannot be generated: {done.stderr.strip()}")
        return made
    for ending in ("", ".xz"):
        found = pathlib.Path(data or ".") / (which.file + ending)
        if data and found.exists():
            return found
    raise NoData(f"{which.file} is not there; name its folder with --data")


def column_shares(path):
    """(rank, share of rows that have that column), at ranks ever farther apart."""
    counts, rows = {}, 0
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt", encoding="ascii") as file:
        for line in itertools.islice(file, SAMPLED_ROWS):
            rows += 1
            for entry in line.partition("#")[0].split()[1:]:
                column = entry.partition(":")[0]
                counts[column] = counts.get(column, 0) + 1
    ordered = sorted(counts.values(), reverse=True)
    ranks, rank = [], 0
    while rank < len(ordered):
        ranks.append(rank)
        rank = max(rank + 1, rank * 3 // 2)
    ranks.append(len(ordered) - 1)
    return [[r, round(min(1.0, ordered[r] / rows), 8)] for r in dict.fromkeys(ranks)]
