#!/usr/bin/python3
"""How far the probabilities of `--method auto` are from how often it is right.

    scripts/build.sh && ./demo.sh && bench/calibration.py [--data ../shared/data] [--seeds 2] [--rhos 0.001,0.02] [--only ham,fashion] [--also SETS.json]

Fits each data set with a long tail of 1:100, or as it comes, and prints the expected calibration error on the test set in points (15 bins; `dppl eval`
prints the same): of the scores as they are / of the probabilities that the model states, whose scale is found without data (docs/accuracy.md). Mean over
the seeds. A data set that is not there is skipped. Needs NumPy.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

from common import DPPL, ROOT

import numpy as np

BINS = 15
# Name: files of train or test and x or y, pool, classes, imbalance (none: as it comes), more options.
TASKS = {
    "cifar100": ("data/cifar100_{}_{}.npy", "data/pool_x.npy", 100, 100, {}),
    "cifar100-balanced": ("data/cifar100_{}_{}.npy", "data/pool_x.npy", 100, 1, {}),
    "cifar10": ("data/cifar10_{}_{}.npy", "data/pool_x.npy", 10, 100, {}),
    "food101": ("data/food101_{}_{}.npy", "data/pool_x.npy", 101, 100, {}),
    "fashion": ("demo/{}-{}.npy", "demo/pool-x.npy", 10, 100, {}),
    "ham": ("data/ham_{}_{}.npy", "data/pool_x.npy", 7, None, {}),
    "banking": ("data/banking_{}_{}.npy", "data/clinc_pool_x.npy", 77, None, {}),
    "banking-names": ("data/banking_{}_{}.npy", "data/clinc_pool_x.npy", 77, None, {"--class-prior": "data/banking_class_names_x.npy"}),
}


def run(*words):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout


def calibration_error(scores, scale, truth):
    powers = np.exp(scale * (scores - scores.max(1, keepdims=True)))
    sure = powers.max(1) / powers.sum(1)
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    excess = np.bincount(bins, weights=sure - (scores.argmax(1) == truth), minlength=BINS)
    return 100 * np.abs(excess).sum() / len(truth)


class Task:
    def __init__(self, arguments, scratch, name):
        files, pool, self.classes, self.ratio, options = TASKS[name]
        folders = {"data": arguments.data, "demo": arguments.demo}
        place = lambda path: os.path.join(folders.get(os.path.dirname(path), os.path.dirname(path)), os.path.basename(path))
        self.dppl, self.scratch = arguments.dppl, scratch
        self.path = lambda part, kind: place(files.format(part, kind))
        self.options = ["--pool", place(pool)] + [word for key, path in options.items() for word in (key, place(path))]

    def is_there(self):
        return os.path.exists(self.path("train", "x"))

    def errors(self, rho, seed):
        """Of the scores, and of the model's probabilities."""
        model, scores = os.path.join(self.scratch, "model.dppl"), os.path.join(self.scratch, "scores.npy")
        rows = []
        if self.ratio:
            rows = ["--rows", os.path.join(self.scratch, "rows.npy")]
            run(self.dppl, "longtail", "--labels", self.path("train", "y"), "--ratio", self.ratio, "--seed", seed, "-o", rows[1])
        run(self.dppl, "fit", "--train", self.path("train", "x"), "--labels", self.path("train", "y"), "--classes", self.classes, *self.options, *rows,
            "--rho", rho, "--seed", seed, "--not-private", "-o", model)
        run(self.dppl, "predict", model, "--in", self.path("test", "x"), "--scores", scores)
        stated = json.loads(run(self.dppl, "inspect", model, "--json"))["score_scale"]
        # Of unit prototypes, where there are no steps, scores are cosines; fifteen times those are what steps would start with.
        plain = 1 if stated <= 1 else 15
        truth, values = np.load(self.path("test", "y")).ravel(), np.load(scores).astype(float)
        return calibration_error(values, plain, truth), calibration_error(values, stated, truth)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"), help="a directory with the embeddings")
    parser.add_argument("--demo", default=os.path.join(ROOT, "demo"), help="where ./demo.sh left those of Fashion-MNIST")
    parser.add_argument("--dppl", default=DPPL)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rhos", default="0.001,0.005,0.02,0.125,0.5,8")
    parser.add_argument("--only", default=",".join(TASKS))
    parser.add_argument("--also", help="a JSON file with data sets of your own (bench/held_out.py writes one)")
    arguments = parser.parse_args()
    if arguments.also:
        with open(arguments.also) as file:
            TASKS.update({key: (one["files"], one["pool"], one["classes"], max(one["ratios"]), {}) for key, one in json.load(file).items()})
    rhos = [float(word) for word in arguments.rhos.split(",")]
    print(f"{'scores / probabilities, ρ =':28}" + "".join(f"{rho:>13g}" for rho in rhos))
    with tempfile.TemporaryDirectory() as scratch:
        for name in arguments.only.split(","):
            task = Task(arguments, scratch, name)
            if not task.is_there():
                print(f"{name}: skipped; there is no {task.path('train', 'x')}", file=sys.stderr)
                continue
            cells = []
            for rho in rhos:
                both = zip(*(task.errors(rho, seed) for seed in range(1, arguments.seeds + 1)))
                cells.append(" / ".join(f"{statistics.fmean(errors):.1f}" for errors in both))
            print(f"{name:28}" + "".join(f"{cell:>13}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
