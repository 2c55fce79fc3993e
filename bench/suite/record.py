# SPDX-License-Identifier: Apache-2.0
"""Bench records: JSON lines as bench/schema/bench.schema.json has them."""
import json
import os
import pathlib

SCHEMA = 1


class Record:
    """Lines, in memory and, where it has a path, in a file from the moment on that they are put."""

    def __init__(self, path=None):
        self.lines, self.path = [], path
        self.file = open(path, "w", encoding="utf-8") if path else None

    def put(self, kind, **values):
        line = {"kind": kind, **values}
        self.lines.append(line)
        if self.file:
            print(json.dumps(line, allow_nan=False), file=self.file, flush=True)
        return line

    def rewrite(self):
        """Lines that were changed since they were put take their place in the file, which is whole at any time."""
        if not self.file:
            return
        self.file.close()
        beside = pathlib.Path(f"{self.path}.new")
        beside.write_text("".join(json.dumps(line, allow_nan=False) + "\n" for line in self.lines), encoding="utf-8")
        os.replace(beside, self.path)
        self.file = open(self.path, "a", encoding="utf-8")


def read(path, searches=False):
    """The lines of a record, which may be the one line of a search where `searches` says so; ValueError with file and
    line where one is damaged.
    """
    lines = []
    for number, text in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        try:
            line = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}:{number}:{error.colno}: no JSON: {error.msg}") from None
        if not isinstance(line, dict) or "kind" not in line:
            raise ValueError(f"{path}:{number}: no line of a bench record: it has no 'kind'")
        lines.append(line)
    if searches and lines and lines[0]["kind"] == "search":
        if len(lines) > 1:
            raise ValueError(f"{path}:2: the record of a search is one line; name a file for each search")
        return lines
    if not lines or lines[0]["kind"] != "context":
        raise ValueError(f"{path}:1: no bench record: it does not begin with its context")
    return lines


def of(lines, kind, **values):
    """The lines of a kind that have these values."""
    return [x for x in lines if x["kind"] == kind and all(x.get(k) == v for k, v in values.items())]
