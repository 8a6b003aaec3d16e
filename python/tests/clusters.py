"""What tests of dppl.dask share: a pool in shards, fits here and there, and ways to lose a worker."""

from __future__ import annotations

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
from typing import Any

import numpy as np
from conftest import Task

import dppl


class Files:
    """A task in files, its pool cut into shards and in one piece."""

    def __init__(self, directory: pathlib.Path, shards: int, task: Task | None = None) -> None:
        self.task = task or Task()
        self.directory = directory
        self.train, self.labels, self.source = (str(directory / name) for name in ("x.npy", "y.npy", "pool.npy"))
        np.save(self.train, self.task.X)
        np.save(self.labels, self.task.y)
        np.save(self.source, self.task.pool)
        self.whole = str(directory / "whole.pool")
        dppl._core.build_pool(sources=[self.source], path=self.whole, transform="none", shard=(1, 1), threads=1, progress=None)
        self.manifest = str(directory / "cut.pools")
        parts = [str(directory / f"cut-{i}.pool") for i in range(1, shards + 1)]
        for i, part in enumerate(parts, 1):
            dppl._core.build_pool(sources=[self.source], path=part, transform="none", shard=(i, shards), threads=1, progress=None)
        dppl._core.commit_pool(shards=parts, path=self.manifest, threads=1)

    def parameters(self, **others: Any) -> dict[str, Any]:
        return {"classes": self.task.classes, "epsilon": 1, "seed": 3, **others}

    def here(self, method: str = "public", **others: Any) -> bytes:
        """The model file of a fit on one machine, with the pool in one file."""
        model = dppl.PrototypeClassifier(method, pool=self.whole, **self.parameters(**others)).fit(self.task.X, self.task.y)
        return self.bytes_of(model)

    def bytes_of(self, model: dppl.PrototypeClassifier) -> bytes:
        path = self.directory / "model.dppl"
        model.save(path)
        return path.read_bytes()


def pids(client: Any) -> dict[str, int]:
    """By worker."""
    found: dict[str, int] = client.run(os.getpid, on_error="ignore")
    return found


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def wait_for_workers(client: Any, count: int, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while len(client.scheduler_info()["workers"]) < count:
        assert time.monotonic() < end, "workers did not come back"
        time.sleep(0.05)


class TlsCluster:
    """A scheduler and workers as somebody would start them by hand, with certificates in files; each can be lost."""

    def __init__(self, directory: pathlib.Path, workers: int) -> None:
        from distributed import Security

        keys = Security.temporary()
        self.directory, self.count = directory, workers
        self.files = {"ca": directory / "ca.pem", "cert": directory / "cert.pem", "key": directory / "key.pem"}
        for name, text in (("ca", keys.tls_ca_file), ("cert", keys.tls_client_cert), ("key", keys.tls_client_key)):
            self.files[name].write_text(text)
        self.files["key"].chmod(0o600)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"tls://127.0.0.1:{self.port}"
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self.start_scheduler()
        for _ in range(workers):
            self.start_worker()

    def __enter__(self) -> TlsCluster:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, self.scheduler):
            if process is not None:
                process.kill()
                process.wait()

    def _start(self, program: str, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        tls = [f"--tls-{option}={self.files[name]}" for name, option in (("ca", "ca-file"), ("cert", "cert"), ("key", "key"))]
        with open(self.directory / f"{program}.log", "ab") as log:
            return subprocess.Popen([*before, sys.executable, "-m", f"distributed.cli.{program}", *tls, *arguments], stdout=log, stderr=log, cwd=self.directory)

    def start_scheduler(self) -> None:
        self.scheduler = self._start("dask_scheduler", "--host=127.0.0.1", f"--port={self.port}", "--protocol=tls", "--no-dashboard", "--no-show")

    def start_worker(self, before: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        worker = self._start("dask_worker", self.address, "--nthreads=1", "--no-nanny", "--no-dashboard", f"--local-directory={self.directory / 'scratch'}", before=before)
        self.workers.append(worker)
        return worker

    def replace_dead_workers(self) -> None:
        """As whatever starts workers for people does: systemd, Slurm, a nanny."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < self.count:
            self.start_worker()

    def connect(self) -> Any:
        import dppl.dask

        end = time.monotonic() + 60
        while True:
            try:
                return dppl.dask.connect(self.address, **{name: str(file) for name, file in self.files.items()}, timeout=20)
            except dppl.dask.ClusterError:
                if time.monotonic() > end:
                    raise
