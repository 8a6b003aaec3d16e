from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from . import _core
from ._inputs import LabelsLike, MatrixLike, as_labels, as_matrix, as_numbers
from ._pool import Pool


def _unit_rows(X: MatrixLike, name: str) -> npt.NDArray[np.float32]:
    rows = as_matrix(X, name).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise ValueError(f"Input {name} contains NaN or infinity")
    return np.divide(rows, lengths, out=rows, where=lengths > 0)


class Baseline(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A method of others. Rows are scaled to unit length; classes are taken from y, since nothing here is private.

    After fit(), `rho_spent_` is what a release like this would cost under zCDP, and `trace_` what there is to see of the training.
    """

    _name: str
    # By parameter, the name of the setting.
    _settings: dict[str, str]
    seed: int
    threads: int | None

    def fit(self, X: MatrixLike, y: LabelsLike) -> Any:
        rows = _unit_rows(X, "X")
        classes = np.unique(as_labels(y))
        labels = as_numbers(y, classes)
        if len(rows) != len(labels):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(rows), len(labels)]}")
        pool = getattr(self, "pool", None)
        self._trained, self.rho_spent_, self.trace_ = _core.train_baseline(
            name=self._name,
            rows=rows,
            labels=labels,
            classes=len(classes),
            pool=None if pool is None else _unit_rows(pool._source if isinstance(pool, Pool) else pool, "pool"),
            rho=getattr(self, "rho", None),
            settings={setting: float(getattr(self, name)) for name, setting in self._settings.items()},
            seed=self.seed,
            threads=self.threads or _core.DEFAULT_THREADS,
        )
        self.classes_ = classes
        self.n_features_in_ = rows.shape[1]
        return self

    def predict(self, X: MatrixLike) -> npt.NDArray[Any]:
        if not hasattr(self, "classes_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")
        rows = _unit_rows(X, "X")
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        labels: npt.NDArray[Any] = self.classes_[self._trained.predict(rows, self.threads or _core.DEFAULT_THREADS)]
        return labels
