"""For experiments on data that the experimenter may see: nothing here is private.

The methods of others as estimators of the same shape, to compare ours with, and sweeps as tables.

>>> import dppl, numpy as np
>>> random = np.random.default_rng(0)
>>> y = random.integers(3, size=600)
>>> X = 3 * np.eye(8)[y] + random.normal(size=(600, 8))
>>> for model in (dppl.lab.DPSGD(rho=0.5), dppl.lab.Ridge(), dppl.PrototypeClassifier("mean", rho=0.5, seed=0)):
...     print(bool(model.fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.8))
True
True
True
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _core
from ._baselines import *  # noqa: F403
from ._baselines import __all__ as _baseline_names
from ._progress import shown_progress

if TYPE_CHECKING:
    import pandas

__all__ = [*_baseline_names, "read_results", "sweep"]


def sweep(
    plan: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    verbose: bool = False,
) -> pandas.DataFrame:
    """Runs a plan (docs/sweep.md), writes its table, page and figures to the directory `output`, and returns the table.

    A call that was interrupted goes on where it stopped. Processes that are given the same directory share the runs.
    """
    with shown_progress("sweep", verbose) as progress:
        files = _core.sweep(
            plan=os.fspath(plan),
            directory=os.fspath(output),
            data=os.fspath(data or ""),
            threads=threads or _core.DEFAULT_THREADS,
            runs_only=False,
            progress=progress,
        )
    return read_results(files["results"])


def read_results(path: str | os.PathLike[str]) -> pandas.DataFrame:
    """The table of a sweep: a results.csv, or the directory where it is. One row per run."""
    import pandas

    file = os.path.join(os.fspath(path), "results.csv") if os.path.isdir(path) else os.fspath(path)
    # Empty text is text; an empty number (rho: no privacy; ratio: data as they come) is missing.
    texts = ("data", "encoder", "pool", "method", "kind", "transform", "settings", "status", "error", "trace")
    return pandas.read_csv(file, keep_default_na=False, na_values={"rho": [""], "ratio": [""]}, dtype={name: str for name in texts})
