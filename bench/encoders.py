#!/usr/bin/python3
"""What the built-in encoder was chosen from: nearest class means on Fashion-MNIST's training images, no noise.

    scripts/setup.sh --bench --demo && bench/encoders.py

Whitening (unit rows, minus the mean, leading principal directions, each divided by its deviation, unit rows) from the
first 30,000 images without labels; means and accuracy from the others, in three folds. The test images stay unused.
Needs numpy and Debian's dataset-fashion-mnist.
"""
import gzip
import math

import common  # noqa: F401 (before numpy: it sets the threads)

import numpy as np

FOLDER = "/usr/share/datasets/fashion-mnist/"
HALF, KEPT = 30000, (32, 64, 128, 256)


def read(name, offset):
    with gzip.open(FOLDER + name) as file:
        return np.frombuffer(file.read(), np.uint8, offset=offset)


def blur(x, order):
    """By binomial coefficients, along both axes; beyond the border the image goes on as it ends."""
    for axis in (1, 2):
        width = [(0, 0)] * 3
        width[axis] = (order // 2,) * 2
        padded = np.pad(x, width, mode="edge")
        x = sum(math.comb(order, k) / 2**order * np.take(padded, range(k, k + 28), axis) for k in range(order + 1))
    return x.astype(np.float32)


def windows(places):
    step = 28 / places
    centres = (np.arange(places) + 0.5) * step
    weights = np.maximum(0, 1 - np.abs(np.arange(28) + 0.5 - centres[:, None]) / step).astype(np.float32)
    return weights / weights.sum(1, keepdims=True)


def pool(maps, places):
    """maps: direction × image × 28 × 28."""
    w = windows(places)
    return np.moveaxis(w @ maps @ w.T, 0, 1).reshape(maps.shape[1], -1)


def hog(x, blurred=0, directions=8, places=7, root_before=True, root_after=True, signed=True, cosine=False):
    x = blur(np.sqrt(x) if root_before else x, blurred)
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)), mode="edge")
    right, down = padded[:, 1:-1, 2:] - padded[:, 1:-1, :-2], padded[:, 2:, 1:-1] - padded[:, :-2, 1:-1]
    if not signed:
        right, down = np.where(down < 0, -right, right), np.abs(down)
    turn = (2 if signed else 1) * math.pi / directions
    maps = np.zeros((directions, *x.shape), np.float32)
    for k in range(directions):
        a, b = k * turn, (k + 1) * turn
        if cosine:
            maps[k] = np.maximum(0, math.cos(a) * right + math.sin(a) * down)
            continue
        # The parts along two neighbouring directions; both are positive only between them.
        first = (right * math.sin(b) - down * math.cos(b)) / math.sin(turn)
        second = (down * math.cos(a) - right * math.sin(a)) / math.sin(turn)
        between = (first >= 0) & (second > 0)
        maps[k] += np.where(between, first, 0)
        maps[(k + 1) % directions] += np.where(between, second, 0)
    pooled = pool(maps, places)
    return np.sqrt(pooled) if root_after else pooled


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def accuracies(rows, labels):
    rows = unit(rows)
    centred = rows - rows[:HALF].mean(0)
    values, vectors = np.linalg.eigh(centred[:HALF].T @ centred[:HALF] / HALF)
    for kept in KEPT:
        white = unit(centred[HALF:] @ (vectors[:, ::-1][:, :kept] / np.sqrt(values[::-1][:kept])))
        right = 0
        for fold in range(3):
            held = np.arange(len(white)) % 3 == fold
            means = unit(np.stack([white[~held & (labels == c)].mean(0) for c in range(10)]))
            right += ((white[held] @ means.T).argmax(1) == labels[held]).sum()
        yield 100 * right / len(white)


CANDIDATES = {
    "pixels": lambda x: x.reshape(len(x), -1),
    "gradients, unsigned, no roots": lambda x: hog(x, root_before=False, root_after=False, signed=False),
    "gradients, unsigned": lambda x: hog(x, root_before=False, signed=False),
    "gradients, signed": lambda x: hog(x, root_before=False),
    "the same + root of the pixels": lambda x: hog(x),
    "the same + blurred (built in)": lambda x: np.hstack([hog(x), hog(x, 8)]),
    "the same, 12 directions": lambda x: np.hstack([hog(x, directions=12), hog(x, 8, directions=12)]),
    "the same, three scales": lambda x: np.hstack([hog(x), hog(x, 4), hog(x, 16)]),
    "the same, 9 × 9 and 6 × 6 places": lambda x: np.hstack([hog(x, places=9), hog(x, 8, places=6)]),
    "the same, cosines as parts": lambda x: np.hstack([hog(x, cosine=True), hog(x, 8, cosine=True)]),
    "the same + 14 × 14 pixels": lambda x: np.hstack([hog(x), hog(x, 8), 0.2 * pool(x[None], 14)]),
}


def main():
    images = read("train-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)
    labels = read("train-labels-idx1-ubyte.gz", 8)[HALF:]
    print(f"{'whitened to':36}{'values':>7}" + "".join(f"{kept:8}" for kept in KEPT))
    for name, encode in CANDIDATES.items():
        blocks = [encode(images[i : i + 1000].astype(np.float32) / 255) for i in range(0, len(images), 1000)]
        rows = np.concatenate(blocks).astype(np.float32)
        found = "".join(f"{value:8.2f}" for value in accuracies(rows, labels))
        print(f"{name:36}{rows.shape[1]:7}{found}", flush=True)


if __name__ == "__main__":
    main()
