from __future__ import annotations

import os
from typing import Any, Iterator, Mapping, Sequence, Union

import numpy as np

from . import _core
from ._inputs import LabelsLike, MatrixLike, as_matrix, as_numbers
from ._inspect import ModelLike, as_model
from ._ledger import Ledger
from ._pool import PoolLike, as_pool

ModelsLike = Union[ModelLike, Sequence[ModelLike], Mapping[str, Union[ModelLike, Sequence[ModelLike]]]]


def report(
    models: ModelsLike,
    output: str | os.PathLike[str],
    *,
    title: str | None = None,
    test: tuple[MatrixLike, LabelsLike] | None = None,
    training_labels: LabelsLike | None = None,
    images: str | os.PathLike[str] | None = None,
    image_rows: tuple[int, int] | None = None,
    pool: PoolLike | None = None,
    ledger: str | os.PathLike[str] | Ledger | None = None,
    dataset: str | None = None,
    threads: int | None = None,
) -> str:
    """Writes one HTML page about models, for the people who decide whether to publish them, and returns its path.

    `models` is a model (fitted, loaded, or the path of its file), a list of models, or a dictionary: what stands under one
    name, a model or a list, is one line of the plots. `test`, rows and labels, adds accuracies, and `training_labels` that
    of the smallest classes; `images`, the path of what the pool was embedded from, adds what stands for each class
    (`image_rows`: the first and the end of the part that is the pool), for models of noisy means with `pool`; `ledger` and
    `dataset` add what was spent. The page loads nothing from elsewhere. Accuracies are not private.

    >>> import dppl, numpy as np, os, tempfile
    >>> y = np.arange(300) % 3
    >>> X = np.eye(8)[y] + 0.1
    >>> fits = [dppl.PrototypeClassifier("mean", rho=rho, classes=3, seed=1).fit(X, y) for rho in (0.1, 1)]
    >>> page = dppl.report({"mean": fits}, os.path.join(tempfile.mkdtemp(), "page.html"), test=(X, y))
    >>> "Accuracy against privacy" in open(page).read()
    True
    """
    used = threads or _core.DEFAULT_THREADS
    if (ledger is None) != (dataset is None):
        raise ValueError("ledger= goes with dataset=")
    if images is None and (image_rows is not None or pool is not None):
        raise ValueError("image_rows= and pool= go with images=")
    if test is None and training_labels is not None:
        raise ValueError("training_labels= goes with test=")
    named = [(name, series, as_model(model), classes) for name, series, model, classes in _named(models)]
    if not named:
        raise ValueError("models: give at least one")
    path = os.fspath(output)
    _core.write_report(
        models=[
            (model, name, series, None if test is None else _predictions(model, classes, *test, training_labels, used))
            for name, series, model, classes in named
        ],
        path=path,
        title=title if title is not None else named[0][0] if len(named) == 1 else "Models for release",
        images=os.fspath(images or ""),
        image_rows=image_rows,
        pool=as_pool(pool, used),
        account=None if ledger is None or dataset is None else (ledger.path if isinstance(ledger, Ledger) else os.fspath(ledger), dataset),
        threads=used,
    )
    return path


def _named(models: ModelsLike) -> Iterator[tuple[str, str, ModelLike, Any]]:
    """Per model its name, the line of the plots, the model, and the labels of its classes."""
    groups = models.items() if isinstance(models, Mapping) else [("", models)]
    for series, group in groups:
        for model in group if isinstance(group, (list, tuple)) else [group]:
            yield _name(model, series), series, model, getattr(model, "classes_", None)


def _name(model: ModelLike, series: str) -> str:
    if isinstance(model, (str, os.PathLike)):
        return os.path.splitext(os.path.basename(os.fspath(model)))[0]
    held = as_model(model)
    rho = held.guarantee.rho
    return (series or held.method) + ("" if rho is None else f", ρ = {rho:.4g}")


def _predictions(model: _core.Model, classes: Any, X: MatrixLike, y: LabelsLike, training_labels: LabelsLike | None, threads: int) -> Any:
    if classes is None:
        classes = np.arange(model.n_classes) if model.class_names is None else np.asarray(model.class_names)
    rows = as_matrix(X)
    predicted = model.predict(rows, threads).astype(np.int64)
    probabilities = model.score(rows, True, threads)
    return (
        predicted,
        as_numbers(y, classes),
        np.take_along_axis(probabilities, predicted[:, None], axis=1).ravel(),
        None if training_labels is None else as_numbers(training_labels, classes, "training_labels"),
    )
