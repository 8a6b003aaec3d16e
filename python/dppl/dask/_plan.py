"""What a pool of a given size costs on so many machines, step by step: bytes, rounds, seconds and money."""

from __future__ import annotations

import math
from typing import NamedTuple

# Stored with each row besides its values: factor, sum, scale (4 bytes each) and id (8).
ROW_BYTES = 20
# Rows from which a transform is computed, whatever the size of the pool.
SUBSAMPLE = 16384
# Digests of a pool file: at most 2^20 leaves, 32 bytes each.
MOST_LEAVES, DIGEST = 2**20, 32
# Selection: a bound and a mark per row and class that is under way (src/selection/select_remote.cc), within an eighth
# of the values or 64 MiB; classes go by groups of a multiple of 16.
BOUND_BYTES, BOUND_MEMORY, PANEL, MOST_TOGETHER = 9, 64 << 20, 16, 512
# Counted by `python -m dppl.dask simulate`: bytes of a class at the start of its group beside its sum, rounds of questions
# per group (more where scores are clipped), and the bytes of a question with its answer, per class and of the message.
START_BYTES, ROUNDS, ROUNDS_CLIPPED, QUESTION_BYTES, HEAD_BYTES = 100, 4, 8, 60, 300


class Rates(NamedTuple):
    images_per_second: float  # that one machine embeds
    image_bytes: float  # of one image file
    disk: float  # bytes per second, of each machine
    memory: float
    multiplies: float  # int8 multiply-adds per second, of each machine
    network: float  # bytes per second, of each machine
    round_trip: float  # seconds from a request through Dask to its reply
    message: float  # seconds of the coordinator's time for each request
    price: float  # of one machine for an hour


class Step(NamedTuple):
    name: str
    read: float  # bytes from disks, of all machines together
    moved: float  # bytes over the network
    held: float  # bytes in memory, of the machine that holds most
    rounds: int  # messages one after the other
    seconds: float
    cost: float
    grows: str


def plan(*, rows: int, dim: int, machines: int, shards: int, classes: int, records: int, rates: Rates) -> list[Step]:
    """The steps from image files to a model with prototypes of the pool, none of them clipped, and one with clipping."""
    embedded = rows * dim * 4.0
    stored = rows * (dim + ROW_BYTES) + min(rows, MOST_LEAVES) * DIGEST
    per_machine = stored / machines
    rows_each = math.ceil(rows / shards)
    fitting = max(BOUND_MEMORY // (BOUND_BYTES * rows_each), dim // (8 * BOUND_BYTES))
    together = min(max(math.ceil(fitting / PANEL) * PANEL, PANEL), MOST_TOGETHER)
    groups = math.ceil(classes / together)
    group = min(together, classes)
    bounds = BOUND_BYTES * rows / machines * group

    def step(name: str, read: float, moved: float, held: float, rounds: int, seconds: float, grows: str, used: int = machines) -> Step:
        return Step(name, read, moved, held, rounds, seconds, seconds / 3600 * used * rates.price, grows)

    images = rows * rates.image_bytes
    steps = [
        step(
            "embed", images, images + embedded, 2e9, 0, max(rows / machines / rates.images_per_second, images / machines / rates.network, embedded / machines / rates.disk),
            "rows ÷ machines",
        ),
        step(
            "build", embedded + shards * SUBSAMPLE * dim * 4.0, embedded, SUBSAMPLE * dim * 4.0 + 64e6, 0,
            (embedded + shards * SUBSAMPLE * dim * 4.0) / machines / min(rates.disk, rates.network) + stored / machines / rates.disk, "rows × dim ÷ machines",
        ),
        step("commit", stored, stored, 64e6, 0, stored / min(rates.disk, rates.network), "rows × dim (one machine)", 1),
        step("open", stored, 0, per_machine, 1, per_machine / rates.disk + rates.round_trip, "rows × dim ÷ machines"),
    ]  # fmt: skip
    # The values are read from memory once per group of classes, where a machine has room for them, else from its disk.
    passes = max(groups * rows * float(dim) / machines / rates.memory, rows / machines * dim * classes / rates.multiplies)
    sums = (16.0 * dim + START_BYTES) * classes * shards
    for name, sent, rounds in (("whole range", sums, ROUNDS), ("clipped", sums + records * (dim + 16.0) * shards, ROUNDS_CLIPPED)):
        seconds = passes + sent / rates.network + groups * (rates.round_trip + shards * rates.message)
        steps.append(step(f"{name}: bounds", 0, sent, per_machine + bounds, groups, seconds, "rows × dim × classes ÷ machines + shards × classes × dim"))
        asked = float(groups * rounds * shards * (HEAD_BYTES + QUESTION_BYTES * group))
        seconds = groups * rounds * (rates.round_trip + shards * rates.message) + asked / rates.network
        steps.append(step(f"{name}: weights, draw, accept", 0, asked, per_machine + bounds, groups * rounds, seconds, "shards × classes"))
    steps.append(step("write the model", 0, classes * (dim + 24.0), classes * dim * 4.0, 1, rates.round_trip, "classes × dim", 1))
    return steps


def amount(count: float) -> str:
    """
    >>> amount(1.28e12), amount(5120)
    ('1.28 TB', '5.12 kB')
    """
    for unit, size in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


def duration(seconds: float) -> str:
    """
    >>> duration(0.5), duration(90), duration(10800)
    ('0.5 s', '1.5 min', '3 h')
    """
    if seconds < 60:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"


def table_of(steps: list[Step]) -> str:
    lines = [f"{'step':<36}{'read':>10}{'moved':>10}{'held by one':>13}{'rounds':>8}{'time':>10}{'cost':>9}  grows with"]
    for step in steps:
        lines.append(
            f"{step.name:<36}{amount(step.read):>10}{amount(step.moved):>10}{amount(step.held):>13}{step.rounds:>8}{duration(step.seconds):>10}{step.cost:>9.2f}  {step.grows}"
        )
    return "\n".join(lines)
