"""Fits whose pool is spread over workers: each holds some of its shards and answers what the coordinator here asks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
import uuid
from typing import Any, Awaitable, NamedTuple

from distributed import Client
from distributed.protocol import to_serialize

from .. import _core
from .._estimator import PrototypeClassifier
from .._inputs import LabelsLike, MatrixLike
from ._cluster import PATIENCE, ClusterError, Connection, keeps_messages, new_key, refuse_open_network
from ._manifest import Manifest, read_manifest

# Methods that choose rows of the pool. The others read a subsample of it, and need no workers.
SELECTING = ("public", "public-k")


def fit(
    client: Client,
    X: MatrixLike,
    y: LabelsLike,
    *,
    pool: str | os.PathLike[str],
    method: str = "public",
    people: LabelsLike | None = None,
    patience: float = PATIENCE,
    verbose: bool = False,
    **parameters: Any,
) -> PrototypeClassifier:
    """A fitted dppl.PrototypeClassifier, as if all of the pool were here: the same law and, with a seed, the same bytes.

    `pool` is a manifest (P.pools, of `build_pool` or `dppl pool commit`) whose shards the workers can read under the
    same path, on a shared folder or each some of them on its own disk. `parameters` are those of PrototypeClassifier.
    The private rows stay here; workers get class sums (and quantised records, where scores are clipped), encrypted, and
    keep them in memory until the fit ends. All random draws are made here.

    A worker that is lost is replaced by another one, which is asked again what the lost one was asked; no draw is ever
    repeated. After `patience` seconds without one the fit fails as a whole, and what it cost stays spent.
    """
    manifest = read_manifest(pool)
    if method not in SELECTING:
        model = PrototypeClassifier(method, pool=manifest.path, verbose=verbose, **parameters)
        return model.fit(X, y, people=people)
    refuse_open_network(client)
    with Connection(client, patience) as connection, RemoteShards(connection, manifest) as shards:
        remote = _core.RemotePool([(shard.digest, shard.rows) for shard in manifest.shards], manifest.content, shards.session, shards.ask)
        model = PrototypeClassifier(method, pool=remote, verbose=verbose, **parameters)
        model.fit(X, y, people=people)
    # By which it can be asked again, and copied: the remote one ends here.
    model.pool = manifest.path
    return model


class Shard:
    """On a worker, as an actor: Dask keeps it in memory, outside the store of data that it may write to disk."""

    def __init__(self, path: str, first_row: int, threads: int) -> None:
        if keeps_messages():
            raise RuntimeError("this worker keeps messages for debugging, and gets no private ones")
        self._opened = path, first_row, threads
        self._shard: _core.SelectionShard | None = None

    def answer(self, request: bytes) -> tuple[str, bytes]:
        """What came of it, and the reply or what was said: errors as values, so that nobody on the way shows them."""
        try:
            # Opened here, because Dask gives an actor that fails to start the same error as one that was lost.
            if self._shard is None:
                self._shard = _core.SelectionShard(*self._opened)
            return "reply", self._shard.answer(request)
        except _core.ShardOutOfStep as error:
            return "out of step", str(error).encode()
        except OSError as error:
            return "fault", str(error).encode()
        except ValueError as error:
            return "refused", str(error).encode()


class Lost(Exception):
    """A shard's worker does not answer, or cannot read its file."""


class SchedulerLost(Exception):
    pass


class Placed(NamedTuple):
    """A shard on a worker."""

    future: Any  # the actor lives as long as this
    key: str
    worker: str


