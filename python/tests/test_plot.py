"""Pictures, without a screen: what was drawn is asked of the axes."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas

import dppl

NAMES = np.array(["cat", "dog", "owl"])


@pytest.fixture(autouse=True)
def closed() -> Any:
    yield
    plt.close("all")


def fitted(task: Any, method: str, rho: float, **more: Any) -> Any:
    return dppl.PrototypeClassifier(method, rho=rho, classes=NAMES, pool=task.pool, seed=1, **more).fit(task.X, NAMES[task.y])


def measured(task: Any, method: str, rhos: Any = (0.001, 0.01, 1)) -> Any:
    truth = NAMES[task.test_y]
    models = [fitted(task, method, rho) for rho in rhos]
    return [(model, dppl.evaluate(model.predict(task.test_X), truth, classes=NAMES)) for model in models]


def lines(ax: Any) -> dict[str, Any]:
    return {line.get_label(): line for line in ax.lines}


def drawn(ax: Any) -> None:
    ax.figure.canvas.draw()  # fails for what cannot be drawn


# ---- Accuracy against budget


def table() -> pandas.DataFrame:
    runs = []
    for method, rho, values in (("auto", 0.01, [0.5, 0.7, 0.6]), ("auto", 1.0, [0.9, 0.8, 0.85]), ("DP-SGD", 1.0, [0.4]), ("ridge", np.nan, [0.95])):
        for value in values:
            runs.append(dict(data="d", encoder="e", pool="" if method == "ridge" else "p", pool_rows=0 if method == "ridge" else 100, method=method, ratio=1.0, rho=rho,
                             tuned_on_test=method == "DP-SGD", status="ok", accuracy=value, balanced=value - 0.1, minority=value - 0.2))
    return pandas.DataFrame(runs)


def test_budget_of_a_table(tmp_path: pathlib.Path) -> None:
    ax = dppl.plot.budget(table())
    drawn(ax)
    found = lines(ax)
    assert list(found) == ["auto", "DP-SGD (tuned on test records)", "ridge (no privacy)"]
    np.testing.assert_allclose(found["auto"].get_xydata(), [[0.01, 0.5], [1, 0.75]])  # medians of balanced accuracy
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(0.45) and band[:, 1].max() == pytest.approx(0.775)  # quartiles
    assert found["DP-SGD (tuned on test records)"].get_linestyle() == "--"
    assert found["ridge (no privacy)"].get_linestyle() == ":"
    assert ax.get_xscale() == "log"
    assert len({line.get_color() for line in ax.lines}) == 3
    assert lines(dppl.plot.budget(table(), metric="minority_accuracy"))["auto"].get_ydata()[0] == pytest.approx(0.4)


def test_budget_leaves_out_failed_runs_and_reads_the_file_of_a_sweep(tmp_path: pathlib.Path) -> None:
    runs = table()
    runs.loc[runs["method"] == "DP-SGD", "status"] = "failed"
    for column in ("kind", "transform", "settings", "error", "trace"):
        runs[column] = ""
    runs.to_csv(tmp_path / "results.csv", index=False)
    assert list(lines(dppl.plot.budget(tmp_path))) == ["auto", "ridge (no privacy)"]


def test_budget_draws_one_place_at_a_time() -> None:
    runs = table()
    runs.loc[0, "ratio"] = 100
    with pytest.raises(ValueError, match=r"several values of 'ratio'.*results\['ratio'\]"):
        dppl.plot.budget(runs)
    dppl.plot.budget(runs[runs["ratio"] == 1])
    with pytest.raises(ValueError, match="nothing to draw"):
        dppl.plot.budget(runs[runs["ratio"] == 7])
    with pytest.raises(ValueError, match="metric"):
        dppl.plot.budget(runs, metric="f1")


def test_budget_of_models(task: Any, tmp_path: pathlib.Path) -> None:
    results = measured(task, "mean")
    figure, given = plt.subplots()
    ax = dppl.plot.budget({"ours": results, "public": measured(task, "public", (0.01,))}, ax=given)
    assert ax is given
    drawn(ax)
    line = lines(ax)["ours"]
    assert line.get_xdata().tolist() == [0.001, 0.01, 1]
    assert line.get_ydata().tolist() == [evaluation["balanced_accuracy"] for _, evaluation in results]
    assert "NOT PRIVATE" in ax.get_xlabel()
    path = str(tmp_path / "m.dppl")
    results[0][0].save(path)
    assert list(lines(dppl.plot.budget([(path, results[0][1])]))) == ["mean"]
    with pytest.raises(ValueError, match="training_labels"):
        dppl.plot.budget(results, metric="minority_accuracy")


def test_budget_does_not_cry_seed_for_private_models(task: Any) -> None:
    with pytest.warns(dppl.NoLedgerWarning):
        model = dppl.PrototypeClassifier("mean", rho=1, classes=3).fit(task.X, task.y)
    ax = dppl.plot.budget([(model, dppl.evaluate(model.predict(task.test_X), task.test_y, classes=3))])
    assert "NOT PRIVATE" not in ax.get_xlabel()


def test_many_lines_have_their_names_beside_the_picture() -> None:
    runs = pandas.concat([table().assign(method=f"method {i}") for i in range(8)])
    ax = dppl.plot.budget(runs)
    drawn(ax)
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1


# ---- Prototypes


def images_of(task: Any) -> Any:
    return (np.arange(len(task.pool) * 12) % 251).astype(np.uint8).reshape(len(task.pool), 3, 4)


def test_prototypes_of_public_rows_are_these_images(task: Any) -> None:
    images = images_of(task)
    model = fitted(task, "public", 0.5)
    ax = dppl.plot.prototypes(model, images)
    drawn(ax)
    assert [text.get_text() for text in ax.texts] == NAMES.tolist()
    for image, row in zip(ax.images, model.prototype_rows_[:, 0]):
        np.testing.assert_array_equal(image.get_array(), images[row])
        left, right, bottom, top = image.get_extent()
        assert (right - left) / (bottom - top) == pytest.approx(4 / 3)
    ax = dppl.plot.prototypes(model, np.repeat(images[..., None], 3, axis=3), classes=["owl"])
    assert len(ax.images) == 1 and ax.images[0].get_array().shape == (3, 4, 3)
    with pytest.raises(ValueError, match="one per row of the pool"):
        dppl.plot.prototypes(model, images[:1])


def test_several_prototypes_per_class_stand_in_rows(task: Any, tmp_path: pathlib.Path) -> None:
    model = fitted(task, "public-k", 0.5, k=4)
    ax = dppl.plot.prototypes(model, images_of(task), per_class=3)
    drawn(ax)
    assert len(ax.images) == 9
    assert [label.get_text() for label in ax.get_yticklabels()] == NAMES.tolist()
    tops = [image.get_extent()[3] for image in ax.images]
    assert tops == sorted(tops) and len(set(tops)) == 3
    path = str(tmp_path / "m.dppl")
    model.save(path)
    assert len(dppl.plot.prototypes(path, images_of(task)).images) == 12


def test_means_are_illustrated_by_the_nearest_public_images(task: Any) -> None:
    images = images_of(task)
    model = fitted(task, "mean", 5)
    with pytest.raises(ValueError, match="nearest public images"):
        dppl.plot.prototypes(model, images)
    ax = dppl.plot.prototypes(model, images, pool=dppl.Pool(task.pool), per_class=2)
    drawn(ax)
    assert "nearest" in ax.get_title(loc="left")
    scores = model.decision_function(task.pool)
    for c in range(3):
        for k, row in enumerate(np.argsort(-scores[:, c], kind="stable")[:2]):
            np.testing.assert_array_equal(ax.images[2 * c + k].get_array(), images[row])


# ---- Calibration


def test_calibration_is_that_of_evaluate(task: Any) -> None:
    model = fitted(task, "mean", 0.02)
    probabilities = model.predict_proba(task.test_X)
    truth = NAMES[task.test_y]
    error = dppl.evaluate(model.predict(task.test_X), truth, classes=NAMES, certainties=probabilities.max(axis=1))["expected_calibration_error"]
    ax = dppl.plot.calibration(probabilities, truth, classes=model.classes_, label="mean")
    drawn(ax)
    assert f"mean: calibration error {error:.1%}" in lines(ax)
    sure, right = lines(ax)[f"mean: calibration error {error:.1%}"].get_xydata().T
    share = ax.collections[0].get_sizes() / 400
    assert share.sum() == pytest.approx(1)
    assert (share * np.abs(sure - right)).sum() == pytest.approx(error, abs=1e-6)  # the picture and the number are the same bins
    dppl.plot.calibration(probabilities, truth, classes=model.classes_, label="again", ax=ax)
    assert len(ax.lines) == 3 and ax.lines[1].get_color() != ax.lines[2].get_color()  # one diagonal


def test_calibration_refuses_what_does_not_fit(task: Any) -> None:
    probabilities = np.full((4, 3), 1 / 3)
    with pytest.raises(ValueError, match="classes"):
        dppl.plot.calibration(probabilities, [0, 1, 2, 0], classes=["a", "b"])
    with pytest.raises(ValueError, match="one label per row"):
        dppl.plot.calibration(probabilities, [0, 1])
    with pytest.raises(ValueError, match="one row per record"):
        dppl.plot.calibration(probabilities[0], [0])


def test_without_matplotlib_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['matplotlib'] = None\nimport dppl\ntry:\n    dppl.plot.budget\nexcept ImportError as error:\n    print(error)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install matplotlib" in said
