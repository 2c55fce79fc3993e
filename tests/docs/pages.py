#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks of all pages, each by its name.

Usage: pages.py CHECK [FOLDER]

       pages.py width         pages wrap at 100 columns, except in tables and fenced blocks
       pages.py links         links between pages lead to existing files and headings; FOLDER: of installed pages
       pages.py listed        docs/README.md lists every page of docs
       pages.py architecture  docs/architecture.md is short and has its drawings
       pages.py record        docs/guide.md describes every key of a run record
       pages.py words         enumerations of options are printed as words, as docs/api.md says

Ends with 1 and names the places where a check fails.
"""
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
WIDTH, MOST_WORDS, DRAWINGS = 100, 1800, 4


def pages():
    return [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("**/*.md")), *ROOT.glob("bench/results/README.md")]


def lines_of(page):
    """(number, line, whether it is fenced)"""
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        mark = line.lstrip().startswith("```")
        yield number, line, fenced or mark
        fenced ^= mark


def at(page, number):
    return f"{page.relative_to(ROOT)}:{number}"


def width():
    for page in pages():
        for number, line, fenced in lines_of(page):
            if len(line) > WIDTH and not fenced and not line.startswith("|"):
                yield f"{at(page, number)}: {len(line)} columns, more than {WIDTH}"


def anchors(page):
    """Headings as the usual hosts name them."""
    heads = [line.lstrip("#") for _, line, fenced in lines_of(page) if line.startswith("#") and not fenced]
    return {re.sub(r"[^\w\- ]", "", head.strip().lower()).replace(" ", "-") for head in heads}


def links():
    for page in pages():
        for number, line, fenced in lines_of(page):
            for target in [] if fenced else re.findall(r"\]\(([^)\s]+)\)", line):
                path, _, anchor = target.partition("#")
                if re.match(r"[a-z]+:", path):
                    continue
                there = (page.parent / path).resolve() if path else page
                if not there.exists():
                    yield f"{at(page, number)}: there is no {path}"
                elif anchor and anchor not in anchors(there):
                    yield f"{at(page, number)}: {there.name} has no heading #{anchor}"


def listed():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for page in pages():
        path = os.path.relpath(page, DOCS)
        if page != DOCS / "README.md" and f"]({path})" not in index:
            yield f"docs/README.md does not list {path}"


def architecture():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    if len(text.split()) > MOST_WORDS:
        yield f"docs/architecture.md has {len(text.split())} words, more than {MOST_WORDS}"
    if text.count("```mermaid\n") != DRAWINGS:
        yield f"docs/architecture.md has {text.count('```mermaid')} drawings, not {DRAWINGS}"


def keys_of(schema):
    """The names of all properties, however deep."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from keys_of(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from keys_of(part)


def record():
    schema = json.loads((ROOT / "bench" / "schema" / "run_record.schema.json").read_text(encoding="utf-8"))
    guide = (DOCS / "guide.md").read_text(encoding="utf-8")
    for key in sorted(set(keys_of(schema))):
        if f"`{key}`" not in guide:
            yield f"docs/guide.md does not tell of the key {key} of run records"


def words():
    include = ROOT / "hogwild" / "include" / "hogwild"
    printed = (include / "names.hpp").read_text(encoding="utf-8")
    values = (ROOT / "core" / "include" / "hogwild" / "option_values.hpp").read_text(encoding="utf-8")
    for kind in re.findall(r"^enum class (\w+)", values, re.MULTILINE):
        if f"name_of({kind} " not in printed:
            yield f"<hogwild/names.hpp> has no name_of({kind}): declare it, with a table in option_words.hpp"


CHECKS = {check.__name__: check for check in (width, links, listed, architecture, record, words)}


def main(arguments):
    global ROOT, DOCS
    if len(arguments) not in (1, 2) or arguments[0] not in CHECKS:
        print(__doc__)
        return 2
    if len(arguments) == 2:
        ROOT = pathlib.Path(arguments[1]).resolve()
        DOCS = ROOT / "docs"
    faults = list(CHECKS[arguments[0]]())
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
