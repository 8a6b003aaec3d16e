"""The notebook runs from top to bottom, and says and draws what is stored in it."""

from __future__ import annotations

import copy
import pathlib
from typing import Any

import pytest
from outputs import assert_alike

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.ipynb"
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")


def text_of(cell: Any) -> str:
    return "".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs if not pictures_in(output))


def pictures_in(output: Any) -> int:
    return int("image/png" in output.get("data", {}))


@pytest.mark.skipif(not FASHION.exists(), reason="Fashion-MNIST is not there: apt-get install dataset-fashion-mnist")
def test_the_notebook_runs() -> None:
    stored = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(stored)
    run = copy.deepcopy(stored)
    # This interpreter, with the module that is tested: the kernel inherits PYTHONPATH.
    nbclient.NotebookClient(run, timeout=200, kernel_name="python3").execute()
    pictures = 0
    for before, now in zip(stored.cells, run.cells):
        if now.cell_type == "code":
            assert_alike(text_of(now), text_of(before))
            assert not any(output.get("name") == "stderr" for output in now.outputs), text_of(now)
            assert sum(map(pictures_in, now.outputs)) == sum(map(pictures_in, before.outputs))
            pictures += sum(map(pictures_in, now.outputs))
    assert pictures == 3
