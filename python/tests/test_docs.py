"""The Python in README.md and docs/python.md runs, block after block, and prints what stands there."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
from typing import Any, NamedTuple

import pytest
from outputs import assert_alike

import dppl

ROOT = pathlib.Path(__file__).resolve().parents[2]
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
BLOCK = re.compile(r"^```python(?: needs=(?P<needs>\S+))?\n(?P<code>.*?)^```\n(?:```text\n(?P<output>.*?)^```\n)?", re.M | re.S)


class Block(NamedTuple):
    line: int
    needs: str | None
    code: str
    output: str | None


def blocks_of(path: pathlib.Path) -> list[Block]:
    text = path.read_text()
    return [Block(text.count("\n", 0, found.start()) + 1, found["needs"], found["code"], found["output"]) for found in BLOCK.finditer(text)]


def run(block: Block, path: pathlib.Path, names: dict[str, Any]) -> str:
    """What the block prints. Lines of errors are those of the document."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile("\n" * block.line + block.code, str(path), "exec"), names)
    return said.getvalue()


@pytest.fixture(autouse=True)
def without_a_screen(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)


needs_fashion = pytest.mark.skipif(not FASHION.exists(), reason="Fashion-MNIST is not there: apt-get install dataset-fashion-mnist")
GUIDE, README = ROOT / "docs" / "python.md", ROOT / "README.md"


@needs_fashion
def test_the_guide_runs(tmp_path: pathlib.Path) -> None:
    names: dict[str, Any] = {}
    blocks = [block for block in blocks_of(GUIDE) if block.needs is None]
    assert len(blocks) > 15
    for block in blocks:
        said = run(block, GUIDE, names)
        if block.output is not None:
            assert_alike(said, block.output)
    # Of the ten lines, which are random, only this can be said.
    assert 0.68 < dppl.PrototypeClassifier.load("fashion.dppl").score(names["test_X"], names["test_y"]) < 0.84
    assert {"budget.png", "fashion.html", "clinic.ledger"} <= set(os.listdir(tmp_path))


@pytest.mark.parametrize("block", [block for block in blocks_of(GUIDE) if block.needs], ids=lambda block: block.needs)
def test_recipes_are_python(block: Block) -> None:
    compile(block.code, str(GUIDE), "exec")
    pytest.skip(f"not run: fetches a model, needs {block.needs}")


@needs_fashion
def test_the_lines_of_the_readme_run() -> None:
    blocks = blocks_of(README)
    assert len(blocks) == 1
    assert blocks[0].code == blocks_of(GUIDE)[0].code  # which the test above measures
    assert len(blocks[0].code.splitlines()) <= 10
