"""The list of a pool's shards, as workers are given them."""

from __future__ import annotations

import os
from typing import NamedTuple

from .. import _core


class ShardFile(NamedTuple):
    path: str
    first_row: int
    rows: int
    digest: str


class Manifest(NamedTuple):
    path: str
    content: str  # digest of the whole pool, however it is cut
    shards: list[ShardFile]


def read_manifest(path: str | os.PathLike[str]) -> Manifest:
    """Reads the list alone; the shards are opened, and checked against it, where they are used."""
    name = os.fspath(path)
    found = _core.read_manifest(name)
    folder, first, shards = os.path.dirname(os.path.abspath(name)), 0, []
    for file, rows, digest in found["shards"]:
        shards.append(ShardFile(os.path.join(folder, file), first, rows, digest))
        first += rows
    return Manifest(name, found["content"], shards)
