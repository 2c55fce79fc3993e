# SPDX-License-Identifier: Apache-2.0
"""docs/python.md: every block runs, one after the other, as a reader would type them."""
import pathlib
import re

import pytest

pytest.importorskip("sklearn")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


def blocks():
    """(the line that a block begins in, its text)"""
    text = PAGE.read_text()
    for found in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield text[:found.start()].count("\n") + 2, found.group(1)


def test_every_block_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    ran = 0
    for line, block in blocks():
        # With the page's own lines, so that a fault is told where it stands.
        exec(compile("\n" * (line - 1) + block, str(PAGE), "exec"), names)
        ran += 1
    told = capsys.readouterr().out
    assert ran >= 6 and "status=done" in told and "stopped" in told
    assert names["classifier"].score(names["test"], names["y_test"]) > 0.85
    assert names["stream"].score(names["X"], names["target"]) > 0.8
