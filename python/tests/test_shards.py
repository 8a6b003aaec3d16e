"""Fits on a pool in shards, carried by Python: the model of one pool file, or the carrier's own exception."""

from __future__ import annotations

import pathlib
from typing import Any, Callable

import numpy as np
import pytest

import dppl
from dppl import _core

CUTS = [0, 400, 401, 1500]
Ask = Callable[[list[_core.ShardRequest]], list[bytes]]


class Cut:
    """One pool file, and the same rows in three."""

    def __init__(self, pool: Any, program: Any) -> None:
        source = program.file("pool", pool)
        self.whole = self._build(program, source, "whole", np.arange(len(pool)))
        self.paths = [self._build(program, source, f"part{i}", np.arange(a, b)) for i, (a, b) in enumerate(zip(CUTS, CUTS[1:]))]
        self.shards = [self.open(i) for i in range(len(self.paths))]
        self.digest = dppl.Pool(self.whole).digest

    def _build(self, program: Any, source: str, name: str, rows: Any) -> str:
        path = str(program.directory / f"{name}.pool")
        program("pool", "build", source, "-o", path, "--rows", program.file(name, rows.astype(np.int64)), "--transform", "whiten:8")
        return path

    def open(self, shard: int) -> _core.SelectionShard:
        return _core.SelectionShard(self.paths[shard], CUTS[shard], 1)

    def ask(self, requests: list[_core.ShardRequest]) -> list[bytes]:
        return [self.shards[request.shard].answer(request.message) for request in requests]

    def remote(self, ask: Ask) -> _core.RemotePool:
        return _core.RemotePool([(shard.digest, shard.rows) for shard in self.shards], self.digest, "a session", ask)


@pytest.fixture
def cut(task: Any, program: Any) -> Cut:
    return Cut(task.pool, program)


def fitted(task: Any, pool: Any, **more: Any) -> dppl.PrototypeClassifier:
    parameters = dict(method="public", rho=0.05, classes=3, seed=5, pool=pool, public_transform="whiten:8")
    return dppl.PrototypeClassifier(**{**parameters, **more}).fit(task.X, task.y)


@pytest.mark.parametrize("how", [{}, {"clip_min": 1, "clip_max": 1.5}, {"method": "public-k", "k": 3}], ids=["whole", "clipped", "public-k"])
def test_the_model_of_one_pool_file(task: Any, cut: Cut, how: dict[str, Any]) -> None:
    remote = cut.remote(cut.ask)
    assert (remote.rows, remote.dim, remote.digest, remote.transform) == (1500, 32, cut.digest, "whiten:8")
    model = fitted(task, remote, **how).model_
    assert model.to_bytes() == fitted(task, dppl.Pool(cut.whole), **how).model_.to_bytes()


def test_a_lost_shard_is_made_again(task: Any, cut: Cut) -> None:
    lost = 0

    def ask(requests: list[_core.ShardRequest]) -> list[bytes]:
        nonlocal lost
        replies = []
        for request in requests:
            if request.sequence % 2 == 1:
                cut.shards[request.shard] = cut.open(request.shard)
            shard, message = cut.shards[request.shard], request.message
            try:
                replies.append(shard.answer(message))
            except _core.ShardOutOfStep:
                lost += 1
                for old in request.replay:
                    shard.answer(old)
                replies.append(shard.answer(message))
        return replies

    assert fitted(task, cut.remote(ask)).model_.to_bytes() == fitted(task, dppl.Pool(cut.whole)).model_.to_bytes()
    assert lost > 3


class Gone(Exception):
    pass


def test_an_exception_of_the_carrier_ends_the_fit_and_the_reservation_stays(task: Any, cut: Cut, tmp_path: pathlib.Path) -> None:
    asked = 0

    def ask(requests: list[_core.ShardRequest]) -> list[bytes]:
        nonlocal asked
        asked += 1
        if asked == 5:
            raise Gone("worker 3")
        return cut.ask(requests)

    ledger = dppl.Ledger.create(tmp_path / "ledger.db", "d", rho=1)
    with pytest.raises(Gone, match="worker 3"):
        fitted(task, cut.remote(ask), ledger=ledger, dataset="d")
    assert ledger.status("d")["remaining"] == "ρ = 0.95"
    assert asked == 5, "nothing is asked, and so nothing drawn, once more"


def test_wrong_replies_are_refused(task: Any, cut: Cut) -> None:
    last: list[bytes] = []

    def late(requests: list[_core.ShardRequest]) -> list[bytes]:
        nonlocal last
        replies = cut.ask(requests)
        told = last[:1] + replies[1:] if requests[0].sequence > 12 else replies
        last = replies
        return told

    with pytest.raises(ValueError, match="cannot be used"):
        fitted(task, cut.remote(late))
    with pytest.raises(TypeError, match="list of bytes"):
        cut.remote(lambda requests: ["text" for _ in requests])  # type: ignore[misc]


def test_methods_that_need_the_rows_are_refused(task: Any, cut: Cut) -> None:
    remote = cut.remote(cut.ask)
    for method in ("mean", "auto"):
        with pytest.raises(ValueError, match="other machines|elsewhere"):
            fitted(task, remote, method=method)
