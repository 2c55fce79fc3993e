# SPDX-License-Identifier: Apache-2.0
"""Bench records: JSON lines as in bench/schema/bench.schema.json."""
import codecs
import contextlib
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
MARKS = {codecs.BOM_UTF8: "a byte order mark", codecs.BOM_UTF16_LE: "a byte order mark of UTF-16",
         codecs.BOM_UTF16_BE: "a byte order mark of UTF-16"}


class Damaged(ValueError):
    """A record that does not match its schema, with file and line."""


class Unreadable(OSError):
    """A file that cannot be read, and why, without the words of Python."""

    def __str__(self):
        return f"{self.filename}: {self.strerror}"


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
    lines = lines_of(path)
    kind = lines[0]["kind"]
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


def lines_of(path):
    """The lines of a file of records, each a JSON object with a kind. Damaged, with file and line, if one is not, or if
    there are none; Unreadable if the file cannot be read."""
    texts = _bytes(path).split(b"\n")
    if texts[-1] == b"":
        texts.pop()
    if not texts:
        raise Damaged(f"{path}:1: no bench record: the file is empty")
    return [_line(path, number, text) for number, text in enumerate(texts, 1)]


def document(path):
    """The JSON object that a file is. Damaged, with file and line, if it is none; Unreadable if it cannot be read."""
    told = _parsed(path, 1, _bytes(path))
    if not isinstance(told, dict):
        raise Damaged(f"{path}:1: a JSON object is expected")
    return told


@contextlib.contextmanager
def taken_from(path, maker):
    """Damaged if lines of a file lack what is read from them, or have something else: another program wrote it."""
    try:
        yield
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        lacks = f"there is no {printable(error, 60)}" if isinstance(error, KeyError) else \
            "a line is missing, or has another value than expected"
        raise Damaged(f"{path}: not from {maker}: {lacks}") from None


def _bytes(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        folder = isinstance(error, IsADirectoryError)
        raise Unreadable(error.errno, "this is a folder, not a file" if folder else error.strerror, str(path)) from None


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
    """A line as a JSON object with a kind."""
    line = _parsed(path, number, text)
    if not isinstance(line, dict) or not isinstance(line.get("kind"), str):
        raise Damaged(f"{path}:{number}: no line of a bench record: it has no 'kind'")
    return line


def _parsed(path, number, text):
    """JSON as a value; all of its numbers are finite, and all text is valid. `number`: that of its first line."""
    def wrong(why, at=0):
        line = number + text.count(b"\n", 0, at)
        return Damaged(f"{path}:{line}{why}")

    def finite(word):
        if not math.isfinite(value := float(word)):
            raise wrong(f": {printable(word, 40)} is no number", text.find(word.encode()))
        return value

    def whole(word):
        try:
            return int(word)
        except ValueError:  # Python limits the digits
            raise wrong(f": a number of {len(word)} characters is too long", text.find(word.encode())) from None
    for mark, what in MARKS.items():
        if text.startswith(mark):
            raise wrong(f": the file begins with {what}; save it as UTF-8 without one")
    try:
        told = json.loads(text.decode("utf-8"), parse_constant=finite, parse_float=finite, parse_int=whole)
        json.dumps(told, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise Damaged(f"{path}:{number + error.lineno - 1}:{error.colno}: no JSON: {error.msg}") from None
    except RecursionError:
        raise wrong(": no record: it is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise wrong(f": byte 0x{text[error.start]:02x} is no text in UTF-8", error.start) from None
    except UnicodeEncodeError as error:
        half = ord(error.object[error.start])
        raise wrong(f": \\u{half:04x} is half of a surrogate pair, which is no character") from None
    return told


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
