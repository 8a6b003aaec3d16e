#!/usr/bin/python3
"""Fit and predict against reading, numpy and scikit-learn, in one run, with two threads.

    scripts/setup.sh --bench && scripts/build.sh && bench/embeddings.py [--rows 1000000] [--directory DIR]

Generates its data from a seed into DIR (about 5.5 GB at the full size) and removes it. numpy and scikit-learn run on arrays in memory;
dppl's times are those of whole commands, from files in the page cache.
"""
import argparse
import os
import subprocess
import tempfile
import time

from common import DPPL, seconds

import numpy as np
from sklearn.neighbors import NearestCentroid

DIM, CLASSES, TRAIN = 1280, 100, 50_000


def run(*arguments):
    subprocess.run([DPPL, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False)


def peak_megabytes(*arguments):
    """Peak resident set of one command, measured by a small process of its own (children's peaks are a maximum over all of them)."""
    script = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    return float(subprocess.run(["/usr/bin/python3", "-c", script, DPPL, *arguments], check=True, capture_output=True, text=True).stdout)


def read_once(path):
    buffer = bytearray(1 << 20)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def write_rows(path, rows, generator, offsets):
    """Rows around class means, block by block, so that the whole never has to fit in memory twice."""
    labels = generator.integers(0, CLASSES, rows, dtype=np.int32)
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (rows, DIM)})
        for begin in range(0, rows, 10_000):
            end = min(begin + 10_000, rows)
            block = generator.standard_normal((end - begin, DIM), dtype=np.float32) + offsets[labels[begin:end]]
            file.write(block.tobytes())
    return labels


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows to classify")
    parser.add_argument("--directory", default=None, help="where to put the data for the time of the run")
    arguments = parser.parse_args()
    generator = np.random.default_rng(1)
    offsets = 0.1 * generator.standard_normal((CLASSES, DIM), dtype=np.float32)
    with tempfile.TemporaryDirectory(dir=arguments.directory) as directory:
        train, labels, test, pool, model, out = (os.path.join(directory, name) for name in
                                                 ("x.npy", "y.npy", "t.npy", "p.npy", "m.dppl", "o.npy"))
        y = write_rows(train, TRAIN, generator, offsets)
        np.save(labels, y)
        write_rows(pool, 20_000, generator, offsets)
        os.sync()  # or writing back what was generated would be measured too
        read_once(train)

        fit = ("fit", "--method", "mean", "--rho", "0.1", "--train", train, "--labels", labels, "--classes", str(CLASSES), "-o", model, "--threads", "2")
        reading, fitting = seconds(lambda: read_once(train), 5), seconds(lambda: run(*fit), 5)
        mapped = os.path.getsize(train) / 2**20
        peak = peak_megabytes(*fit)
        print(f"reading {TRAIN} x {DIM} float32 once           {reading:8.3f} s")
        print(f"dppl fit --method mean, {CLASSES} classes          {fitting:8.3f} s   {fitting / reading:.2f} x reading (bar: 3)")
        print(f"  peak memory {peak:.0f} MB for {mapped:.0f} MB of input      {peak / mapped:.2f} x (bar: 1.2)")
        selection = ("fit", "--method", "public", "--epsilon", "1", "--train", train, "--labels", labels, "--classes", str(CLASSES),
                     "--pool", pool, "-o", model + "2", "--threads", "2")
        begin = time.perf_counter()
        peak = peak_megabytes(*selection)
        both = mapped + os.path.getsize(pool) / 2**20
        print(f"dppl fit --method public, pool of 20000        {time.perf_counter() - begin:8.3f} s   peak {peak:.0f} MB for {both:.0f} MB of input, {peak / both:.2f} x")

        write_rows(test, arguments.rows, generator, offsets)
        x = np.load(test)
        centroids = NearestCentroid().fit(np.load(train), y)
        weights = np.ascontiguousarray(centroids.centroids_.astype(np.float32).T)
        gemm = seconds(lambda: x @ weights)
        part = x[: arguments.rows // 10]
        peer = 10 * seconds(lambda: centroids.predict(part), 1)
        del x, part
        os.sync()
        read_once(test)
        predicting = seconds(lambda: run("predict", model, "--in", test, "-o", out, "--threads", "2"))
        rate = 2 * arguments.rows * DIM * CLASSES / 1e9
        print(f"numpy float32 GEMM, {arguments.rows} x {DIM} x {CLASSES}     {gemm:8.3f} s   {rate / gemm:.0f} GF/s")
        print(f"dppl predict, whole command                    {predicting:8.3f} s   {gemm / predicting:.2f} x the GEMM's rate (bar: 0.8)")
        print(f"scikit-learn NearestCentroid (from a tenth)    {peer:8.3f} s   dppl is {peer / predicting:.1f} x as fast (bar: 5)")


if __name__ == "__main__":
    main()
