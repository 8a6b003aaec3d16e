#!/usr/bin/python3
"""What public knowledge about classes brings to `--method auto`: examples, wrong examples, names.

    scripts/build.sh && bench/knowledge.py [--data ../shared/data] [--seeds 3] [--rhos 0.001,0.02] [--examples 1,5] [--only cifar100]

CIFAR-100 with a long tail of 1:100: m examples per class are training images outside of the private set, drawn at random with the seed. `wrong` gives them to
other classes (numbers moved by 37). BANKING77 as it comes, with the embedded names of its classes. For each: private records alone, public knowledge alone
(`fit --public-only`), and both. Prints balanced test accuracy in % / that of the smallest quarter of the classes, mean over the seeds ± standard error.
Needs NumPy.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

import numpy as np

from common import DPPL, ROOT

WRONG_BY = 37


def run(*words):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout


class Task:
    """A data set in a scratch directory, and the options of its fits."""

    def __init__(self, arguments, name, pool, classes):
        self.path = lambda part: os.path.join(arguments.data, f"{name}_{part}.npy")
        self.dppl, self.scratch, self.classes = arguments.dppl, arguments.scratch, classes
        self.pool = os.path.join(arguments.data, pool)
        self.test = ["--in", self.path("test_x"), "--labels", self.path("test_y"), "--train-labels", self.path("train_y")]
        self.records = ["--train", self.path("train_x"), "--labels", self.path("train_y")]
        self.rows = []

    def scratch_file(self, name):
        return os.path.join(self.scratch, name)

    def cut_to_long_tail(self, seed):
        rows = self.scratch_file(f"rows-{seed}.npy")
        run(self.dppl, "longtail", "--labels", self.path("train_y"), "--ratio", 100, "--seed", seed, "-o", rows)
        self.rows = ["--rows", rows]
        return np.load(rows)

    def measure(self, *options):
        model = self.scratch_file("model.dppl")
        run(self.dppl, "fit", "--method", "auto", "--classes", self.classes, "--pool", self.pool, *options, "-o", model)
        measured = json.loads(run(self.dppl, "eval", model, *self.test, *self.rows, "--json"))
        return 100 * measured["balanced_accuracy"], 100 * measured["minority_accuracy"]

    def alone(self, knowledge):
        return self.measure("--public-only", *knowledge)

    def private(self, rho, seed, knowledge=()):
        return self.measure(*self.records, *self.rows, "--rho", rho, "--seed", seed, "--not-private", *knowledge)


def examples_outside(task, private_rows, count, seed, moved):
    labels = np.load(task.path("train_y")).ravel()
    outside = np.setdiff1d(np.arange(len(labels)), private_rows)
    random = np.random.default_rng(seed)
    # The largest class has no image outside: its examples are private images here, which is of no matter to accuracy.
    chosen = np.concatenate([random.choice(those if len(those) >= count else np.flatnonzero(labels == c), count, replace=False)
                             for c in range(task.classes) for those in [outside[labels[outside] == c]]])
    rows, names = task.scratch_file("examples-x.npy"), task.scratch_file("examples-y.npy")
    np.save(rows, np.load(task.path("train_x"), mmap_mode="r")[chosen])
    np.save(names, (labels[chosen] + moved) % task.classes)
    return ["--examples", rows, "--example-labels", names]


def summary(pairs):
    """Of (balanced, minority) by seed."""
    balanced, minority = zip(*pairs)
    error = f" ±{statistics.stdev(balanced) / len(balanced) ** 0.5:.1f}" if len(balanced) > 1 else ""
    return f"{statistics.fmean(balanced):.1f}{error} / {statistics.fmean(minority):.0f}"


def print_row(name, cells):
    print(f"{name:28}" + "".join(f"{cell:>18}" for cell in cells), flush=True)


def cifar100(arguments):
    task = Task(arguments, "cifar100", "pool_x.npy", 100)
    found = {}
    for seed in range(1, arguments.seeds + 1):
        private_rows = task.cut_to_long_tail(seed)
        kinds = {"no examples": None} | {f"{m} per class": (m, 0) for m in arguments.examples} | {f"{m} per class, wrong": (m, WRONG_BY) for m in arguments.examples}
        for name, kind in kinds.items():
            knowledge = examples_outside(task, private_rows, kind[0], seed, kind[1]) if kind else ()
            if kind:
                found.setdefault((name, "nothing"), []).append(task.alone(knowledge))
            for rho in arguments.rhos:
                found.setdefault((name, rho), []).append(task.private(rho, seed, knowledge))
    report("CIFAR-100, long tail 1:100", found, kinds, arguments.rhos)


def banking(arguments):
    task = Task(arguments, "banking", "clinc_pool_x.npy", 77)
    kinds = {"no names": (), "names": ["--class-prior", os.path.join(arguments.data, "banking_class_names_x.npy")]}
    found = {("names", "nothing"): [task.alone(kinds["names"])]}
    for name, knowledge in kinds.items():
        for rho in arguments.rhos:
            found[name, rho] = [task.private(rho, seed, knowledge) for seed in range(1, arguments.seeds + 1)]
    report("BANKING77, as it comes", found, kinds, arguments.rhos)


def report(title, found, kinds, rhos):
    print_row(f"\n{title}, ρ =", ["nothing private"] + [f"{rho:g}" for rho in rhos])
    for name in kinds:
        print_row(name, [summary(found[name, column]) if (name, column) in found else "–" for column in ["nothing", *rhos]])


def main():
    numbers = lambda kind: lambda text: [kind(word) for word in text.split(",")]
    tasks = {"cifar100": cifar100, "banking": banking}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dppl", default=DPPL, help="the program")
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"), help="the directory of the embeddings")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rhos", type=numbers(float), default=[0.001, 0.005, 0.02, 0.125, 0.5, 2])
    parser.add_argument("--examples", type=numbers(int), default=[1, 2, 5, 20], help="per class")
    parser.add_argument("--only", type=numbers(str), default=list(tasks), help=f"some of {','.join(tasks)}")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as arguments.scratch:
        for name in arguments.only:
            tasks[name](arguments)


if __name__ == "__main__":
    main()
