"""The page about models: the command line's, byte for byte."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import dppl

NAMES = np.array(["cat", "dog", "owl"])


@pytest.fixture
def models(task: Any, tmp_path: pathlib.Path) -> list[str]:
    dppl.Ledger.create(tmp_path / "l.ledger", "pets", rho=5)
    paths = []
    for method, rho in (("mean", 0.1), ("mean", 1), ("public", 0.5)):
        model = dppl.PrototypeClassifier(method, rho=rho, classes=NAMES, pool=task.pool, ledger=tmp_path / "l.ledger", dataset="pets")
        paths.append(str(tmp_path / f"{method}-{rho}.dppl"))
        model.fit(task.X, NAMES[task.y]).save(paths[-1])
    return paths


def images(program: Any, task: Any) -> str:
    return str(program.file("images", (np.arange((len(task.pool) + 7) * 64) % 255).astype(np.uint8).reshape(-1, 8, 8)))


def test_the_same_page_as_the_command_line(models: list[str], task: Any, program: Any) -> None:
    ledger, pictures = str(program.directory / "l.ledger"), images(program, task)
    pool = program.file("pool", task.pool)
    by_program, by_module = str(program.directory / "a.html"), str(program.directory / "b.html")
    labelled = [f"ours={models[0]}", f"ours={models[1]}", f"chosen={models[2]}"]
    end = len(task.pool) + 7
    program("report", *labelled, "-o", by_program, "--title", "Pets <3", "--images", pictures, "--image-rows", f"7:{end}", "--pool", pool,
            "--in", program.file("x", task.test_X), "--labels", program.file("y", task.test_y), "--train-labels", program.file("t", task.y),
            "--ledger", ledger, "--dataset", "pets")
    written = dppl.report({"ours": models[:2], "chosen": models[2]}, by_module, title="Pets <3", images=pictures, image_rows=(7, end), pool=task.pool,
                          test=(task.test_X, NAMES[task.test_y]), training_labels=NAMES[task.y], ledger=dppl.Ledger(ledger), dataset="pets")
    assert written == by_module
    page = pathlib.Path(by_module).read_text()
    assert page == pathlib.Path(by_program).read_text()
    assert "Accuracy against privacy" in page and "NOT PRIVATE" not in page


def test_one_model_in_memory(task: Any, tmp_path: pathlib.Path) -> None:
    model = dppl.PrototypeClassifier("mean", rho=0.1, classes=[30, 20, 10], seed=1).fit(task.X, np.array([30, 20, 10])[task.y])
    page = pathlib.Path(dppl.report(model, tmp_path / "p.html", test=(task.test_X, np.array([30, 20, 10])[task.test_y]))).read_text()
    assert "<title>mean, ρ = 0.1" in page and "NOT PRIVATE" in page
    accuracy = model.score(task.test_X, np.array([30, 20, 10])[task.test_y])
    assert f"{100 * accuracy:.1f}" in page


def test_what_does_not_fit_is_refused_and_writes_nothing(models: list[str], task: Any, program: Any) -> None:
    page = program.directory / "p.html"
    pictures = images(program, task)

    def refused(words: str, *given: Any, **more: Any) -> None:
        with pytest.raises((ValueError, TypeError), match=words):
            dppl.report(*(given or (models,)), page, **more)
        assert not page.exists()

    refused("at least one", [])
    refused("dppl.Model", [3])
    refused("goes with dataset", ledger=program.directory / "l.ledger")
    refused("go with images", pool=task.pool)
    refused("goes with test", training_labels=task.y)
    refused("first < end", images=pictures, image_rows=(5, 5))
    refused("images|pool", images=pictures, image_rows=(0, 10))
    refused("pool", images=pictures, image_rows=(0, len(task.pool)), pool=task.pool[::-1])
    refused("not among the declared classes", test=(task.test_X, np.array(["cat", "dog", "fox"])[task.test_y]))
    refused("birds", ledger=program.directory / "l.ledger", dataset="birds")
    with pytest.raises(OSError, match="missing.dppl"):
        dppl.report("missing.dppl", page)
