"""Sweeps: every worker takes runs that nobody has claimed, until none is left."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from distributed import Client, Future

from .. import _core
from .._progress import shown_progress
from ..lab import read_results
from ._cluster import PATIENCE, ClusterError, Connection, Fault, Refusal, attempt, new_key, result_of

if TYPE_CHECKING:
    import pandas

# Seconds until a worker that found nothing to do looks again: others may have been lost meanwhile.
LOOK_AGAIN = 30.0


class Helper(NamedTuple):
    future: Future
    finishes: bool  # waits for the others, and writes the tables


def sweep(
    client: Client,
    plan: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    patience: float = PATIENCE,
    verbose: bool = False,
) -> pandas.DataFrame:
    """Runs a plan (docs/sweep.md) on all workers of a cluster, writes table, page and figures, and returns the table.

    Plan, data and `output` are on a folder that all share. Each run is claimed by the worker that does it, as when
    several `dppl sweep` share a directory: workers may come and go, and a lost one's runs are taken over. Nothing of it
    is private.
    """
    arguments = (os.path.abspath(plan), os.path.abspath(output), os.path.abspath(data) if data else os.path.dirname(os.path.abspath(plan)))
    with Connection(client, patience) as connection, shown_progress("sweep", verbose) as progress:
        topic = None
        if progress:
            topic, show = new_key("sweep", 0), progress
            connection.listen(topic, lambda said: show(said[1]))
        helpers: dict[str, Helper] = {}  # by worker
        rests: dict[str, float] = {}  # by worker, until when
        size, last, said = -1, time.monotonic(), "no worker"
        while True:
            workers = connection.workers()
            helpers = {worker: helper for worker, helper in helpers.items() if worker in workers}
            for worker, cores in workers.items():
                if worker in helpers or time.monotonic() < rests.get(worker, 0):
                    continue
                finishes = not any(helper.finishes for helper in helpers.values())
                task = _finish if finishes else _help
                future = connection.client.submit(attempt, task, (*arguments, threads or cores), topic, 0, key=new_key("sweep", 0), pure=False, workers=[worker])
                helpers[worker] = Helper(future, finishes)
            time.sleep(0.2)
            for worker, helper in list(helpers.items()):
                if not helper.future.done():
                    continue
                del helpers[worker]
                result = result_of(helper.future, worker)
                if isinstance(result, Refusal):
                    raise ValueError(result.said)
                if isinstance(result, Fault):
                    said = result.said
                    rests[worker] = time.monotonic() + 1
                elif helper.finishes:
                    return read_results(output)
                else:
                    rests[worker] = time.monotonic() + LOOK_AGAIN
            # No worker, or a full disk on every one.
            if (now := _size(arguments[1])) != size or any(not helper.future.done() for helper in helpers.values()):
                size, last = now, time.monotonic()
            elif time.monotonic() - last > patience:
                raise ClusterError(f"sweep: {said}")
            if not connection.answers():
                helpers.clear()
                connection.connect()


def _help(plan: str, directory: str, data: str, threads: int, *, progress: Callable[[float], None] | None) -> dict[str, Any]:
    return _core.sweep(plan=plan, directory=directory, data=data, threads=threads, runs_only=True, progress=None)


def _finish(plan: str, directory: str, data: str, threads: int, *, progress: Callable[[float], None] | None) -> dict[str, Any]:
    return _core.sweep(plan=plan, directory=directory, data=data, threads=threads, runs_only=False, progress=progress)


def _size(directory: str) -> int:
    try:
        return os.stat(os.path.join(directory, "runs.jsonl")).st_size
    except OSError:
        return 0
