# SPDX-License-Identifier: Apache-2.0
"""Bench records: JSON lines as in bench/schema/bench.schema.json."""
import functools
import json
import math
import os
import pathlib
import warnings

from suite.terms import Unavailable
from suite.text import printable

SCHEMA = 1
SCHEMAS = pathlib.Path(__file__).resolve().parents[1] / "schema"


class Damaged(ValueError):
    """A record that does not match its schema, with file and line."""


class Record:
    """Lines, in memory and, if it has a path, in a file as soon as they are put."""

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
        """Replaces the file by the present lines, which may have changed since they were put; the file is whole at any
        time."""
        if not self.file:
            return
        self.file.close()
        beside = pathlib.Path(f"{self.path}.new")
        beside.write_text("".join(json.dumps(line, allow_nan=False) + "\n" for line in self.lines), encoding="utf-8")
        os.replace(beside, self.path)
        self.file = open(self.path, "a", encoding="utf-8")


def read(path, others=False):
    """The lines of a bench record, or with `others` of a record of `train --record` or of a search.

    Damaged, with file and line, if it does not match its schema in bench/schema; Unavailable if the module jsonschema
    is not installed. Lines end at a newline and nowhere else: a name may hold other separators.
    """
    texts = pathlib.Path(path).read_bytes().split(b"\n")
    if texts[-1] == b"":
        texts.pop()
    lines = [_line(path, number, text) for number, text in enumerate(texts, 1)]
    kind = lines[0]["kind"] if lines else ""
    if kind == "search" and others:
        if len(lines) > 1:
            raise Damaged(f"{path}:2: the record of a search is one line; name a file for each search")
        name = "search"
    elif kind != "context" or ("suite" not in lines[0] and not others):
        raise Damaged(f"{path}:1: no bench record: it does not begin with its context")
    else:
        name = "bench" if "suite" in lines[0] else "run_record"
    check = _checker(name)
    for number, line in enumerate(lines, 1):
        if wrong := check(line):
            raise Damaged(f"{path}:{number}: {wrong}; bench/schema/{name}.schema.json describes this record")
    return of_one_run(lines)


def of_one_run(lines):
    """Lines of a run record, as if the run had never been interrupted: epochs after the one from which it was resumed
    were lost, and are repeated."""
    kept = []
    for line in lines:
        if line["kind"] == "resumed":
            kept = [x for x in kept if x["kind"] != "result" and (x["kind"] != "epoch" or x["epoch"] <= line["epoch"])]
        kept.append(line)
    return kept


def _line(path, number, text):
    """A line as a JSON object with a kind; all of its numbers are finite, and all text is valid."""
    def finite(word):
        if not math.isfinite(value := float(word)):
            raise ValueError(f"{word} is no number")
        return value
    try:
        line = json.loads(text.decode("utf-8"), parse_constant=finite, parse_float=finite)
        json.dumps(line, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise Damaged(f"{path}:{number}:{error.colno}: no JSON: {error.msg}") from None
    except RecursionError:
        raise Damaged(f"{path}:{number}: no record: it is nested too deeply") from None
    except ValueError as error:  # invalid UTF-8, lone surrogates, NaNs or infinities
        raise Damaged(f"{path}:{number}: {printable(error)}") from None
    if not isinstance(line, dict) or not isinstance(line.get("kind"), str):
        raise Damaged(f"{path}:{number}: no line of a bench record: it has no 'kind'")
    return line


@functools.lru_cache
def _checker(name):
    """A function that returns the faults of a line of a record by its schema; nothing if it has none."""
    try:
        import jsonschema
    except ImportError:
        raise Unavailable("jsonschema is not installed (on Debian and Ubuntu: apt-get install python3-jsonschema)") \
            from None
    schemas = {p.name: json.loads(p.read_text(encoding="utf-8")) for p in SCHEMAS.glob("*.schema.json")}
    schema = schemas[f"{name}.schema.json"]
    with warnings.catch_warnings():  # newer releases have another way, which Debian 12's lacks
        warnings.simplefilter("ignore", DeprecationWarning)
        whole = jsonschema.Draft202012Validator(schema, resolver=jsonschema.RefResolver("", schema, store=schemas))
    kinds = {k: whole.evolve(schema={"$ref": f"#/$defs/{k}"}) for k in schema["$defs"]
             if "kind" in schema["$defs"][k].get("properties", {})}

    def wrong(line):
        if kinds and line["kind"] not in kinds:
            return f"there is no kind {printable(line['kind'], 40)!r}"
        error = next((kinds or {line["kind"]: whole})[line["kind"]].iter_errors(line), None)
        if error is None:
            return ""
        where = ".".join(str(step) for step in error.absolute_path)
        return printable(f"{where}: {error.message}" if where else error.message, 200)
    return wrong


def of(lines, kind, **values):
    """The lines of a kind that have these values."""
    return [x for x in lines if x["kind"] == kind and all(x.get(k) == v for k, v in values.items())]
