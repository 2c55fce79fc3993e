#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the reference has what its front page, docs/api.md, names: each hogwild::name there is a link.

Usage: reference.py FOLDER    the folder html that Doxygen has made

Ends with 1 and names what has no link.
"""
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "api.md"


def main(folder):
    named = set(re.findall(r"hogwild::\w+", PAGE.read_text(encoding="utf-8")))
    linked = set(re.findall(r"<a [^>]*>(hogwild::\w+)", (folder / "index.html").read_text(encoding="utf-8")))
    for name in sorted(named - linked):
        print(f"docs/api.md: {name} is not in the reference: describe it, or take it off the page")
    return 1 if named - linked or not named else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
