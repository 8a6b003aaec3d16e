#!/usr/bin/python3
"""The selection engine at the paper's full size, against numpy and PyTorch in the same run, with two threads.

    scripts/setup.sh --bench && scripts/build.sh && scripts/build.sh bench && bench/engine.py [--scale 1] [--real DIR] [--plot FILE.svg]

Generates a pool of 1,281,167 x 1280 float32 and two private sets of 50,000 from a seed (8.4 GB in --directory, removed at the end; --keep
leaves them), builds the pool file with `dppl pool build`, and prints one table. numpy and PyTorch get the float pool in memory and the best
block size of a few; where they would take minutes they run on a slice of the pool and the time is multiplied (marked "extrapolated": their
work is the same for every block). Ours is the time to choose for all classes from the opened pool file, records quantised anew; opening
(every byte checked) is a line of its own. --real adds the same for real embeddings (a directory with pool_x.npy, cifar100_train_*.npy).
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile
import time

from common import DPPL, ROOT, seconds

import numpy as np
import torch

ENGINE = os.path.join(ROOT, "build", "bench", "bench", "bench_engine")
DIM, POOL, PRIVATE, CLUSTERS = 1280, 1_281_167, 50_000, 1000
CLIP = (1.2, 1.6)


def engine(*arguments):
    result = subprocess.run([ENGINE, *map(str, arguments)], check=True, capture_output=True, text=True, close_fds=False)
    return json.loads(result.stdout)


# ---- Data: a common direction, cluster centres, and within a cluster a spectrum that falls off, as encoders give.
# Cosines are about 0.6 within a cluster and 0.2 between clusters.

class Data:
    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)
        normal = lambda *shape: self.generator.standard_normal(shape, dtype=np.float32)
        self.common = normal(DIM) * np.sqrt(0.2 / DIM)
        self.centres = normal(CLUSTERS, DIM) * np.sqrt(0.4 / DIM)
        spectrum = 1 / (1 + np.arange(DIM) / 5)
        self.spread = np.sqrt(0.4 * spectrum / spectrum.sum()).astype(np.float32)

    def rows(self, centres):
        block = self.generator.standard_normal((len(centres), DIM), dtype=np.float32)
        block *= self.spread
        block += centres
        block += self.common
        return block

    def write_pool(self, path, count):
        with open(path, "wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (count, DIM)})
            for begin in range(0, count, 16384):
                size = min(16384, count - begin)
                file.write(self.rows(self.centres[self.generator.integers(0, CLUSTERS, size)]).data)

    def write_private(self, path, labels_path, classes, count):
        """Classes near public clusters, but not the same."""
        own = self.generator.standard_normal((classes, DIM), dtype=np.float32) * np.sqrt(0.4 / DIM)
        centres = np.sqrt(0.7) * self.centres[:classes] + np.sqrt(0.3) * own
        labels = np.arange(count, dtype=np.int32) % classes
        np.save(path, self.rows(centres[labels]))
        np.save(labels_path, labels)


# ---- Peers

def normalised(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def numpy_unclipped(pool, x, y, classes):
    sums = np.stack([normalised(x[y == c]).sum(0) for c in range(classes)]).T.copy()

    def work(block):
        return lambda: [normalised(pool[i:i + block]) @ sums for i in range(0, len(pool), block)]
    return min(seconds(work(block), 1) for block in (4096, 65536))


def torch_unclipped(pool, x, y, classes):
    pool, x, y = torch.from_numpy(pool), torch.from_numpy(x), torch.from_numpy(y)
    sums = torch.stack([torch.nn.functional.normalize(x[y == c]).sum(0) for c in range(classes)]).T.contiguous()

    def work(block):
        return lambda: [torch.nn.functional.normalize(pool[i:i + block]) @ sums for i in range(0, len(pool), block)]
    return min(seconds(work(block), 1) for block in (4096, 65536))


def numpy_clipped(pool, x, y, classes):
    members = [normalised(x[y == c]).T.copy() for c in range(classes)]

    def one(part):
        part = normalised(part)
        for member in members:
            scores = part @ member
            scores += 1
            np.clip(scores, *CLIP, out=scores)
            scores -= np.float32(CLIP[0])
            scores.sum(1)

    def work(block):
        return lambda: [one(pool[i:i + block]) for i in range(0, len(pool), block)]
    return min(seconds(work(block), 1) for block in (2048, 8192))


def torch_clipped(pool, x, y, classes):
    pool, x, y = torch.from_numpy(pool), torch.from_numpy(x), torch.from_numpy(y)
    members = [torch.nn.functional.normalize(x[y == c]).T.contiguous() for c in range(classes)]

    def one(part):
        part = torch.nn.functional.normalize(part)
        for member in members:
            (part @ member).add_(1).clamp_(*CLIP).sub_(CLIP[0]).sum(1)

    def work(block):
        return lambda: [one(pool[i:i + block]) for i in range(0, len(pool), block)]
    return min(seconds(work(block), 1) for block in (2048, 8192))


# ---- The table

def row(what, ours, remark=""):
    print(f"| {what} | {ours} | {remark} |", flush=True)


def of_peer(ours, peer, name, factor=1):
    return f"{name} {peer * factor:.1f} s{' (extrapolated)' if factor != 1 else ''}: {peer * factor / ours:.1f} x"


def synthetic(arguments, directory):
    count = int(POOL * arguments.scale)
    path = lambda name: os.path.join(directory, name)
    peaks = engine("peaks")
    row("peak of 8-bit, 16-bit, float32 products (registers only), reading memory",
        f"{peaks['bytes']:.0f}, {peaks['words']:.0f}, {peaks['floats']:.0f} billion/s, {peaks['read']:.0f} GB/s", peaks["cpu"])
    data = Data(1)
    if not os.path.exists(path("pool.npy")):
        data.write_pool(path("pool.npy"), count)
        for classes in (10, 100):
            data.write_private(path(f"x{classes}.npy"), path(f"y{classes}.npy"), classes, PRIVATE)
    begin = time.perf_counter()
    subprocess.run([DPPL, "pool", "build", path("pool.npy"), "-o", path("pool.pool")], check=True, stdout=subprocess.DEVNULL)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    size = os.path.getsize(path("pool.pool"))
    row(f"`pool build`, {count:,} x {DIM}", f"{time.perf_counter() - begin:.1f} s",
        f"{size / 1e9:.2f} GB; peak {peak:.0f} MB, the mapped input included")

    task = lambda classes: ("select", "--pool", path("pool.pool"), "--train", path(f"x{classes}.npy"), "--labels",
                            path(f"y{classes}.npy"), "--classes", classes)
    clip = ("--clip-min", CLIP[0], "--clip-max", CLIP[1])
    pool = np.load(path("pool.npy"))
    slice_rows = min(len(pool), 4096)
    factor = len(pool) / slice_rows
    x, y, peers = {}, {}, {}
    for classes in (10, 100):
        x[classes], y[classes] = np.load(path(f"x{classes}.npy")), np.load(path(f"y{classes}.npy"))
    opened = 0
    for classes in (10, 100):
        ours = engine(*task(classes), "--repeats", 3)
        opened = ours["open"]
        by_peer = numpy_unclipped(pool, x[classes], y[classes], classes), torch_unclipped(pool, x[classes], y[classes], classes)
        roofline = lambda width: max(count * DIM * classes / peaks[width] / 1e9, size / peaks["read"] / 1e9)
        row(f"not clipped, C = {classes}", f"{ours['seconds']:.2f} s",
            f"{of_peer(ours['seconds'], by_peer[0], 'numpy')}; {of_peer(ours['seconds'], by_peer[1], 'torch')}; "
            f"roofline {roofline('bytes'):.2f} s: {roofline('bytes') / ours['seconds']:.0%} "
            f"(of 16-bit products {roofline('words'):.2f} s: {roofline('words') / ours['seconds']:.0%})")
    row("opening the pool file and the records, every byte checked", f"{opened:.2f} s")
    for classes in (10, 100):
        peers[classes] = (numpy_clipped(pool[:slice_rows], x[classes], y[classes], classes),
                          torch_clipped(pool[:slice_rows], x[classes], y[classes], classes))
        ours = engine(*task(classes), *clip, "--repeats", 2)
        paper = {10: 5.0, 100: 34.3}[classes]
        row(f"clipped [1.2, 1.6], eps = 1, C = {classes}", f"{ours['seconds']:.2f} s",
            f"{ours['evaluated']:.2%} of the pairs; {of_peer(ours['seconds'], peers[classes][0], 'numpy', factor)}; "
            f"{of_peer(ours['seconds'], peers[classes][1], 'torch', factor)}; the paper's A100 {paper} s; peak {ours['peak_mb']:.0f} MB "
            f"= file + {ours['peak_mb'] - size / 2**20:.0f} MB")
    for classes in (10, 100):
        ours = engine(*task(classes), *clip, "--all-pairs", 16384)
        rate = lambda time_taken: slice_rows * PRIVATE * DIM / time_taken / 1e9
        row(f"clipped, all pairs forced, C = {classes} (16,384 candidates)", f"{ours['gmacs']:.0f} billion products/s",
            f"{ours['gmacs'] / peaks['bytes']:.0%} of the peak; numpy {rate(peers[classes][0]):.0f}: {ours['gmacs'] / rate(peers[classes][0]):.1f} x; "
            f"torch {rate(peers[classes][1]):.0f}: {ours['gmacs'] / rate(peers[classes][1]):.1f} x")
    for words, more in (("not clipped", ()), ("clipped [1.2, 1.6], eps = 1", clip)):
        both = engine(*task(100), *more, "--remote", "--repeats", 2)["remote"]
        row(f"{words}, C = 100, as the one shard of a remote pool", f"{both['seconds']:.2f} s",
            f"{both['ratio']:.2f} x of the direct path in the same run; {both['requests']:.0f} requests, {both['megabytes']:.1f} MB")
    return growth(task, clip, count, path)


def growth(task, clip, count, path):
    """Seconds against the pool's size, the number of records and of classes."""
    series = {"pool rows": [], "records": [], "classes": []}
    for part in (8, 4, 2, 1):
        series["pool rows"].append((count // part, engine(*task(100), *clip, "--limit", count // part, "--repeats", 2)["seconds"]))
    for part in (8, 4, 2, 1):
        np.save(path("rows.npy"), np.arange(PRIVATE // part))
        series["records"].append((PRIVATE // part, engine(*task(100), *clip, "--rows", path("rows.npy"), "--repeats", 2)["seconds"]))
    x, y = np.load(path("x100.npy")), np.load(path("y100.npy"))
    for classes in (12, 25, 50, 100):
        np.save(path("x.npy"), x[y < classes])
        np.save(path("y.npy"), y[y < classes])
        series["classes"].append((classes, engine("select", "--pool", path("pool.pool"), "--train", path("x.npy"), "--labels", path("y.npy"),
                                                  "--classes", classes, *clip, "--repeats", 2)["seconds"]))
    for name, points in series.items():
        row(f"clipped, C = 100, growth with {name}", ", ".join(f"{at:,}: {time_taken:.2f} s" for at, time_taken in points),
            f"x {points[-1][0] / points[0][0]:.0f}: x {points[-1][1] / points[0][1]:.1f} of the time")
    return series


def real(directory, scratch):
    path = lambda name: os.path.join(directory, name)
    load = lambda name: np.load(path(name)).astype(np.float32)
    pool_file = os.path.join(scratch, "real.pool")
    subprocess.run([DPPL, "pool", "build", path("pool_x.npy"), "-o", pool_file], check=True, stdout=subprocess.DEVNULL)
    for ratio in (1, 100):
        rows = os.path.join(scratch, f"rows{ratio}.npy")
        subprocess.run([DPPL, "longtail", "--labels", path("cifar100_train_y.npy"), "--ratio", str(ratio), "--seed", "1", "-o", rows],
                       check=True, stdout=subprocess.DEVNULL)
        task = ("select", "--pool", pool_file, "--train", path("cifar100_train_x.npy"), "--labels", path("cifar100_train_y.npy"),
                "--classes", 100, "--rows", rows)
        all_pairs = engine(*task, "--clip-min", 1.2, "--clip-max", 1.6, "--all-pairs", 50_000)["seconds"]
        kept = np.load(rows)
        pool, x, y = load("pool_x.npy"), load("cifar100_train_x.npy")[kept], np.load(path("cifar100_train_y.npy"))[kept]
        # The range does not matter to the peers: they compute all pairs.
        peers = {False: (numpy_unclipped(pool, x, y, 100), torch_unclipped(pool, x, y, 100), 1),
                 True: (numpy_clipped(pool[:4096], x, y, 100), torch_clipped(pool[:4096], x, y, 100), len(pool) / 4096)}
        for low, high in ((0, 2), (1.2, 1.6), (1.4, 1.7), (1.1, 1.4)):
            ours = engine(*task, "--clip-min", low, "--clip-max", high, "--repeats", 3)
            by_numpy, by_torch, factor = peers[(low, high) != (0, 2)]
            row(f"real embeddings, IR {ratio}, " + (f"clipped [{low}, {high}]" if factor != 1 else "not clipped"), f"{ours['seconds']:.2f} s",
                f"{ours['evaluated']:.2%} of the pairs; our own all pairs {all_pairs:.2f} s: {all_pairs / ours['seconds']:.1f} x; "
                f"{of_peer(ours['seconds'], by_numpy, 'numpy', factor)}; {of_peer(ours['seconds'], by_torch, 'torch', factor)}")


def plot(series, file):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, 3, figsize=(10, 3), sharey=True)
    for axis, (name, points) in zip(axes, series.items()):
        at, times = zip(*points)
        axis.loglog(at, times, "o-", label="measured")
        axis.loglog(at, [times[-1] * a / at[-1] for a in at], "k:", label="linear")
        axis.set_xlabel(name)
        axis.set_xticks(at, [f"{a:,}" for a in at], fontsize=7)
        axis.minorticks_off()
    axes[0].set_yticks(ticks := (0.25, 0.5, 1, 2, 4, 8), [str(tick) for tick in ticks])
    axes[0].set_ylabel("seconds, 2 threads")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1, help="of the pool, to try it out; 0: the real embeddings only")
    parser.add_argument("--directory", help="where to put the data for the time of the run")
    parser.add_argument("--keep", action="store_true", help="leave the data there, and use what is there")
    parser.add_argument("--real", help="a directory with real embeddings")
    parser.add_argument("--plot", help="draw the growth into this SVG file")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    print(f"numpy {np.__version__}, torch {torch.__version__}, OPENBLAS_CORETYPE={os.environ['OPENBLAS_CORETYPE']}\n")
    print("| what | dppl | beside it |\n|---|---|---|")
    with tempfile.TemporaryDirectory(dir=arguments.directory) as scratch:
        if arguments.real:
            real(arguments.real, scratch)
        series = synthetic(arguments, arguments.directory if arguments.keep else scratch) if arguments.scale > 0 else None
        if arguments.plot and series:
            plot(series, arguments.plot)


if __name__ == "__main__":
    main()
