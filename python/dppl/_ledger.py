from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

from . import _core
from ._account import as_amounts

if TYPE_CHECKING:
    from ._inputs import Number


class Ledger:
    """The account of what each private data set may spend and has spent: a file that only grows.

    >>> import dppl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "clinic.ledger")
    >>> ledger = dppl.Ledger.create(path, "scans", rho=0.5, unit="person")
    >>> ledger.status("scans")["remaining"]
    'ρ = 0.5'
    >>> ledger.verify()["whole"]
    True
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._ledger = _core.Ledger(self.path)

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        dataset: str,
        *,
        rho: Number | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        unit: str = "record",
    ) -> Ledger:
        """Enters a data set with its total, and makes the file where it is missing. A total cannot be changed later.

        `unit` says whose privacy the data set is for: 'record', or 'person' for all records of a person together.
        """
        _core.Ledger.create_dataset(os.fspath(path), dataset, as_amounts(rho=rho, epsilon=epsilon, delta=delta), unit)
        return cls(path)

    def status(self, dataset: str) -> dict[str, Any]:
        """Total, spent and remaining budget of a data set."""
        return self._ledger.status(dataset)

    def datasets(self) -> list[dict[str, Any]]:
        """The status of every data set."""
        return self._ledger.datasets()

    def entries(self) -> list[dict[str, Any]]:
        """Every row, in order; pandas.DataFrame(ledger.entries()) is a table of them."""
        return self._ledger.entries()

    def verify(self, noted_head: str | None = None) -> dict[str, Any]:
        """Looks for damage and tampering; `noted_head` is a head that was noted earlier and must still be there."""
        return self._ledger.verify(noted_head)

    def __repr__(self) -> str:
        return f"dppl.Ledger({self.path!r})"

    def __deepcopy__(self, memo: Any) -> Ledger:
        return self  # a copy would be the same file

    def __reduce__(self) -> NoReturn:
        raise TypeError("a ledger is not pickled: it belongs to the machine where the private data is; open it there by its path")
