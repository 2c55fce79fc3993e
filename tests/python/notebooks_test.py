# SPDX-License-Identifier: Apache-2.0
"""docs/notebooks: every cell runs, one after the other; the committed notebooks have no output."""
import json
import pathlib

import pytest

pytest.importorskip("sklearn")
NOTEBOOKS = sorted((pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, cell in enumerate(json.loads(path.read_text())["cells"]):
        assert cell["cell_type"] in ("markdown", "code")
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
