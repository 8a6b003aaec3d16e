"""Pictures: accuracy against budget, prototypes as images, calibration. They need matplotlib.

Each function draws on the axes that it is given, or on new ones, and returns them. Lines, bands and colours mean what
they mean on the pages of `dppl.lab.sweep` and `dppl.report`: a line is the median over runs, its band reaches from the
lower to the upper quartile, dotted is without privacy, and dashed with hollow markers was tuned on test records.

>>> import dppl, numpy as np
>>> import matplotlib; matplotlib.use("Agg")
>>> y = np.arange(300) % 3
>>> X = np.eye(8)[y] + 0.5 * np.random.default_rng(1).normal(size=(300, 8))
>>> fits = [dppl.PrototypeClassifier("mean", rho=rho, classes=3, seed=1).fit(X, y) for rho in (0.01, 0.1, 1)]
>>> measured = [(fit, dppl.evaluate(fit.predict(X), y, classes=3)) for fit in fits]
>>> dppl.plot.budget({"mean": measured}).get_xscale()
'log'
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._inputs import LabelsLike, MatrixLike, as_matrix, as_numbers
from ._inspect import ModelLike, as_model
from ._metrics import evaluate
from ._pool import Pool, PoolLike

try:
    import matplotlib.pyplot as plt
except ImportError:
    raise ImportError("dppl.plot draws with matplotlib, which is not installed: pip install matplotlib, or apt install python3-matplotlib") from None

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

__all__ = ["budget", "calibration", "prototypes"]

# As on the pages: Okabe and Ito's colours, which readers with any colour vision distinguish, and shapes that repeat after
# another number of series.
COLOURS = ("#0072b2", "#d55e00", "#00805d", "#b0518a", "#9a6a00", "#1c1f24", "#3fa3dd", "#868c96", "#5e3c99")
SHAPES = ("o", "s", "^", "D", "v")
SOFT = "#868c96"

# What is measured: in words, and as evaluations and tables of sweeps call it.
METRICS = {
    "accuracy": ("Accuracy", "accuracy"),
    "balanced_accuracy": ("Balanced accuracy", "balanced"),
    "minority_accuracy": ("Minority accuracy", "minority"),
}
BINS = 15  # what evaluate() takes for the calibration error
LEGEND_INSIDE = 6  # lines; the names of more stand beside the picture
NEAREST = 4  # public images that illustrate a mean, as in the report

Measured = Sequence["tuple[ModelLike, Mapping[str, Any]]"]
Results = Union["pandas.DataFrame", str, "os.PathLike[str]", Measured, Mapping[str, Measured]]


class _Series:
    """One line: values by ρ, and the values without privacy."""

    def __init__(self, tuned_on_test: bool = False) -> None:
        self.by_rho: dict[float, list[float]] = {}
        self.without_privacy: list[float] = []
        self.tuned_on_test = tuned_on_test

    def add(self, rho: float | None, value: float) -> None:
        (self.by_rho.setdefault(rho, []) if rho else self.without_privacy).append(value)


def budget(results: Results, *, metric: str = "balanced_accuracy", ax: Axes | None = None) -> Axes:
    """Accuracy against the privacy budget ρ.

    `results` is the table of a sweep (a frame, its results.csv, or the directory), or models with what dppl.evaluate() says of
    them: a list of (model, evaluation), or a dictionary of such lists, one line each. A table may hold one data set at one
    imbalance. `metric` is 'accuracy', 'balanced_accuracy' or 'minority_accuracy'.
    """
    if metric not in METRICS:
        raise ValueError(f"metric: '{metric}' is none of {', '.join(METRICS)}")
    words, column = METRICS[metric]
    if isinstance(results, (str, os.PathLike)):
        from .lab import read_results

        results = read_results(results)
    seeded = False
    if hasattr(results, "columns"):
        series = _series_of_table(results, column)
    else:
        series = _series_of_models(results, metric)
        seeded = any(not as_model(model).guarantee.is_private for _, model, _ in _each_model(results))
    if not any(one.by_rho or one.without_privacy for one in series.values()):
        raise ValueError("results: there is nothing to draw")
    ax = _axes(ax)
    for number, (name, one) in enumerate(series.items()):
        _draw_series(ax, name, one, COLOURS[number % len(COLOURS)], SHAPES[number % len(SHAPES)])
    ax.set_xscale("log")
    ax.set_xlabel("ρ (more private on the left)" + ("\nmade with a fixed seed: NOT PRIVATE" if seeded else ""))
    ax.set_ylabel(words)
    ax.yaxis.set_major_formatter(_percent)
    _finish(ax)
    beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1)} if len(ax.get_legend_handles_labels()[1]) > LEGEND_INSIDE else {}
    ax.legend(frameon=False, fontsize="small", **beside)
    return ax


def prototypes(
    model: ModelLike,
    images: Any,
    *,
    pool: PoolLike | None = None,
    per_class: int | None = None,
    classes: Sequence[Any] | None = None,
    columns: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """What stands for each class, as public images.

    `images[i]` is the image of row i of the pool: an array of images × height × width, or × 3 channels. For models of public
    rows these are the prototypes themselves. Noisy means are no images: with `pool` (the embeddings) the public images
    nearest to them are shown, and the title says so. `per_class` limits how many are shown for each class, `classes`
    chooses classes, and `columns` is how many stand side by side where there is one per class.
    """
    held = as_model(model)
    names = _class_labels(model)
    chosen = range(len(names)) if classes is None else as_numbers(classes, names, "classes").tolist()
    rows = held.pool_indices
    title = "The prototypes: public images"
    if rows is None:
        if pool is None:
            raise ValueError("pool: models of noisy means have no images of their own; with the pool's embeddings the nearest public images are shown")
        rows = _nearest_rows(held, pool, per_class or NEAREST)
        title = "Public images nearest to the prototypes"
    rows = rows[:, :per_class]
    if len(images) <= int(rows.max()):
        raise ValueError(f"images: one per row of the pool; there are {len(images)}, but row {int(rows.max())} is a prototype")
    wrapped = rows.shape[1] == 1
    across = min(columns, len(chosen)) if wrapped else rows.shape[1]
    down = -(-len(chosen) // across) if wrapped else len(chosen)
    ax = _axes(ax, (1.1 * across + (0 if wrapped else 1), (1.3 if wrapped else 1.1) * down + 0.4))
    for place, number in enumerate(chosen):
        for k, row in enumerate(rows[number]):
            left, top = (place % across, 1.25 * (place // across)) if wrapped else (1.05 * k, 1.05 * place)
            _draw_image(ax, images[int(row)], left, top)
            if wrapped:
                ax.text(left + 0.47, top - 0.04, names[number], ha="center", va="bottom", fontsize="small")
    height = (1.25 if wrapped else 1.05) * down
    ax.set_xlim(-0.03, (across if wrapped else 1.05 * across) + 0.03)
    ax.set_ylim(height - 0.25 if wrapped else height, -0.25 if wrapped else -0.05)
    ax.set_aspect("equal")
    ax.set_xticks([])
    if wrapped:
        ax.set_yticks([])
    else:
        ax.set_yticks([1.05 * place + 0.47 for place in range(down)], [str(names[number]) for number in chosen])
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_title(title, fontsize="medium", loc="left")
    return ax


def calibration(
    probabilities: npt.ArrayLike,
    truth: LabelsLike,
    *,
    classes: Sequence[Any] | None = None,
    label: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Is the model right as often as it is sure? A point on the diagonal is; below it, the model is too sure.

    `probabilities` are predict_proba()'s, `truth` the labels, and `classes` the model's classes_ (0, 1, … unless given).
    Records are put into 15 bins by the probability of the predicted class; the area of a point shows how many are in its bin.
    The calibration error in the legend is that of dppl.evaluate(). Another call with the same axes adds another model.
    """
    values = np.asarray(probabilities, dtype=np.float32)
    if values.ndim != 2:
        raise ValueError("probabilities: one row per record, one column per class")
    labels = np.arange(values.shape[1]) if classes is None else np.asarray(classes)
    if len(labels) != values.shape[1]:
        raise ValueError(f"classes: {len(labels)} for {values.shape[1]} columns of probabilities")
    right = as_numbers(truth, labels, "truth")
    if len(right) != len(values):
        raise ValueError("truth: one label per row of probabilities")
    predicted = values.argmax(axis=1)
    certainties = values.max(axis=1)
    result = evaluate(predicted, right, classes=len(labels), certainties=certainties)
    ax = _axes(ax, (4.6, 4.4))
    if not any(line.get_gid() == "dppl-diagonal" for line in ax.lines):
        ax.plot([0, 1], [0, 1], color=SOFT, linestyle=":", linewidth=1, gid="dppl-diagonal", zorder=1)
    number = len([line for line in ax.lines if line.get_gid() == "dppl-calibration"])
    colour = COLOURS[number % len(COLOURS)]
    sure, correct, share = _in_bins(certainties, predicted == right)
    error = result["expected_calibration_error"]
    name = f"{label}: " if label else ""
    shape = SHAPES[number % len(SHAPES)]
    ax.plot(sure, correct, color=colour, marker=shape, markersize=4, linewidth=1.5, gid="dppl-calibration", label=f"{name}calibration error {error:.1%}")
    ax.scatter(sure, correct, s=400 * share, marker=shape, color=colour, alpha=0.5, linewidths=0, zorder=3)
    ax.set_xlim(0, 1.02)
    ax.set_ylim(0, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel("How sure the model is")
    ax.set_ylabel("How often it is right")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(_percent)
    _finish(ax)
    ax.legend(frameon=False, fontsize="small", loc="upper left")
    return ax


# ---- What is drawn


def _series_of_table(table: Any, column: str) -> dict[str, _Series]:
    done = table[table["status"] == "ok"]
    for place in ("data", "encoder", "pool", "pool_rows", "ratio"):
        several = [value for value in done[place].unique() if place not in ("pool", "pool_rows") or value]
        if len(several) > 1:
            raise ValueError(f"results: several values of '{place}' would stand in one picture: {', '.join(map(str, several))}; choose one, as in results[results['{place}'] == ...]")
    series: dict[str, _Series] = {}
    for method, tuned, rho, value in zip(done["method"], done["tuned_on_test"], done["rho"], done[column]):
        series.setdefault(method, _Series(bool(tuned))).add(None if np.isnan(rho) else float(rho), float(value))
    return series


def _each_model(results: Any) -> Iterator[tuple[str, ModelLike, Mapping[str, Any]]]:
    groups = results.items() if isinstance(results, Mapping) else [("", results)]
    for name, pairs in groups:
        for model, evaluation in pairs:
            yield name or as_model(model).method, model, evaluation


def _series_of_models(results: Any, metric: str) -> dict[str, _Series]:
    series: dict[str, _Series] = {}
    for name, model, evaluation in _each_model(results):
        if evaluation.get(metric) is None:
            raise ValueError(f"results: an evaluation has no {metric}; dppl.evaluate() has it with training_labels=")
        series.setdefault(name, _Series()).add(as_model(model).guarantee.rho, float(evaluation[metric]))
    return series


def _draw_series(ax: Axes, name: str, series: _Series, colour: str, shape: str) -> None:
    if series.without_privacy:
        ax.axhline(float(np.median(series.without_privacy)), color=colour, linestyle=":", linewidth=1.5, label=f"{name} (no privacy)")
    if not series.by_rho:
        return
    places = sorted(series.by_rho)
    low, middle, high = (np.array([np.quantile(series.by_rho[rho], part) for rho in places]) for part in (0.25, 0.5, 0.75))
    if any(len(values) > 1 for values in series.by_rho.values()):
        ax.fill_between(places, low, high, color=colour, alpha=0.18, linewidth=0)
    ax.plot(
        places,
        middle,
        color=colour,
        marker=shape,
        markersize=5,
        linewidth=1.5,
        linestyle="--" if series.tuned_on_test else "-",
        markerfacecolor="none" if series.tuned_on_test else colour,
        label=f"{name} (tuned on test records)" if series.tuned_on_test else name,
    )


def _class_labels(model: ModelLike) -> npt.NDArray[Any]:
    own = getattr(model, "classes_", None)
    if own is not None:
        return np.asarray(own)
    held = as_model(model)
    return np.arange(held.n_classes) if held.class_names is None else np.asarray(held.class_names)


def _nearest_rows(model: _core.Model, pool: PoolLike, count: int) -> npt.NDArray[np.int64]:
    """Per class the rows that the model finds most like it, nearest first."""
    rows = as_matrix(pool._source if isinstance(pool, Pool) else pool, "pool")
    scores = model.score(rows, False, _core.DEFAULT_THREADS)
    return np.argsort(-scores, axis=0, kind="stable")[:count].T


def _draw_image(ax: Axes, image: Any, left: float, top: float) -> None:
    pixels = np.asarray(image)
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.ndim not in (2, 3) or pixels.ndim == 3 and pixels.shape[2] not in (3, 4):
        raise ValueError(f"images: each of height × width, or × 3 channels, but one has the shape {pixels.shape}")
    # The longer side fills the square.
    height, width = (side / max(pixels.shape[:2]) for side in pixels.shape[:2])
    whole = 255 if pixels.dtype == np.uint8 else None
    ax.imshow(
        pixels,
        extent=(left, left + 0.94 * width, top + 0.94 * height, top),
        cmap="gray",
        vmin=0 if whole else None,
        vmax=whole,
        interpolation="nearest" if max(pixels.shape[:2]) <= 64 else "antialiased",
    )


def _in_bins(certainties: npt.NDArray[Any], right: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Mean certainty, accuracy and share of the records of each bin that has any; a bin's upper end belongs to it."""
    bins = np.clip(np.ceil(certainties * BINS).astype(int) - 1, 0, BINS - 1)
    counts = np.bincount(bins, minlength=BINS)
    filled = counts > 0
    sure = np.bincount(bins, weights=certainties, minlength=BINS)[filled] / counts[filled]
    correct = np.bincount(bins, weights=right, minlength=BINS)[filled] / counts[filled]
    return sure, correct, counts[filled] / len(certainties)


def _percent(value: float, place: int | None = None) -> str:
    return f"{100 * value:.4g}%"


def _axes(ax: Axes | None, size: tuple[float, float] = (6.4, 4.2)) -> Axes:
    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def _finish(ax: Axes) -> None:
    ax.grid(True, color="#dfdcd6", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
