#!/usr/bin/python3
"""Pools in shards: what the sharded path costs, what a second worker brings, and how time and memory grow with the rows.

    scripts/setup.sh --test && scripts/build.sh && bench/shards.py [--part path|workers|rows] [--runs 5] [--scratch DIR]

path     one shard through the sharded path, in a manifest and by the messages that workers get, against one pool file; runs alternate, and the ratio is that
         of the fastest of each (at most 1.1)
workers  embedding and selection with clipped scores on 1, 2, … local workers of one thread each; the cluster is started before the clock (2 on 2 cores:
         at least 1.7). All pairs: permute-and-flip, which needs every score. Lazy: the exponential mechanism on this pool of pure noise, where bounds
         exclude nothing and it asks for rows in lists
rows     1, 2, 5 and 10 million rows × 256 in 8 shards: building and fitting, seconds and the largest resident set of each process (at most 4 GB)
"""
import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import uuid

from common import DPPL, ROOT

sys.path.insert(0, os.path.join(ROOT, "build", "python"))
os.environ["PYTHONPATH"] = os.path.join(ROOT, "build", "python")

import numpy as np  # noqa: E402

import dppl  # noqa: E402
from dppl import _core  # noqa: E402

CLIP = {"clip_min": 1.7, "clip_max": 1.8}  # about where the cosines of rows of bytes are


def rows_file(path, rows, dim, seed):
    """Rows of bytes, written block by block."""
    random = np.random.default_rng(seed)
    matrix = np.lib.format.open_memmap(path, mode="w+", dtype=np.uint8, shape=(rows, dim))
    for begin in range(0, rows, 1 << 18):
        end = min(rows, begin + (1 << 18))
        matrix[begin:end] = np.frombuffer(random.bytes((end - begin) * dim), np.uint8).reshape(-1, dim)
    matrix.flush()
    return path


def cut(source, directory, name, shards):
    """A pool in so many shards; the manifest's name."""
    parts = [os.path.join(directory, f"{name}-{i}.pool") for i in range(1, shards + 1)]
    for i, part in enumerate(parts, 1):
        _core.build_pool(sources=[source], path=part, transform="none", shard=(i, shards), threads=2, progress=None)
    manifest = os.path.join(directory, f"{name}.pools")
    _core.commit_pool(shards=parts, path=manifest, threads=2)
    return manifest


