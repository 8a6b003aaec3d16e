from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Union

from . import _core
from ._inputs import MatrixLike, as_matrix
from ._progress import shown_progress


class Pool:
    """Public embeddings, of the same encoder as the private ones. They are read where they are, checked once.

    >>> import dppl, numpy as np
    >>> pool = dppl.Pool(np.random.default_rng(1).normal(size=(1000, 16)).astype("float32"))
    >>> len(pool), pool.dim
    (1000, 16)
    """

    def __init__(self, source: MatrixLike, *, threads: int | None = None) -> None:
        self._source = source
        used = threads or _core.DEFAULT_THREADS
        if isinstance(source, (str, os.PathLike)):
            self._pool = _core.Pool.open(os.fspath(source), used)
        else:
            self._pool = _core.Pool.view(as_matrix(source, "pool"), used)

    @property
    def dim(self) -> int:
        """Values per row, as the encoder gives them."""
        return self._pool.dim

    @property
    def digest(self) -> str:
        """By which a model knows the pool that it was made with."""
        return self._pool.digest

    def __len__(self) -> int:
        return self._pool.rows

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        transform: str = "none",
        threads: int | None = None,
        verbose: bool = False,
    ) -> dict[str, Any]:
        """Writes a pool file for many fits: a quarter of the size, with its transform, checked by digest."""
        with shown_progress("pool", verbose) as progress:
            return self._pool.build(os.fspath(path), transform, threads or _core.DEFAULT_THREADS, progress)

    def __repr__(self) -> str:
        return f"<dppl.Pool: {len(self)} rows of {self.dim} values>"

    def __deepcopy__(self, memo: Any) -> Pool:
        return self  # it is never changed

    def __reduce__(self) -> tuple[Callable[..., Pool], tuple[MatrixLike]]:
        return Pool, (self._source,)


PoolLike = Union[Pool, _core.RemotePool, MatrixLike]


def as_pool(pool: PoolLike | None, threads: int) -> _core.Pool | None:
    if pool is None:
        return None
    if isinstance(pool, _core.RemotePool):
        raise TypeError("pool: its rows are on other machines, and this needs them here; give the manifest")
    return (pool if isinstance(pool, Pool) else Pool(pool, threads=threads))._pool
