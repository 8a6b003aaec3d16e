"""What a cluster makes is what one process makes, whatever happens to its workers, and nothing private is seen."""

from __future__ import annotations

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any, Iterator

import numpy as np
import pytest
from clusters import Files, kill, pids, wait_for_workers
from conftest import Program, Task

pytest.importorskip("distributed", reason="Dask is not there: apt-get install python3-distributed")
pytest.importorskip("cryptography", reason="keys for TLS are not there: apt-get install python3-cryptography")

import distributed

import dppl
import dppl.dask
from dppl.dask import _fit

WORKERS = 2


@pytest.fixture(scope="module")
def client() -> Iterator[distributed.Client]:
    with dppl.dask.local_cluster(WORKERS) as client:
        yield client


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("pool"), shards=3)


def without_seconds(path: pathlib.Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return [{name: value for name, value in row.items() if name != "seconds"} for row in csv.DictReader(file)]


# ---- The same files as one process makes


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("public", {}),
        ("public", {"clip_min": 1, "clip_max": 1.4}),
        ("public", {"mechanism": "permute-and-flip"}),
        ("public-k", {"k": 3}),
        ("mean", {"epsilon": None, "rho": 0.1}),
    ],
)
def test_a_fit_is_the_same_bytes(client: distributed.Client, files: Files, method: str, settings: dict[str, Any]) -> None:
    model = dppl.dask.fit(client, files.task.X, files.task.y, pool=files.manifest, method=method, patience=30, **files.parameters(**settings))
    assert files.bytes_of(model) == files.here(method, **settings)
    assert model.pool == files.manifest


def test_people_and_examples_go_along(client: distributed.Client, files: Files) -> None:
    examples = (files.task.X[:6], files.task.y[:6])
    model = dppl.dask.fit(client, files.task.X, files.task.y, people=files.task.people, pool=files.manifest, patience=30, **files.parameters(examples=examples))
    alone = dppl.PrototypeClassifier("public", pool=files.whole, people=files.task.people, **files.parameters(examples=examples))
    assert files.bytes_of(model) == files.bytes_of(alone.fit(files.task.X, files.task.y))


def test_a_pool_is_the_same_however_it_is_cut(client: distributed.Client, files: Files, tmp_path: pathlib.Path, program: Program) -> None:
    halves = [program.file("a", files.task.pool[:700]), program.file("b", files.task.pool[700:])]
    info = dppl.dask.build_pool(client, halves, tmp_path / "p.pools", shards=5, transform="pca:8", patience=30)
    program("pool", "build", files.source, "-o", str(tmp_path / "whole.pool"), "--transform", "pca:8")
    assert info["digest"] == json.loads(program("pool", "info", str(tmp_path / "whole.pool"), "--json"))["digest"]
    assert info["rows"] == len(files.task.pool)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.glob("p*.pool")}
    assert len(times) == 5
    dppl.dask.build_pool(client, halves, tmp_path / "p.pools", shards=5, transform="pca:8", patience=30)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("p*.pool")} == times


def test_parts_of_images_are_the_whole(client: distributed.Client, tmp_path: pathlib.Path) -> None:
    images = np.random.default_rng(1).integers(256, size=(50, 28, 28), dtype=np.uint8)
    np.save(tmp_path / "images.npy", images)
    parts = dppl.dask.embed(client, tmp_path / "images.npy", tmp_path / "x.npy", shards=4, batch=8, patience=30)
    assert [os.path.basename(part) for part in parts] == [f"x-{i}-of-4.npy" for i in (1, 2, 3, 4)]
    assert np.array_equal(np.concatenate([np.load(part) for part in parts]), dppl.embed(images))


def test_a_sweep_is_the_same_table(client: distributed.Client, task: Task, tmp_path: pathlib.Path, program: Program) -> None:
    plan = write_plan(task, tmp_path, seeds=4)
    program("sweep", str(plan), "-o", str(tmp_path / "alone"))
    table = dppl.dask.sweep(client, plan, tmp_path / "shared", patience=30)
    assert len(table) == 16 and (table["status"] == "ok").all()
    assert without_seconds(tmp_path / "shared" / "results.csv") == without_seconds(tmp_path / "alone" / "results.csv")
    keys = [json.loads(line)["key"] for line in (tmp_path / "shared" / "runs.jsonl").read_text().splitlines()]
    assert len(keys) == len(set(keys)) == 16


def write_plan(task: Task, directory: pathlib.Path, seeds: int) -> pathlib.Path:
    for name, array in (("x", task.X), ("y", task.y), ("tx", task.test_X), ("ty", task.test_y), ("p", task.pool)):
        np.save(directory / f"{name}.npy", array)
    plan = directory / "plan.toml"
    plan.write_text(
        f"""title = "small"
rho = [0.1, 1]
seeds = {seeds}
[[data]]
name = "three"
encoder = "none"
train = "x.npy"
train-labels = "y.npy"
test = "tx.npy"
test-labels = "ty.npy"
classes = 3
pool = "P"
[[pool]]
name = "P"
file = "p.npy"
[[method]]
name = "mean"
[[method]]
name = "public"
"""
    )
    return plan


