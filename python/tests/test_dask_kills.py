"""Every role is killed at every step, many times: the result is the same or none, and nothing is drawn twice.

Takes some minutes, and runs with DPPL_LONG_TESTS=1 only (./test.sh --long).
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Iterator

import numpy as np
import pytest
from clusters import Files, TlsCluster, kill, wait_for_workers
from conftest import Task
from test_dask import without_seconds, write_plan

if not os.environ.get("DPPL_LONG_TESTS"):
    pytest.skip("takes some minutes: DPPL_LONG_TESTS=1", allow_module_level=True)

import distributed

import dppl
import dppl.dask
from dppl.dask import _fit

chance = random.Random(20)
WORKERS = 3
kills: dict[str, int] = {}  # by step


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("pool"), shards=5)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsCluster]:
    with TlsCluster(tmp_path_factory.mktemp("cluster"), WORKERS) as cluster:
        yield cluster


@pytest.fixture
def client(cluster: TlsCluster) -> Iterator[distributed.Client]:
    cluster.replace_dead_workers()
    with cluster.connect() as client:
        wait_for_workers(client, WORKERS)
        yield client


# ---- Programs: embed, build, commit, write


def kill_often(step: str, command: list[str], check: Callable[[], bool], times: int, undo: Callable[[], None] = lambda: None) -> None:
    """Runs it, kills it at random before it has ended, so many times, and looks at what is there each time."""
    begin = time.monotonic()
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    takes = time.monotonic() - begin
    assert check()
    killed = 0
    for _ in range(10 * times):
        undo()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, takes))
        process.kill()
        if process.wait() == -signal.SIGKILL:
            killed += 1
        check()
        if killed == times:
            break
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    assert check()
    assert killed == times
    kills[step] = killed


def whole_or_none(path: pathlib.Path, expected: Callable[[], bytes]) -> bool:
    if not path.exists():
        return False
    assert path.read_bytes() == expected(), f"{path} is neither whole nor missing"
    return True


def once(make: Callable[[], bytes]) -> Callable[[], bytes]:
    made: list[bytes] = []
    return lambda: made[0] if made else made.append(make()) or made[0]  # type: ignore[func-returns-value]


def test_embedding_is_whole_or_missing(tmp_path: pathlib.Path, program_path: str) -> None:
    images = np.random.default_rng(1).integers(256, size=(4000, 28, 28), dtype=np.uint8)
    np.save(tmp_path / "images.npy", images)
    part = tmp_path / "part.npy"
    expected = once(part.read_bytes)

    def undo() -> None:
        if chance.random() < 0.5:
            part.unlink(missing_ok=True)

    command = [program_path, "embed", str(tmp_path / "images.npy"), "--encoder", "builtin:hog", "-o", str(part), "--shard", "2/3", "--threads", "1"]
    kill_often("embed", command, lambda: whole_or_none(part, expected), 40, undo)
    assert np.array_equal(np.load(part), dppl.embed(images)[1280:2560]), "cut at multiples of the batch"


def test_a_shard_is_whole_or_missing(tmp_path: pathlib.Path, program_path: str) -> None:
    rows = np.random.default_rng(1).normal(size=(60000, 64)).astype(np.float32)
    np.save(tmp_path / "pool.npy", rows)
    part = tmp_path / "part.pool"
    expected = once(part.read_bytes)
    command = [program_path, "pool", "build", str(tmp_path / "pool.npy"), "-o", str(part), "--shard", "2/3", "--transform", "center", "--threads", "1"]
    kill_often("build", command, lambda: whole_or_none(part, expected), 40, lambda: part.unlink(missing_ok=True))
    assert [file.name for file in tmp_path.iterdir() if file.name not in ("pool.npy", "part.pool")] == [], "nothing else is left"


def test_a_manifest_is_whole_or_missing(files: Files, tmp_path: pathlib.Path, program_path: str) -> None:
    manifest = files.directory / "again.pools"
    parts = [str(files.directory / f"cut-{i}.pool") for i in range(1, 6)]
    expected = once(manifest.read_bytes)
    command = [program_path, "pool", "commit", *parts, "-o", str(manifest)]
    kill_often("commit", command, lambda: whole_or_none(manifest, expected), 30, lambda: manifest.unlink(missing_ok=True))


def test_a_model_is_in_the_ledger_before_it_is_there(files: Files, tmp_path: pathlib.Path, program_path: str) -> None:
    ledger_path, model = tmp_path / "l.ledger", tmp_path / "m.dppl"
    ledger = dppl.Ledger.create(ledger_path, "d", epsilon=1000)
    command = [program_path, "fit", "--method", "public", "--train", files.train, "--labels", files.labels, "--classes", "3", "--pool", files.manifest,
               "--epsilon", "1", "--ledger", str(ledger_path), "--dataset", "d", "-o", str(model), "--threads", "1"]  # fmt: skip
    starts = 0

    def undo() -> None:
        nonlocal starts
        starts += 1
        model.unlink(missing_ok=True)

    def check() -> bool:
        entries = ledger.entries()
        assert sum(entry["kind"].startswith("reserv") for entry in entries) <= starts + 2, "a fit reserves once"
        if not model.exists():
            return False
        assert dppl.inspect(model)["ledger_entry"] in [entry["digest"] for entry in entries]
        assert dppl.Model.load(str(model)).digest in [entry["model_digest"] for entry in entries]
        return True

    kill_often("write", command, check, 30, undo)
    assert ledger.verify()["whole"]


# ---- A fit on a cluster: workers are killed at every request


def fit_with_kills(client: distributed.Client, cluster: TlsCluster, files: Files, monkeypatch: pytest.MonkeyPatch, kills: set[int], method: str, **settings: Any) -> tuple[int, int]:
    """How many requests there were, and how many workers were killed, each in the middle of one."""
    calls, killed = 0, 0
    original = _fit.RemoteShards._ask_all

    async def ask_all(self: Any, requests: Any) -> Any:
        nonlocal calls, killed
        calls += 1
        if calls in kills:
            alive = [worker for worker in cluster.workers if worker.poll() is None]
            victim = chance.choice(alive)
            # Before the request is sent, on its way or while it is answered.
            threading.Timer(chance.choice([0, 0, 0.002, 0.01]), victim.kill).start()
            threading.Timer(0.05, cluster.replace_dead_workers).start()
            killed += 1
        return await original(self, requests)

    with monkeypatch.context() as patch:
        patch.setattr(_fit.RemoteShards, "_ask_all", ask_all)
        model = dppl.dask.fit(client, files.task.X, files.task.y, pool=files.manifest, method=method, patience=120, **files.parameters(**settings))
    assert files.bytes_of(model) == files.here(method, **settings)
    return calls, killed


@pytest.mark.parametrize(
    ("method", "settings"),
    [("public", {}), ("public", {"clip_min": 1, "clip_max": 1.4}), ("public", {"mechanism": "permute-and-flip"}), ("public-k", {"k": 3})],
)
def test_workers_are_killed_at_every_request(client: distributed.Client, cluster: TlsCluster, files: Files, monkeypatch: pytest.MonkeyPatch, method: str, settings: dict[str, Any]) -> None:
    requests, _ = fit_with_kills(client, cluster, files, monkeypatch, set(), method, **settings)
    assert requests >= 3
    for _ in range(2):
        for request in range(1, requests + 1):
            _, killed = fit_with_kills(client, cluster, files, monkeypatch, {request}, method, **settings)
            assert killed == 1
            # Described, bounds; of a lazy draw the largest bounds, values, weights, proposals and acceptance; the rows.
            kills[f"request {request} of a fit"] = kills.get(f"request {request} of a fit", 0) + 1
            cluster.replace_dead_workers()
            wait_for_workers(client, WORKERS)


COORDINATOR = """
import os, signal, sys
import dppl, dppl.dask
from dppl.dask import _fit
address, ca, cert, key, train, labels, pool, ledger, model, step = sys.argv[1:]
original, calls = _fit.RemoteShards.ask, 0
def ask(self, requests):
    global calls
    calls += 1
    if calls == int(step):
        os.kill(os.getpid(), signal.SIGKILL)
    return original(self, requests)