class RemoteShards:
    """The shards of a manifest, each on a worker that can read its file, and `ask` for the coordinator of a fit.

    Dask decides nothing about a fit: a reply is a function of the requests alone, so that a shard that was lost is made
    again elsewhere by asking it the same again, and whether that happens does not depend on what is drawn.
    """

    def __init__(self, connection: Connection, manifest: Manifest) -> None:
        self.session = uuid.uuid4().hex
        self.lost = 0  # how often a shard was, and was made again
        self._connection, self._manifest = connection, manifest
        self._placed: list[Placed | None] = [None] * len(manifest.shards)
        self._homes: list[list[str]] = []  # by shard, the workers that can read it
        self._threads: dict[str, int] = {}
        self._faults: list[set[str]] = [set() for _ in manifest.shards]  # by shard, workers that failed to read it
        self._end = self._looked = 0.0
        self._alive: set[str] = set()
        self._looking = asyncio.Lock()
        self._look_around()

    def __enter__(self) -> RemoteShards:
        return self

    def __exit__(self, *_: object) -> None:
        # What shards hold is private, and is freed at once.
        for placed in self._placed:
            if placed is not None:
                with contextlib.suppress(Exception):
                    self._client.cancel([placed.future], force=True)
                    placed.future.release()
        self._placed = [None] * len(self._placed)

    @property
    def _client(self) -> Client:
        return self._connection.client

    def ask(self, requests: list[_core.ShardRequest]) -> list[bytes]:
        """The replies, in order. Called by the library from a thread of its own, one call at a time."""
        self._end = time.monotonic() + self._connection.patience
        while True:
            try:
                replies: list[bytes] = self._client.sync(self._ask_all, requests)
                return replies
            except SchedulerLost:
                self._placed = [None] * len(self._placed)
                self._connection.connect()
                self._look_around()

    # ---- Where shards are

    def _look_around(self) -> None:
        """Asks every worker which files it can read."""
        self._threads = self._connection.workers()
        paths = [shard.path for shard in self._manifest.shards]
        seen = self._client.run(_readable, paths, workers=list(self._threads), on_error="return")
        self._homes = [[worker for worker in self._threads if isinstance(seen.get(worker), list) and seen[worker][i]] for i in range(len(paths))]
        for path, homes in zip(paths, self._homes):
            if not homes:
                raise ClusterError(f"{path}: none of {len(self._threads)} workers can read it; put the pool on a folder that they share, or a shard on each")

    async def _workers_now(self) -> set[str]:
        """At most a second ago: asked once for all shards that wait."""
        async with self._looking:
            if time.monotonic() - self._looked > 1:
                try:
                    found = (await asyncio.wait_for(self._client.scheduler.identity(), 10))["workers"]
                except Exception:
                    raise SchedulerLost from None
                # Encrypted as the scheduler is, also those that came later.
                self._alive = {worker for worker in found if worker.split("://")[0] == self._connection.address.split("://")[0]}
                self._looked = time.monotonic()
            return self._alive

    async def _place(self, i: int) -> Placed:
        """The shard where it is, or put onto the worker with the fewest rows among those that can read it."""
        placed = self._placed[i]
        if placed is not None:
            return placed
        shard = self._manifest.shards[i]
        now = await self._workers_now()
        homes = [worker for worker in self._homes[i] if worker in now and worker not in self._faults[i]]
        # A worker that came later may see the file as well; where it does not, that is a fault of its own.
        homes = homes or [worker for worker in now if worker not in self._faults[i]]
        if not homes:
            self._faults[i].clear()
            raise Lost
        load = {worker: 0 for worker in homes}
        for other, where in enumerate(self._placed):
            if where is not None and where.worker in load:
                load[where.worker] += self._manifest.shards[other].rows
        worker = min(homes, key=lambda home: load[home])
        key = new_key("fit", i)
        future = self._client.submit(
            Shard, shard.path, shard.first_row, self._threads.get(worker, 1), key=key, pure=False, actor=True, workers=[worker], allow_other_workers=False
        )
        # Claimed before it is there, so that others are put elsewhere.
        self._placed[i] = placed = Placed(future, key, worker)
        try:
            await self._while_alive(worker, self._started(future))
        except Lost:
            self._faults[i].add(worker)
            raise
        return placed

    @staticmethod
    async def _started(future: Any) -> None:
        await future

    # ---- Asking

    async def _ask_all(self, requests: list[_core.ShardRequest]) -> list[bytes]:
        self._looking, self._looked = asyncio.Lock(), 0.0
        tasks = [asyncio.ensure_future(self._ask_one(request)) for request in requests]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask_one(self, request: _core.ShardRequest) -> bytes:
        i, message = request.shard, request.message
        while True:
            fresh = self._placed[i] is None
            try:
                placed = await self._place(i)
                if fresh:
                    await self._replay(placed, request)
                said, reply = await self._call(placed, message)
                if said == "out of step":
                    await self._replay(placed, request)
                    said, reply = await self._call(placed, message)
                if said == "reply":
                    return reply
                if said == "refused":
                    raise ValueError(reply.decode())
                self._faults[i].add(placed.worker)
            except Lost:
                pass
            self._drop(i)
            if time.monotonic() > self._end:
                raise ClusterError(
                    f"{self._manifest.shards[i].path}: no worker holds this shard, for {self._connection.patience:.0f} seconds; "
                    "the fit has failed, no model was made, and what it cost stays spent"
                )
            await asyncio.sleep(0.1)
            await self._workers_now()

    async def _replay(self, placed: Placed, request: _core.ShardRequest) -> None:
        for old in request.replay:
            said, reply = await self._call(placed, old)
            if said == "fault":
                raise Lost
            if said != "reply":
                raise ValueError(reply.decode())

    async def _call(self, placed: Placed, message: bytes) -> tuple[str, bytes]:
        # As distributed's own Actor does it, whose calls never return where a worker was restarted in place.
        call = self._client.rpc(placed.worker).actor_execute(function="answer", actor=placed.key, args=[to_serialize(message)], kwargs={})
        done = await self._while_alive(placed.worker, call)
        if done.get("status") != "OK":
            raise Lost
        said, reply = done["result"]
        return said, reply

    async def _while_alive(self, worker: str, awaited: Awaitable[Any]) -> Any:
        """What is awaited, unless the worker is lost: its connection breaks, or the scheduler has given it up."""
        task = asyncio.ensure_future(awaited)
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=2)
                if not task.done() and worker not in await self._workers_now():
                    raise Lost
            return task.result()
        except (Lost, SchedulerLost):
            raise
        except asyncio.CancelledError:
            if task.cancelled():
                raise Lost from None  # a future that went with its scheduler or worker
            raise
        except Exception:
            raise Lost from None
        finally:
            task.cancel()

    def _drop(self, i: int) -> None:
        placed, self._placed[i] = self._placed[i], None
        if placed is not None:
            placed.future.release()
            self.lost += 1


def _readable(paths: list[str]) -> list[bool]:
    return [os.access(path, os.R_OK) for path in paths]
