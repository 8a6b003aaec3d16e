"""The messages of a fit over many shards, counted: the real ones, with all shards in this process."""

from __future__ import annotations

import os
import tempfile
import uuid
from typing import Any, Sequence

import numpy as np

from .. import _core
from .._estimator import PrototypeClassifier

# Rows that are drawn at once.
BLOCK = 65536


class Counter:
    """Answers for shards as workers would, and counts what crosses."""

    def __init__(self, shards: list[_core.SelectionShard]) -> None:
        self._shards = shards
        self.rounds = self.messages = self.sent = self.received = self.largest_sent = self.largest_received = 0

    def ask(self, requests: list[_core.ShardRequest]) -> list[bytes]:
        replies = []
        self.rounds += 1
        for request in requests:
            message = request.message
            reply = self._shards[request.shard].answer(message)
            self.messages += 1
            self.sent += len(message)
            self.received += len(reply)
            self.largest_sent = max(self.largest_sent, len(message))
            self.largest_received = max(self.largest_received, len(reply))
            replies.append(reply)
        return replies


def simulate(*, rows: int, dim: int, classes: int, records: int, shards: Sequence[int], method: str = "public", clip: bool = False) -> list[dict[str, Any]]:
    """One seeded fit for each number of shards: what crossed, and the digest of the model, which is the same for all."""
    random = np.random.default_rng(1)
    centres = random.normal(size=(classes, dim)).astype(np.float32)
    labels = random.integers(classes, size=records)
    private = (centres[labels] + random.normal(size=(records, dim))).astype(np.float32)
    found = []
    with tempfile.TemporaryDirectory(prefix="dppl-simulate-") as directory:
        source = os.path.join(directory, "pool.npy")
        write_rows(source, centres, rows, random)
        for count in shards:
            opened = []
            first = 0
            for i in range(1, count + 1):
                part = os.path.join(directory, f"{count}-{i}.pool")
                _core.build_pool(sources=[source], path=part, transform="none", shard=(i, count), threads=1, progress=None)
                opened.append(_core.SelectionShard(part, first, 1))
                first += opened[-1].rows
            manifest = os.path.join(directory, f"{count}.pools")
            info = _core.commit_pool(shards=[os.path.join(directory, f"{count}-{i}.pool") for i in range(1, count + 1)], path=manifest, threads=1)
            counter = Counter(opened)
            remote = _core.RemotePool([(shard.digest, shard.rows) for shard in opened], info["digest"], uuid.uuid4().hex, counter.ask)
            settings: dict[str, Any] = {"clip_min": 1, "clip_max": 1.2} if clip else {}
            model = PrototypeClassifier(method, pool=remote, classes=classes, epsilon=1, seed=1, **settings).fit(private, labels)
            found.append(
                {
                    "shards": count,
                    "rounds": counter.rounds,
                    "messages": counter.messages,
                    "sent": counter.sent,
                    "received": counter.received,
                    "largest_request": counter.largest_sent,
                    "largest_reply": counter.largest_received,
                    "model": model.save(os.path.join(directory, "model.dppl")),
                }
            )
            for file in os.listdir(directory):
                if file.endswith((".pool", ".pools")):
                    os.unlink(os.path.join(directory, file))
    return found


def write_rows(path: str, centres: Any, rows: int, random: np.random.Generator) -> None:
    """Public rows around the same centres, never in memory whole."""
    dim = centres.shape[1]
    matrix = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, dim))  # type: ignore[no-untyped-call]
    for begin in range(0, rows, BLOCK):
        size = min(BLOCK, rows - begin)
        matrix[begin : begin + size] = centres[random.integers(len(centres), size=size)] + 2 * random.standard_normal(size=(size, dim), dtype=np.float32)
    matrix.flush()


def table_of(found: list[dict[str, Any]]) -> str:
    lines = ["shards  rounds  messages     sent to shards  received from them  largest request  largest reply"]
    for one in found:
        lines.append(
            f"{one['shards']:6}  {one['rounds']:6}  {one['messages']:8}  {one['sent']:15,} B  {one['received']:16,} B  {one['largest_request']:13,} B  {one['largest_reply']:11,} B"
        )
    same = len({one["model"] for one in found}) == 1
    lines.append(f"all gave the model {found[0]['model']}" if same else "THE MODELS DIFFER: this is a bug, please report it")
    return "\n".join(lines)
