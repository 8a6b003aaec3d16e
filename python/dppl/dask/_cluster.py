"""Clusters: starting one here, connecting to one elsewhere, and running tasks that may be run again."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import os
import shutil
import tempfile
import time
import uuid
from typing import Any, Callable, Iterator, NamedTuple, Sequence, cast

import dask
from distributed import Client, Future, KilledWorker, LocalCluster, Security, as_completed, get_worker
from distributed.comm import CommClosedError

from .. import _core
from .._progress import shown_progress

# How long to wait for workers, or a scheduler, that may come back.
PATIENCE = 300.0
# How long the result of a task that is done may take to come here: a few hundred bytes.
FETCH = 10.0
# What workers that we start are told. Nothing of a fit is in Dask's store of data, which could be written to disk, but
# with no limit on memory there is no such store at all. What does not compress has no size that depends on its values.
SETTINGS: dict[str, Any] = {
    "distributed.comm.compression": None,
    "distributed.comm.recent-messages-log-length": 0,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}


class ClusterError(OSError):
    """Workers or the scheduler were lost and did not come back, or every worker failed."""


@contextlib.contextmanager
def local_cluster(workers: int | None = None, threads: int = 1) -> Iterator[Client]:
    """Worker processes on this machine, for as long as the block lasts, and a client of them.

    They speak TLS with keys that exist in memory only, so that no other user of the machine can ask them anything;
    there is no dashboard, and nothing is written to disk.

    >>> import dppl.dask
    >>> with dppl.dask.local_cluster(workers=1) as client:
    ...     client.submit(abs, -2).result()
    2
    """
    directory = tempfile.mkdtemp(prefix="dppl-workers-")
    try:
        with dask.config.set(SETTINGS):
            with LocalCluster(
                n_workers=workers or os.cpu_count() or 1,
                threads_per_worker=threads,
                processes=True,
                host="127.0.0.1",
                security=Security.temporary(),
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # an empty page, on any port
                memory_limit=0,
                local_directory=directory,
                silence_logs=logging.CRITICAL,
            ) as cluster, Client(cluster, set_as_default=False) as client:
                yield client
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def connect(scheduler: str, *, ca: str | None = None, cert: str | None = None, key: str | None = None, timeout: float = 30) -> Client:
    """A client of a scheduler that runs elsewhere: tls://HOST:PORT, with the files that its machines have, too."""
    security = None
    if ca or cert or key:
        for name, file in (("ca", ca), ("cert", cert), ("key", key)):
            if file is None:
                raise ValueError(f"{name}: an authority, a certificate and a key go together")
            if not os.path.isfile(file):
                raise FileNotFoundError(f"{file}: there is no such file")
        security = Security(tls_ca_file=ca, tls_client_cert=cert, tls_client_key=key, require_encryption=True)
    elif scheduler.startswith("tls://") and Security().get_connection_args("client")["ssl_context"] is None:
        raise ValueError(f"{scheduler}: give the files for TLS: the authority, a certificate and its key")
    try:
        return Client(scheduler, security=security, timeout=timeout, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise ClusterError(f"{scheduler}: no scheduler answers there ({error or type(error).__name__})") from None


def address_of(client: Client) -> str:
    return str(client.scheduler.address)


def refuse_open_address(address: str) -> None:
    """Private values cross to workers only where nobody else can read them, or ask for them.

    Plain TCP is refused on one machine, too: whoever can reach the port of a scheduler that knows no certificates can
    run code on its workers, and every user of the machine can.
    """
    if address.split("://")[0] not in ("tls", "inproc"):
        raise ValueError(
            f"{address}: private values are sent encrypted only; start scheduler and workers with "
            "--tls-ca-file, --tls-cert and --tls-key and give tls://HOST:PORT, or use dppl.dask.local_cluster()"
        )


def refuse_open_network(client: Client) -> None:
    """The same for a whole cluster, and for one that keeps the messages."""
    refuse_open_address(address_of(client))
    scheme = address_of(client).split("://")[0]
    for address in client.scheduler_info()["workers"]:
        if address.split("://")[0] != scheme:
            raise ValueError(f"{address}: this worker does not speak {scheme} as its scheduler does")
    keeps = client.run(keeps_messages, on_error="return")
    keeps["the scheduler"] = client.run_on_scheduler(keeps_messages) if scheme != "inproc" else False
    for who, kept in keeps.items():
        if kept is True:  # not an error: that worker is gone, and those that come later are asked where they get a shard
            raise ValueError(f"{who} keeps messages for debugging, and private ones are among them: set distributed.comm.recent-messages-log-length to 0 there")


def keeps_messages() -> bool:
    return bool(dask.config.get("distributed.comm.recent-messages-log-length", 0))


class Connection:
    """A client of our own to the cluster of another, made anew when the scheduler was lost and has come back.

    It speaks with workers directly, so that what they are asked does not pass through the scheduler.
    """

    def __init__(self, client: Client, patience: float = PATIENCE) -> None:
        self.address, self.security, self.patience = address_of(client), client.security, patience
        self.client: Client = None
        self._checked: set[str] = set()
        self._topic, self._heard = "", cast("Callable[[Any], None]", None)
        self.connect()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self.client.close(timeout=5)

    def connect(self) -> None:
        """Waits for the scheduler, and for its first worker."""
        end = time.monotonic() + self.patience
        while True:
            if self.client is not None:
                self.close()
            try:
                with _quiet():
                    self.client = Client(self.address, security=self.security, direct_to_workers=True, set_as_default=False, timeout=10)
                    self.client.wait_for_workers(1, timeout=max(1.0, end - time.monotonic()))
                if self._topic:
                    self.listen(self._topic, self._heard)
                return
            except (OSError, TimeoutError, RuntimeError, CommClosedError) as error:
                if time.monotonic() > end:
                    raise ClusterError(f"{self.address}: no scheduler with a worker answers ({error or type(error).__name__}), for {self.patience:.0f} seconds") from None
            time.sleep(0.5)

    def listen(self, topic: str, heard: Callable[[Any], None]) -> None:
        """Has `heard` called with what workers tell about a topic (their log_event)."""
        self._topic, self._heard = topic, heard
        self.client.subscribe_topic(topic, lambda event: heard(event[1]))

    def answers(self) -> bool:
        """Whether the scheduler is the one that we connected to."""
        if self.client.status != "running":
            return False
        try:
            self.client.sync(self.client.scheduler.identity, callback_timeout=10)
        except Exception:
            return False
        return True

    def workers(self) -> dict[str, int]:
        """The addresses of all workers and their threads; at least one. All must have this version of dppl."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            try:
                found = {address: int(worker["nthreads"]) for address, worker in self.client.scheduler_info()["workers"].items()}
                self._check_versions([address for address in found if address not in self._checked])
            except (OSError, TimeoutError, RuntimeError, CommClosedError):
                self.connect()
                continue
            known = {address: threads for address, threads in found.items() if address in self._checked}
            if known:
                return known
            time.sleep(0.2)
        raise ClusterError(f"{self.address}: no worker, for {self.patience:.0f} seconds")

    def _check_versions(self, addresses: list[str]) -> None:
        if not addresses:
            return
        try:
            found = self.client.run(_version, workers=addresses, on_error="return")
        except ImportError as error:
            raise ValueError(f"{self.address}: a worker cannot import dppl ({error}); install it there, or set PYTHONPATH where the worker starts") from None
        for address, version in found.items():
            if isinstance(version, ImportError):
                raise ValueError(f"{address}: this worker cannot import dppl ({version}); install it there, or set PYTHONPATH where the worker starts")
            if isinstance(version, str) and version != _core.__version__:
                raise ValueError(f"{address}: this worker has dppl {version}, and here is {_core.__version__}; install the same on both")
            if isinstance(version, str):
                self._checked.add(address)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without Dask's words about a scheduler that is not there yet."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _version() -> str:
    return _core.__version__


def new_key(what: str, part: int) -> str:
    """Of a task. All that a dashboard shows of it."""
    return f"dppl-{what}-{part + 1}-{uuid.uuid4().hex}"


class Fault(NamedTuple):
    """That a task failed by a fault of its machine."""

    worker: str
    said: str


class Refusal(NamedTuple):
    """That a task cannot be done anywhere."""

    said: str


class Reporter:
    """On a worker: tells how far a task is, once a second."""

    def __init__(self, topic: str, part: int) -> None:
        self._topic, self._part, self._last = topic, part, 0.0

    def __call__(self, fraction: float) -> None:
        if time.monotonic() - self._last > 1:
            self._last = time.monotonic()
            get_worker().log_event(self._topic, (self._part, fraction))


def attempt(task: Callable[..., Any], arguments: tuple[Any, ...], topic: str | None, part: int) -> Any:
    """On a worker. Nothing is raised: Dask would show the arguments in its log."""
    try:
        return task(*arguments, progress=Reporter(topic, part) if topic else None)
    except OSError as error:
        return Fault(get_worker().address, str(error))
    except ValueError as error:
        return Refusal(str(error))


def result_of(future: Future, worker: str = "") -> Any:
    """What a task that is done has said. A result whose worker was lost before it came here is a fault, too: Dask makes it again, and where the task is bound to that worker
    it would wait for ever."""
    try:
        return future.result(timeout=FETCH)
    except (KilledWorker, CommClosedError, OSError, TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError) as error:
        return Fault(worker, f"its worker was lost ({type(error).__name__}{f': {error}' if str(error) else ''})")


def run_tasks(
    client: Client, what: str, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], *, patience: float = PATIENCE, verbose: bool = False
) -> list[Any]:
    """The results of a task that may be run any number of times, for each of its arguments, in order.

    Where a worker is lost, or its machine fails (a full or broken disk), another one does the part. `patience` is how
    long that may go on without a part getting done. What is wrong in itself, such as a bad input, fails at once.
    """
    results: list[Any] = [None] * len(arguments)
    left = set(range(len(arguments)))
    faults: dict[int, list[Fault]] = {}
    with Connection(client, patience) as connection, shown_progress(what, verbose) as progress:
        topic = new_key(what, 0) if progress else None
        far = [0.0] * len(arguments)

        def heard(said: tuple[int, float]) -> None:
            far[said[0]] = max(far[said[0]], said[1])
            if progress:
                progress(sum(far) / len(far))

        if topic:
            connection.listen(topic, heard)
        last = time.monotonic()
        while left:
            workers = connection.workers()
            futures = {}
            for i in sorted(left):
                failed = {fault.worker for fault in faults.get(i, [])}
                others = [address for address in workers if address not in failed]
                # Elsewhere, if there is an elsewhere.
                where: dict[str, Any] = {"workers": others, "allow_other_workers": True} if failed and others else {}
                futures[connection.client.submit(attempt, task, arguments[i], topic, i, key=new_key(what, i), pure=False, **where)] = i
            for future in as_completed(futures, loop=connection.client.loop):
                i = futures[future]
                result = result_of(future)
                if isinstance(result, Refusal):
                    raise ValueError(result.said)
                if isinstance(result, Fault):
                    faults.setdefault(i, []).append(result)
                    continue
                results[i] = result
                left.discard(i)
                last = time.monotonic()
                heard((i, 1.0))
            for i in left:
                # Everywhere the same: it will not get better.
                said = [fault for fault in faults[i] if fault.worker]
                if (len(said) >= 3 and len({fault.worker for fault in said}) >= min(3, len(workers))) or time.monotonic() - last > patience:
                    raise ClusterError(faults[i][-1].said)
            if left:
                time.sleep(0.2)
                if not connection.answers():
                    connection.connect()
    return results
