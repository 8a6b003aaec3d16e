"""Differentially private prototype learning.

A small, sensitive, imbalanced, labelled data set and a publicly pre-trained encoder become a classifier that may be
published, with a privacy guarantee that holds to the bit.

>>> import dppl, numpy as np
>>> rows = np.random.default_rng(1)
>>> X, y = rows.normal(size=(600, 8)) + np.repeat(np.eye(8)[:3] * 4, 200, axis=0), np.repeat([0, 1, 2], 200)
>>> model = dppl.PrototypeClassifier("mean", rho=0.1, classes=3, seed=1).fit(X, y)  # without seed= it is private
>>> bool(model.score(X, y) > 0.9)
True
>>> model.guarantee_.is_private
False
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._core import BudgetExceeded, Guarantee, Model, __version__
from ._account import account
from ._errors import CopyWarning, NoLedgerWarning, show_private_errors
from ._ledger import Ledger

if TYPE_CHECKING:
    from . import lab, plot
    from ._audit import audit
    from ._embed import embed
    from ._estimator import PrototypeClassifier
    from ._inspect import describe, inspect
    from ._metrics import evaluate, long_tail
    from ._pool import Pool
    from ._report import report

__all__ = [
    "BudgetExceeded",
    "CopyWarning",
    "Guarantee",
    "Ledger",
    "Model",
    "NoLedgerWarning",
    "Pool",
    "PrototypeClassifier",
    "__version__",
    "account",
    "audit",
    "describe",
    "embed",
    "evaluate",
    "inspect",
    "lab",
    "long_tail",
    "plot",
    "report",
    "show_private_errors",
]

# Loaded at the first use: scikit-learn alone takes a second.
_LATER = {
    "Pool": "_pool",
    "PrototypeClassifier": "_estimator",
    "audit": "_audit",
    "describe": "_inspect",
    "embed": "_embed",
    "evaluate": "_metrics",
    "inspect": "_inspect",
    "long_tail": "_metrics",
    "report": "_report",
}


def __getattr__(name: str) -> Any:
    if name in ("lab", "plot"):
        return importlib.import_module(f".{name}", __name__)
    if name not in _LATER:
        raise AttributeError(f"module 'dppl' has no attribute '{name}'")
    value = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
