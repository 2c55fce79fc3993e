#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/recipes run, and print what the pages show: recipes_test.py HOGWILD

A page runs in a folder of its own, which begins with the files of recipe_data.py. Its blocks of `sh` run in their order; a
block of `text` has the standard output of the one before it."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import recipe_data
from shown_output import blocks, shows

HOGWILD = pathlib.Path(sys.argv.pop(1)).resolve()
PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "recipes"
MOST_LINES = 80
# Of Python, which tests/python/page_test.py runs.
OF_PYTHON = {"from_scikit_learn"}


def run(command, folder):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, capture_output=True, text=True, check=False,
                          timeout=1400, env={**os.environ, "PATH": f"{HOGWILD.parent}:{os.environ['PATH']}",
                                             "XDG_CACHE_HOME": str(folder)})
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


class recipes(unittest.TestCase):
    def test_pages_are_short(self):
        for page in PAGES.glob("*.md"):
            self.assertLessEqual(len(page.read_text(encoding="utf-8").splitlines()), MOST_LINES, page.name)

    def test_numbers_and_words_are_compared(self):
        self.assertTrue(shows(["a 1.00 b", "...", "tag7:0.5"], ["a 1.04 b", "x", "tag7:0.52"]))
        for lines, told in ((["a 1.0"], ["a 1.2"]), (["a 1.0"], ["b 1.0"]), (["a"], ["a", "b"]), (["a", "b"], ["a"]),
                            (["100 rows"], ["110 rows"])):
            self.assertFalse(shows(lines, told), lines)

    def run_page(self, name):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as held:
            try:
                os.chdir(held)
                getattr(recipe_data, name)()
            finally:
                os.chdir(before)
            told, commands = None, 0
            for language, text in blocks(PAGES / f"{name}.md"):
                if language == "sh":
                    told, commands = run(text, pathlib.Path(held)), commands + 1
                elif language == "text":
                    self.assertTrue(shows(text.splitlines(), told.splitlines()), f"the page shows\n{text}but the command said\n{told}")
            self.assertGreater(commands, 2)


def test_of(name):
    return lambda self: self.run_page(name)


for each in PAGES.glob("*.md"):
    if each.stem not in OF_PYTHON:
        setattr(recipes, f"test_{each.stem}", test_of(each.stem))

if __name__ == "__main__":
    unittest.main()
