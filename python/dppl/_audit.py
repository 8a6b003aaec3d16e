from __future__ import annotations

from typing import Any

from . import _core


def audit(
    mechanism: str | None = None,
    *,
    trials: int = 200_000,
    end_to_end: bool = False,
    fits: int = 40_000,
    planted: bool = False,
    confidence: float = 0.9999,
    threads: int | None = None,
) -> list[dict[str, Any]]:
    """Runs mechanisms, or whole fits, on neighbouring data sets, and bounds from below how well they can be distinguished.

    A lower bound above its claim refutes it. `planted` adds what is broken on purpose and must be found.

    >>> import dppl
    >>> row = dppl.audit("exponential", trials=20_000)[0]
    >>> row["refuted"], row["lower_bound"] < row["claim"]
    (False, True)
    """
    return _core.audit(
        mechanism=mechanism or "",
        trials=trials,
        fits=fits,
        confidence=confidence,
        planted=planted,
        end_to_end=end_to_end,
        threads=threads or _core.DEFAULT_THREADS,
    )
