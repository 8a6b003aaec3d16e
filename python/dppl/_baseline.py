from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from . import _core
from ._inputs import LabelsLike, MatrixLike, as_labels, as_matrix, as_numbers


def _unit_rows(X: MatrixLike, name: str) -> npt.NDArray[np.float32]:
    rows = as_matrix(X, name).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise ValueError(f"Input {name} contains NaN or infinity")
    return np.divide(rows, lengths, out=rows, where=lengths > 0)


class Baseline(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A method of others. Rows are scaled to unit length; classes are taken from y, since nothing here is private.

    The lab's baselines train and predict in one go: fit() keeps the rows, predict() trains. The seed makes both repeatable.
    """

    _name: str
    _settings: dict[str, str]
    seed: int
    threads: int | None

    def fit(self, X: MatrixLike, y: LabelsLike) -> Any:
        rows = _unit_rows(X, "X")
        self.classes_ = np.unique(as_labels(y))
        self._labels = as_numbers(y, self.classes_)
        if len(rows) != len(self._labels):
            raise ValueError("one label per row")
        self._train = rows
        self.n_features_in_ = rows.shape[1]
        return self

    def predict(self, X: MatrixLike) -> npt.NDArray[Any]:
        if not hasattr(self, "classes_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")
        test = _unit_rows(X, "X")
        if test.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {test.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        pool = getattr(self, "pool", None)
        predicted, self.rho_spent_ = _core.run_baseline(
            name=self._name,
            train=self._train,
            labels=self._labels,
            classes=len(self.classes_),
            test=test,
            pool=None if pool is None else _unit_rows(pool, "pool"),
            rho=getattr(self, "rho", None),
            settings={setting: float(getattr(self, name)) for name, setting in self._settings.items()},
            seed=self.seed,
            threads=self.threads or _core.DEFAULT_THREADS,
        )
        labels: npt.NDArray[Any] = self.classes_[predicted]
        return labels