def timed(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def measure_path(scratch, runs):
    random = np.random.default_rng(0)
    X, y = random.integers(256, size=(20_000, 1280), dtype=np.uint8), random.integers(100, size=20_000)
    source = rows_file(os.path.join(scratch, "pool.npy"), 50_000, 1280, 1)
    whole = os.path.join(scratch, "whole.pool")
    _core.build_pool(sources=[source], path=whole, transform="none", shard=(1, 1), threads=2, progress=None)
    manifest = cut(source, scratch, "one", 1)
    shard = _core.SelectionShard(os.path.join(scratch, "one-1.pool"), 0, 2)

    def ask(requests):
        return [shard.answer(request.message) for request in requests]

    digest = dppl.Pool(manifest).digest
    remote = _core.RemotePool([(shard.digest, shard.rows)], digest, uuid.uuid4().hex, ask)
    pools = {"one pool file": dppl.Pool(whole), "a manifest of one": dppl.Pool(manifest), "messages to one": remote}
    print(f"{'50,000 rows × 1280, 100 classes':<44}" + "".join(f"{name:>20}" for name in pools) + "    ratios")
    for what, settings in (("whole range, 20,000 records", {}), ("clipped, 20,000 records", CLIP)):
        times = {name: [] for name in pools}
        models = set()
        for _ in range(runs):
            for name, pool in pools.items():
                model = dppl.PrototypeClassifier("public", epsilon=1, classes=100, pool=pool, seed=1, threads=2, **settings)
                times[name].append(timed(lambda: model.fit(X, y)))
                models.add(model.model_.to_bytes())
        best = {name: min(found) for name, found in times.items()}
        first = best["one pool file"]
        print(f"{what:<44}" + "".join(f"{seconds:>18.3f} s" for seconds in best.values()) + "    " + ", ".join(f"{seconds / first:.3f}" for seconds in best.values())
              + ("" if len(models) == 1 else "  MODELS DIFFER"))


def measure_workers(scratch, runs, counts):
    import dppl.dask

    random = np.random.default_rng(0)
    images = os.path.join(scratch, "images.npy")
    np.save(images, random.integers(256, size=(20_000, 64, 64), dtype=np.uint8))
    X, y = random.integers(256, size=(10_000, 1280), dtype=np.uint8), random.integers(20, size=10_000)
    source = rows_file(os.path.join(scratch, "pool.npy"), 300_000, 1280, 1)
    manifest = cut(source, scratch, "eight", 8)
    def select(client, **how):
        dppl.dask.fit(client, X, y, pool=manifest, epsilon=1, classes=20, seed=1, threads=1, **how, **CLIP)

    works = {
        "embedding": lambda client, output: dppl.dask.embed(client, images, output, shards=16),
        "all pairs": lambda client, _: select(client, mechanism="permute-and-flip"),
        "lazy": lambda client, _: select(client),
    }
    print(f"{'workers of one thread':<30}" + "".join(f"{name:>14}{'of 1':>8}" for name in works))
    first = None
    for workers in counts:
        times = {name: [] for name in works}
        with dppl.dask.local_cluster(workers) as client:
            for run in range(runs):
                output = os.path.join(scratch, f"x-{workers}-{run}.npy")
                for name, work in works.items():
                    times[name].append(timed(lambda: work(client, output)))
        found = {name: min(some) for name, some in times.items()}
        first = first or found
        print(f"{workers:<30}" + "".join(f"{seconds:>12.2f} s{first[name] / seconds:>8.2f}" for name, seconds in found.items()), flush=True)


def run_measured(*command):
    """Seconds, and the largest resident set in bytes."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)}: {said.decode()}")
    return time.perf_counter() - begin, usage.ru_maxrss * 1024


def measure_rows(scratch, millions):
    dim, shards = 256, 8
    train, labels = os.path.join(scratch, "x.npy"), os.path.join(scratch, "y.npy")
    random = np.random.default_rng(0)
    np.save(train, random.integers(256, size=(20_000, dim), dtype=np.uint8))
    np.save(labels, random.integers(100, size=20_000))
    print(f"{'million rows × 256':<20}{'build, 8 shards':>18}{'resident':>12}{'commit':>10}{'resident':>12}{'fit, C = 100':>14}{'resident':>12}{'s per million':>15}")
    for count in millions:
        # In a process of its own: the largest resident set of a program begins with that of the process that started it.
        source = os.path.join(scratch, "rows.npy")
        writer = multiprocessing.Process(target=rows_file, args=(source, count * 1_000_000, dim, 1))
        writer.start()
        writer.join()
        parts = [os.path.join(scratch, f"rows-{i}.pool") for i in range(1, shards + 1)]
        built = [run_measured(DPPL, "pool", "build", source, "-o", part, "--shard", f"{i}/{shards}") for i, part in enumerate(parts, 1)]
        manifest = os.path.join(scratch, "rows.pools")
        committed = run_measured(DPPL, "pool", "commit", *parts, "-o", manifest)
        fit = run_measured(DPPL, "fit", "--method", "public", "--train", train, "--labels", labels, "--classes", "100", "--pool", manifest, "--epsilon", "1",
                           "--seed", "1", "--not-private", "-o", os.path.join(scratch, "m.dppl"))
        seconds, resident = sum(one[0] for one in built), max(one[1] for one in built)
        print(f"{count:<20}{seconds:>16.1f} s{resident / 1e9:>9.2f} GB{committed[0]:>8.1f} s{committed[1] / 1e9:>9.2f} GB{fit[0]:>12.1f} s{fit[1] / 1e9:>9.2f} GB"
              f"{(seconds + committed[0] + fit[0]) / count:>15.2f}")
        for file in (source, manifest, *parts):
            os.unlink(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("path", "workers", "rows"), help="only this one")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--workers", default="1,2,4,8", help="numbers of workers")
    parser.add_argument("--millions", default="1,2,5,10", help="millions of rows")
    parser.add_argument("--scratch", help="a folder with room for 6 GB (default: the system's)")
    options = parser.parse_args()
    for part, work in (("path", lambda scratch: measure_path(scratch, options.runs)),
                       ("workers", lambda scratch: measure_workers(scratch, options.runs, [int(n) for n in options.workers.split(",")])),
                       ("rows", lambda scratch: measure_rows(scratch, [int(n) for n in options.millions.split(",")]))):
        if options.part in (None, part):
            with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
                work(scratch)
                sys.stdout.flush()


if __name__ == "__main__":
    main()