_fit.RemoteShards.ask = ask
import numpy as np
with dppl.dask.connect(address, ca=ca, cert=cert, key=key) as client:
    fitted = dppl.dask.fit(client, np.load(train), np.load(labels), pool=pool, classes=3, epsilon=1, ledger=ledger, dataset="d", patience=60)
    fitted.save(model)
print(calls)
"""


def test_a_killed_coordinator_has_spent_and_draws_no_more(client: distributed.Client, cluster: TlsCluster, files: Files, tmp_path: pathlib.Path) -> None:
    def run(step: int, name: str) -> tuple[subprocess.CompletedProcess[str], dppl.Ledger, pathlib.Path]:
        ledger, model = tmp_path / f"{name}.ledger", tmp_path / f"{name}.dppl"
        dppl.Ledger.create(ledger, "d", epsilon=5)
        keys = [str(cluster.files[key]) for key in ("ca", "cert", "key")]
        arguments = [sys.executable, "-c", COORDINATOR, cluster.address, *keys, files.train, files.labels, files.manifest, str(ledger), str(model), str(step)]
        return subprocess.run(arguments, capture_output=True, text=True, timeout=120), dppl.Ledger(ledger), model

    done, ledger, model = run(0, "whole")
    assert done.returncode == 0, done.stderr
    requests = int(done.stdout)
    assert ledger.status("d")["remaining"] == "ε = 4" and model.exists()
    for step in range(1, requests + 1):
        done, ledger, model = run(step, str(step))
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert not model.exists()
        # The first requests describe the shards, before anything is read or reserved.
        assert ledger.status("d")["remaining"] in ("ε = 4", "ε = 5")
        assert step == 1 or ledger.status("d")["remaining"] == "ε = 4", "what was reserved stays spent"
        kills["coordinator"] = kills.get("coordinator", 0) + 1
    # Shards of dead coordinators are dropped with their clients.
    end = time.monotonic() + 60
    while any(client.run(lambda dask_worker: len(dask_worker.state.actors)).values()):
        assert time.monotonic() < end, "workers keep class sums of a fit that is no more"
        time.sleep(0.5)


def test_a_scheduler_comes_back(cluster: TlsCluster, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster.replace_dead_workers()
    calls = 0
    original = _fit.RemoteShards._ask_all

    async def ask_all(self: Any, requests: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 4:
            assert cluster.scheduler
            cluster.scheduler.kill()
            cluster.scheduler.wait()
            cluster.start_scheduler()
            threading.Timer(1, restart_workers).start()
        return await original(self, requests)

    def restart_workers() -> None:
        for worker in cluster.workers:
            worker.kill()
            worker.wait()
        cluster.replace_dead_workers()

    with cluster.connect() as client:
        wait_for_workers(client, WORKERS)
        monkeypatch.setattr(_fit.RemoteShards, "_ask_all", ask_all)
        model = dppl.dask.fit(client, files.task.X, files.task.y, pool=files.manifest, patience=120, **files.parameters())
        assert files.bytes_of(model) == files.here()


# ---- Sweeps and pools while workers come and go


def killing(cluster: TlsCluster, times: int, pause: tuple[float, float]) -> tuple[threading.Thread, list[int]]:
    """A thread that kills a worker now and then, and replaces it."""
    killed: list[int] = []

    def work() -> None:
        for _ in range(times):
            time.sleep(chance.uniform(*pause))
            victim = chance.choice([worker for worker in cluster.workers if worker.poll() is None])
            kill(victim.pid)
            victim.wait()
            killed.append(victim.pid)
            cluster.replace_dead_workers()

    thread = threading.Thread(target=work)
    thread.start()
    return thread, killed


def test_a_sweep_outlives_its_workers(client: distributed.Client, cluster: TlsCluster, task: Task, tmp_path: pathlib.Path, program_path: str) -> None:
    plan = write_plan(task, tmp_path, seeds=600)
    subprocess.run([program_path, "sweep", str(plan), "-o", str(tmp_path / "alone")], check=True, capture_output=True, timeout=300)
    thread, killed = killing(cluster, 25, (0.3, 1.2))
    table = dppl.dask.sweep(client, plan, tmp_path / "shared", patience=120)
    thread.join()
    assert (table["status"] == "ok").all() and len(killed) == 25
    kills["sweep"] = len(killed)
    assert without_seconds(tmp_path / "shared" / "results.csv") == without_seconds(tmp_path / "alone" / "results.csv")
    keys = [json.loads(line)["key"] for line in (tmp_path / "shared" / "runs.jsonl").read_text().splitlines()]
    assert len(keys) == len(set(keys)), "a run was done twice"


def test_a_pool_is_built_while_workers_are_killed(client: distributed.Client, cluster: TlsCluster, files: Files, tmp_path: pathlib.Path) -> None:
    rows = np.random.default_rng(1).normal(size=(200_000, 128)).astype(np.float32)
    np.save(tmp_path / "pool.npy", rows)
    thread, killed = killing(cluster, 10, (0.2, 1))
    info = dppl.dask.build_pool(client, tmp_path / "pool.npy", tmp_path / "p.pools", shards=30, patience=120)
    thread.join()
    alone = dppl._core.build_pool(sources=[str(tmp_path / "pool.npy")], path=str(tmp_path / "whole.pool"), transform="none", shard=(1, 1), threads=2, progress=None)
    assert info["digest"] == alone["digest"] and len(killed) == 10
    kills["workers that build"] = len(killed)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small disk for one worker")
def test_a_full_disk_on_one_worker(cluster: TlsCluster, files: Files, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    cluster.replace_dead_workers()
    for worker in cluster.workers[1:]:
        worker.kill()
        worker.wait()
    script = f"mount -t tmpfs -o size=16k none {out} && exec \"$@\""
    cluster.workers = [cluster.workers[0], cluster.start_worker(before=("unshare", "-m", "sh", "-c", script, "sh"))]
    try:
        with cluster.connect() as client:
            wait_for_workers(client, 2)
            info = dppl.dask.build_pool(client, files.source, out / "p.pools", shards=6, patience=60)
            assert info["rows"] == 1500
            assert len(list(out.glob("*.pool"))) == 6, "all were written by the worker that can"
    finally:
        cluster.workers[-1].kill()
        cluster.workers[-1].wait()
        cluster.replace_dead_workers()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small disk")
def test_a_full_disk_everywhere_is_said(client: distributed.Client, files: Files, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "small"
    out.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", str(out)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("a small disk cannot be mounted here")
    try:
        # Workers were started before the mount and see it all the same: they share our mounts.
        with pytest.raises(dppl.dask.ClusterError, match="No space left"):
            dppl.dask.build_pool(client, files.source, out / "p.pools", shards=2, patience=20)
        assert list(out.iterdir()) == []
    finally:
        subprocess.run(["umount", str(out)], check=True)
        shutil.rmtree(out)


def test_nothing_private_was_logged(cluster: TlsCluster) -> None:
    """After all of the above, with the words of Dask as they come."""
    for log in cluster.directory.glob("*.log"):
        said = log.read_text(errors="replace")
        assert "distributed" in said
        assert not re.search(r"\\x[0-9a-f]{2}|dpplask|dpplsay", said), "bytes of a message"


def test_it_was_often_enough() -> None:
    print(kills)
    assert sum(kills.values()) >= 200, "run all of this file"


@pytest.fixture
def program_path(request: pytest.FixtureRequest) -> str:
    path: str = request.config.getoption("--program")
    return path
