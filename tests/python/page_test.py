# SPDX-License-Identifier: Apache-2.0
"""docs/python.md and the recipe of Python: every block runs, one after the other, as a reader would type them; a block
with a __main__ runs as a script of its own. Blocks that need a missing package are skipped, with the reason."""
import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("sklearn")
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "docs"))
import shown_output  # noqa: E402

PAGE = ROOT / "docs" / "python.md"


def blocks():
    """(the line that a block begins in, its text)"""
    text = PAGE.read_text()
    for found in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield text[:found.start()].count("\n") + 2, found.group(1)


NEEDS = {"@hw.loss": "numba", "import torch": "torch", "to_onnx": "onnx", "import onnxruntime": "onnxruntime"}


def missing(block):
    """The missing package that the block needs, or None."""
    for words, package in NEEDS.items():
        if words in block and importlib.util.find_spec(package) is None:
            return package
    return None


def test_every_block_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    ran, told = 0, ""
    for line, block in blocks():
        if package := missing(block):
            with capsys.disabled():
                print(f"\nthe block in line {line} is skipped: {package} is not installed")
            continue
        if "__main__" in block:
            pathlib.Path("script.py").write_text(block)
            told += subprocess.run([sys.executable, "script.py"], check=True, text=True, stdout=subprocess.PIPE).stdout
            assert "exitcode=0" in told
            ran += 1
            continue
        # With the page's line numbers, so that errors name the right line.
        exec(compile("\n" * (line - 1) + block, str(PAGE), "exec"), names)
        ran += 1
    told += capsys.readouterr().out
    assert ran >= 6 and "status=done" in told and "stopped" in told
    assert names["classifier"].score(names["test"], names["y_test"]) > 0.85
    assert names["stream"].score(names["X"], names["target"]) > 0.8


def test_the_recipe_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names, compared = {}, 0
    for language, block in shown_output.blocks(ROOT / "docs" / "recipes" / "from_scikit_learn.md"):
        if language == "python":
            capsys.readouterr()
            exec(compile(block, "the recipe", "exec"), names)
        else:
            told = capsys.readouterr().out
            assert shown_output.shows(block.splitlines(), told.splitlines()), told
            compared += 1
    assert compared == 3
