from __future__ import annotations

import contextlib
import sys
from typing import Callable, Iterator


@contextlib.contextmanager
def shown_progress(what: str, verbose: bool) -> Iterator[Callable[[float], None] | None]:
    """A function that takes the fraction done: tqdm's bar where it is installed, else a line on standard error."""
    if not verbose:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        def write(fraction: float) -> None:
            sys.stderr.write(f"\r{what}: {fraction:4.0%}")

        yield write
        sys.stderr.write("\n")
        return
    with tqdm(total=1.0, desc=what, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}") as bar:
        def advance(fraction: float) -> None:
            bar.update(fraction - bar.n)

        yield advance
        advance(1.0)
