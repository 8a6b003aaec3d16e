"""Embedding and pool building: one task per shard, each the same as the command line's --shard i/N."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Sequence

from distributed import Client

from .. import _core
from .._embed import encoder_options
from ._cluster import PATIENCE, Connection, run_tasks

Progress = Optional[Callable[[float], None]]
# Parts per worker where nothing else is said: enough to keep all busy to the end, few enough to be files for people.
PARTS_PER_WORKER = 4


def embed(
    client: Client,
    images: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    shards: int | None = None,
    encoder: str | os.PathLike[str] = "builtin:hog",
    labels: str | os.PathLike[str] | None = None,
    label_source: str | os.PathLike[str] | None = None,
    classes: int | Sequence[str] | None = None,
    people: str | os.PathLike[str] | None = None,
    people_from_path: str | None = None,
    skip_bad: bool = False,
    size: int | None = None,
    onnx: dict[str, Any] | None = None,
    batch: int | None = None,
    threads: int = 1,
    patience: float = PATIENCE,
    verbose: bool = False,
) -> list[str]:
    """Embeds images on the workers of a cluster, a contiguous part of the list of images at a time.

    `images` and `output` are on a folder that workers and this machine share. Part i of N is written to `output` with
    -i-of-N before its ending (and `labels` and `people` likewise), complete or not at all; the parts one after the other
    are the rows of one call of dppl.embed; they are cut at multiples of `batch`. Returns their names, in order. Parts
    that are there already are left as they are, so that the same call goes on after an interruption.
    """
    count = shards or _parts(client)
    how = {
        **encoder_options(encoder, onnx, size, batch, threads),
        "images": os.path.abspath(images),
        "label_source": os.path.abspath(label_source) if label_source else "",
        "classes": classes if classes is None or isinstance(classes, int) else list(classes),
        "people_pattern": people_from_path or "",
        "skip_bad": skip_bad,
    }
    parts = [
        {"output": part_name(output, i, count), "labels": part_name(labels, i, count) if labels else "", "people": part_name(people, i, count) if people else ""}
        for i in range(1, count + 1)
    ]
    run_tasks(client, "embed", _embed_part, [(how, part, i, count) for i, part in enumerate(parts, 1)], patience=patience, verbose=verbose)
    return [part["output"] for part in parts]


def _embed_part(how: dict[str, Any], part: dict[str, Any], number: int, count: int, *, progress: Progress) -> None:
    _core.embed_files(shard=(number, count), progress=progress, **how, **part)


def build_pool(
    client: Client,
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    shards: int | None = None,
    transform: str = "none",
    threads: int = 1,
    patience: float = PATIENCE,
    verbose: bool = False,
) -> dict[str, Any]:
    """Makes a pool of embeddings, in shards, on the workers of a cluster; returns what the manifest says of it.

    `sources` are one or several .npy, one after the other, on a folder that all share. `output` is the manifest
    (P.pools); its shards P-i-of-N.pool are written beside it, each complete or not at all, and it is written last, when
    every shard is checked. The pool is the same, and a fit on it gives the same bits, for any number of shards.
    """
    manifest = os.path.abspath(output)
    if not manifest.endswith(".pools"):
        raise ValueError(f"{output}: a manifest is named *.pools")
    files = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    if not files:
        raise ValueError("sources: at least one .npy")
    count = shards or _parts(client)
    parts = [part_name(manifest[:-1], i, count) for i in range(1, count + 1)]
    run_tasks(
        client,
        "build-pool",
        _build_part,
        [([os.path.abspath(file) for file in files], part, transform, i, count, threads) for i, part in enumerate(parts, 1)],
        patience=patience,
        verbose=verbose,
    )
    found: dict[str, Any] = run_tasks(client, "commit", _commit, [(parts, manifest, threads)], patience=patience)[0]
    return found


def _build_part(sources: list[str], part: str, transform: str, number: int, count: int, threads: int, *, progress: Progress) -> None:
    _core.build_pool(sources=sources, path=part, transform=transform, shard=(number, count), threads=threads, progress=progress)


def _commit(parts: list[str], manifest: str, threads: int, *, progress: Progress) -> dict[str, Any]:
    return _core.commit_pool(shards=parts, path=manifest, threads=threads)


def part_name(path: str | os.PathLike[str], number: int, count: int) -> str:
    """Numbered so that a shell's * sorts them.

    >>> part_name("/data/x.npy", 3, 64)
    '/data/x-03-of-64.npy'
    """
    stem, ending = os.path.splitext(os.path.abspath(path))
    return f"{stem}-{number:0{len(str(count))}}-of-{count}{ending}"


def _parts(client: Client) -> int:
    with Connection(client) as connection:
        return PARTS_PER_WORKER * len(connection.workers())
