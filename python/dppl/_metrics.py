from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from . import _core
from ._inputs import LabelsLike, as_labels, as_numbers


def _class_array(classes: int | Sequence[Any]) -> npt.NDArray[Any]:
    return np.arange(classes) if isinstance(classes, (int, np.integer)) else np.asarray(classes)


def _class_set(classes: int | Sequence[Any]) -> int | list[str]:
    return int(classes) if isinstance(classes, (int, np.integer)) else [str(name) for name in classes]


def evaluate(
    predicted: LabelsLike,
    truth: LabelsLike,
    *,
    classes: int | Sequence[Any],
    training_labels: LabelsLike | None = None,
    certainties: npt.ArrayLike | None = None,
    confusion: bool = False,
) -> dict[str, Any]:
    """Accuracy, balanced accuracy, and accuracy on the smallest quarter of the training classes, as `dppl eval --json` has them.

    With `certainties` (the probability of each predicted class) also the calibration error, and the accuracy when the
    least certain records are left to a person. Nothing here is private.

    >>> import dppl
    >>> result = dppl.evaluate([0, 1, 1, 1], [0, 0, 1, 1], classes=2)
    >>> result["accuracy"], result["balanced_accuracy"]
    (0.75, 0.75)
    """
    labels = _class_array(classes)
    predictions = (
        as_numbers(predicted, labels, "predicted"),
        as_numbers(truth, labels, "truth"),
        None if certainties is None else np.ascontiguousarray(certainties, dtype=np.float32),
        None if training_labels is None else as_numbers(training_labels, labels, "training_labels"),
    )
    return _core.evaluate(predictions, _class_set(classes), confusion)


def long_tail(labels: LabelsLike, *, ratio: float, classes: int | Sequence[Any] | None = None, seed: int = 0) -> npt.NDArray[np.int64]:
    """Rows of a long-tailed subset for experiments: the largest class has `ratio` times the records of the smallest.

    >>> import dppl, numpy as np
    >>> rows = dppl.long_tail(np.repeat([0, 1, 2], 100), ratio=10, seed=1)
    >>> sorted(np.bincount(np.repeat([0, 1, 2], 100)[rows]).tolist())
    [10, 32, 100]
    """
    declared = np.unique(as_labels(labels)) if classes is None else classes
    numbers = as_numbers(labels, _class_array(declared), "labels")
    return _core.long_tail_rows(numbers, len(_class_array(declared)), ratio, seed)
