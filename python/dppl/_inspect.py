from __future__ import annotations

import os
from typing import Any, Union

from . import _core

ModelLike = Union[_core.Model, str, "os.PathLike[str]", Any]


def as_model(model: ModelLike) -> _core.Model:
    """A model, a fitted estimator, or the path of a model file."""
    if isinstance(model, (str, os.PathLike)):
        return _core.Model.load(os.fspath(model))
    held = getattr(model, "model_", model)
    if not isinstance(held, _core.Model):
        raise TypeError("give a dppl.Model, a fitted dppl.PrototypeClassifier, or the path of a model file")
    return held


def inspect(model: ModelLike) -> dict[str, Any]:
    """What a model is, what it guarantees and how it was made: the object of `dppl inspect --json`."""
    result: dict[str, Any] = as_model(model).inspect()
    return result


def describe(model: ModelLike) -> str:
    """The same in words, for a privacy officer."""
    return as_model(model).describe()
