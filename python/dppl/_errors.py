from __future__ import annotations

import contextlib
from typing import Iterator

from . import _core


class CopyWarning(UserWarning):
    """A large array was copied, because the library cannot read it where it is."""


class NoLedgerWarning(UserWarning):
    """A private fit spends a budget that is written down nowhere."""


@contextlib.contextmanager
def show_private_errors() -> Iterator[None]:
    """Say which record is refused and what it holds, only where nobody else reads the messages.

    >>> import dppl
    >>> with dppl.show_private_errors():
    ...     pass  # model.fit(X, y)
    """
    before = _core.show_private_errors(True)
    try:
        yield
    finally:
        _core.show_private_errors(before)