# ---- Lost workers


def kill_at(monkeypatch: pytest.MonkeyPatch, client: distributed.Client, steps: set[int]) -> list[int]:
    """At each of these calls of ask, a worker is killed before it can answer. Returns which were reached."""
    reached: list[int] = []
    calls = 0
    original = _fit.RemoteShards._ask_all

    async def ask_all(self: Any, requests: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls in steps:
            reached.append(calls)
            holding = next(placed.worker for placed in self._placed if placed is not None)
            kill(workers[holding] if holding in workers else (await self._client.run(os.getpid, workers=[holding]))[holding])
        return await original(self, requests)

    workers = pids(client)
    monkeypatch.setattr(_fit.RemoteShards, "_ask_all", ask_all)
    return reached


@pytest.mark.parametrize("step", [2, 4, 7])
def test_a_lost_worker_changes_nothing(client: distributed.Client, files: Files, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    wait_for_workers(client, WORKERS)
    reached = kill_at(monkeypatch, client, {step})
    model = dppl.dask.fit(client, files.task.X, files.task.y, pool=files.manifest, patience=60, **files.parameters())
    assert reached == [step]
    assert files.bytes_of(model) == files.here()


def test_a_shard_that_is_lost_for_good_fails_the_fit_once(client: distributed.Client, files: Files, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wait_for_workers(client, WORKERS)
    ledger = dppl.Ledger.create(tmp_path / "l.ledger", "d", epsilon=5)
    draws: list[int] = []
    original = _fit.RemoteShards._ask_all

    async def ask_all(self: Any, requests: Any) -> Any:
        draws.append(len(requests))
        if len(draws) > 3:
            raise dppl.dask.ClusterError("cut-2.pool: no worker holds this shard")
        return await original(self, requests)

    monkeypatch.setattr(_fit.RemoteShards, "_ask_all", ask_all)
    with pytest.raises(dppl.dask.ClusterError, match="no worker holds"):
        dppl.dask.fit(client, files.task.X, files.task.y, pool=files.manifest, classes=3, epsilon=1, ledger=ledger, dataset="d", patience=5)
    assert len(draws) == 4, "nothing is asked after the failure"
    assert ledger.status("d")["remaining"] == "ε = 4", "what was reserved stays spent"


# ---- Refused before anything is spent


def test_private_values_do_not_cross_an_open_network(files: Files, tmp_path: pathlib.Path) -> None:
    ledger = dppl.Ledger.create(tmp_path / "l.ledger", "d", epsilon=5)
    with distributed.LocalCluster(n_workers=1, processes=False, protocol="tcp://", host="127.0.0.1", dashboard_address=None) as cluster, distributed.Client(cluster) as open_client:
        with pytest.raises(ValueError, match="encrypted only"):
            dppl.dask.fit(open_client, files.task.X, files.task.y, pool=files.manifest, classes=3, epsilon=1, ledger=ledger, dataset="d")
    assert ledger.status("d")["remaining"] == "ε = 5"


def test_workers_that_keep_messages_get_no_private_ones(client: distributed.Client, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    def keep(messages: int) -> None:
        import dask

        dask.config.set({"distributed.comm.recent-messages-log-length": messages})

    worker = sorted(client.scheduler_info()["workers"])[0]
    client.run(keep, 100, workers=[worker])
    try:
        with pytest.raises(ValueError, match="keeps messages for debugging"):
            dppl.dask.fit(client, files.task.X, files.task.y, pool=files.manifest, **files.parameters())
        # One that comes later, and was not asked: all shards are put elsewhere.
        monkeypatch.setattr(_fit, "refuse_open_network", lambda client: None)
        placed = []
        original = _fit.RemoteShards._call

        async def call(self: Any, where: Any, message: bytes) -> Any:
            placed.append(where.worker)
            return await original(self, where, message)

        monkeypatch.setattr(_fit.RemoteShards, "_call", call)
        model = dppl.dask.fit(client, files.task.X, files.task.y, pool=files.manifest, **files.parameters())
        assert files.bytes_of(model) == files.here() and placed and worker not in placed
    finally:
        client.run(keep, 0, workers=[worker])


def test_within_one_process_nothing_crosses(files: Files) -> None:
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster, distributed.Client(cluster) as inside:
        model = dppl.dask.fit(inside, files.task.X, files.task.y, pool=files.manifest, patience=30, **files.parameters())
    assert files.bytes_of(model) == files.here()


def test_what_is_wrong_is_said_in_a_line(client: distributed.Client, files: Files, tmp_path: pathlib.Path) -> None:
    with pytest.raises((OSError, ValueError), match="none.pools"):
        dppl.dask.fit(client, files.task.X, files.task.y, pool=tmp_path / "none.pools", **files.parameters())
    lines = pathlib.Path(files.manifest).read_text()
    (tmp_path / "moved.pools").write_text(lines)
    with pytest.raises(dppl.dask.ClusterError, match="none of 2 workers can read it"):
        dppl.dask.fit(client, files.task.X, files.task.y, pool=tmp_path / "moved.pools", **files.parameters())
    with pytest.raises(ValueError, match="changed"):
        (tmp_path / "bad.pools").write_text(lines.replace("rows 1500", "rows 1501"))
        dppl.dask.fit(client, files.task.X, files.task.y, pool=tmp_path / "bad.pools", **files.parameters())
    with pytest.raises(ValueError, match=r"named \*.pools"):
        dppl.dask.build_pool(client, files.source, tmp_path / "p.pool")
    with pytest.raises((OSError, ValueError), match="none.npy"):
        dppl.dask.build_pool(client, tmp_path / "none.npy", tmp_path / "p.pools", shards=2, patience=3)
    with pytest.raises(dppl.dask.ClusterError, match="no scheduler answers"):
        dppl.dask.connect("tcp://127.0.0.1:1", timeout=1)
    with pytest.raises(ValueError, match="the files for TLS"):
        dppl.dask.connect("tls://127.0.0.1:1")


def test_a_shard_of_another_pool_is_refused(client: distributed.Client, files: Files, tmp_path: pathlib.Path) -> None:
    other = Files(tmp_path, shards=3, task=Task(seed=5))
    (tmp_path / "cut-2.pool").write_bytes(pathlib.Path(files.directory / "cut-2.pool").read_bytes())
    with pytest.raises(ValueError, match="digest|another|changed"):
        dppl.dask.fit(client, other.task.X, other.task.y, pool=other.manifest, patience=10, **other.parameters())


# ---- What others can see


def test_logs_and_disks_have_nothing_of_a_fit(client: distributed.Client, files: Files) -> None:
    dppl.dask.fit(client, files.task.X, files.task.y, pool=files.manifest, patience=30, **files.parameters())
    said = json.dumps([client.get_scheduler_logs(), client.get_worker_logs()], default=str)
    assert not re.search(r"\\\\x[0-9a-f]{2}|\bb(?:'|\\\")", said), "bytes of a message"
    for directory in client.run(lambda dask_worker: dask_worker.local_directory).values():
        assert [path for path in pathlib.Path(directory).rglob("*") if path.is_file() and path.stat().st_size > 0 and "lock" not in path.name] == []
    assert all(count == 0 for count in client.run(lambda dask_worker: len(dask_worker.state.actors)).values()), "shards are dropped"
    tasks = client.run_on_scheduler(lambda dask_scheduler: [key for key in dask_scheduler.tasks])
    assert all(re.fullmatch(r"dppl-[a-z-]+-\d+-[0-9a-f]{32}", key) for key in tasks), tasks


# ---- The commands


def run(*arguments: str, status: int = 0) -> str:
    done = subprocess.run([sys.executable, "-m", "dppl.dask", *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout if status == 0 else done.stderr


def test_help_teaches() -> None:
    assert "example, all on this machine" in run("--help")
    for command in ("embed", "build-pool", "fit", "sweep", "simulate", "plan"):
        assert "example:" in run(command, "--help")


def test_commands_start_a_cluster_and_make_the_same(files: Files, tmp_path: pathlib.Path) -> None:
    model = tmp_path / "m.dppl"
    said = run("fit", "--train", files.train, "--labels", files.labels, "--classes", "3", "--pool", files.manifest, "--epsilon", "1", "--seed", "3",
               "--not-private", "-o", str(model), "--workers", "2", "--json")  # fmt: skip
    assert model.read_bytes() == files.here()
    assert json.loads(said)["digest"]
    assert "give --seed and --not-private together" in run("fit", "--train", "x", "--labels", "y", "--classes", "3", "--pool", "p", "--seed", "3", "-o", str(model), status=2)
    error = run("fit", "--train", files.train, "--labels", files.labels, "--classes", "3", "--pool", str(tmp_path / "none.pools"), "--epsilon", "1", "-o", str(model), "--workers", "1", status=1)
    assert "none.pools" in error and "Traceback" not in error
    open_scheduler = ("--scheduler", "tcp://127.0.0.1:1")
    assert "encrypted only" in run("fit", "--train", "x", "--labels", "y", "--classes", "3", "--pool", "p", "--epsilon", "1", *open_scheduler, "-o", str(model), status=1)
