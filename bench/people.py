#!/usr/bin/python3
"""Privacy for people against what a guarantee for records is worth to them: accuracy, and the time of a fit.

    scripts/build.sh && bench/people.py [--data ../shared/data] [--seeds 3] [--rho 0.125] [--ratio 10]

Gives the records of CIFAR-100, cut to a long tail, to people at random: 1 to 10 records each, in up to 3 classes. Then fits with `--method auto`, for
people with the budget, for records with the budget, and for records with the budget over 100, which is what the first guarantees a person with 10 records.
`auto` chooses other settings for fewer people, so that the time is also compared with the same settings for both. The fits for people and for records alternate;
a ratio is that of the fastest of each. Needs Python alone.
"""
import argparse
import json
import os
import random
import statistics
import struct
import subprocess
import tempfile
import time

from common import DPPL, ROOT

MOST_RECORDS, MOST_CLASSES = 10, 3
SAME_SETTINGS = {
    "mean": ["--method", "mean", "--transform", "whiten:128:0.2", "--shrink", "on", "--refine-steps", "30"],
    "public": ["--method", "public", "--clip-min", "1.1", "--clip-max", "1.6"],
    "public-k": ["--method", "public-k"],
}


def read_integers(path):
    """A one-dimensional .npy of little-endian integers."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10 : 10 + length].decode()
    size = int(header.split("'<i")[1][0])
    body = data[10 + length :]
    return [int.from_bytes(body[i : i + size], "little", signed=True) for i in range(0, len(body), size)]


def people_of(labels, rows, seed):
    """Whose record each row is; rows that take no part are nobody else's than person 0's."""
    chance = random.Random(seed)
    left = {}
    for row in rows:
        left.setdefault(labels[row], []).append(row)
    for members in left.values():
        chance.shuffle(members)
    ids, person = [0] * len(labels), 0
    while left:
        classes = set(chance.choices(list(left), [len(members) for members in left.values()], k=chance.randint(1, MOST_CLASSES)))
        for _ in range(chance.randint(1, MOST_RECORDS)):
            own = sorted(classes & left.keys())
            if not own:
                break
            label = chance.choice(own)
            ids[left[label].pop()] = person
            if not left[label]:
                del left[label]
        person += 1
    return ids, person


def dppl(*arguments):
    return subprocess.run([DPPL, *arguments], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rho", type=float, default=0.125)
    parser.add_argument("--ratio", default="10")
    options = parser.parse_args()
    file = lambda name: os.path.join(options.data, name)
    labels = read_integers(file("cifar100_train_y.npy"))
    accuracies, seconds = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        inside = lambda name: os.path.join(folder, name)
        for seed in range(1, options.seeds + 1):
            dppl("longtail", "--labels", file("cifar100_train_y.npy"), "--classes", "100", "--ratio", options.ratio, "--seed", str(seed), "-o", inside("rows.npy"))
            ids, people = people_of(labels, read_integers(inside("rows.npy")), seed)
            with open(inside("ids.txt"), "w") as out:
                out.writelines(f"{one}\n" for one in ids)
            whose = ["--people", inside("ids.txt")]

            def fit(name, rho, more):
                begin = time.monotonic()
                dppl("fit", "--train", file("cifar100_train_x.npy"), "--labels", file("cifar100_train_y.npy"), "--rows", inside("rows.npy"), "--classes", "100",
                     "--pool", file("pool_x.npy"), "--rho", f"{rho:.12g}", "--seed", str(seed), "--not-private", "-o", inside("model.dppl"), *more)
                seconds.setdefault(name, []).append(time.monotonic() - begin)

            for name, rho, more in (
                ("people", options.rho, whose),
                ("records", options.rho, []),
                ("records, budget/100", options.rho / MOST_RECORDS**2, []),
            ):
                fit(name, rho, more)
                measured = json.loads(dppl("eval", inside("model.dppl"), "--in", file("cifar100_test_x.npy"), "--labels", file("cifar100_test_y.npy"), "--json"))
                accuracies.setdefault(name, []).append(100 * measured["balanced_accuracy"])
            for name, settings in SAME_SETTINGS.items():
                fit((name, "people"), options.rho, [*settings, *whose])
                fit((name, "records"), options.rho, settings)
            print(f"seed {seed}: {people} people; " + "; ".join(f"{name} {values[-1]:.1f}" for name, values in accuracies.items()), flush=True)
    for name, values in accuracies.items():
        print(f"{name:<22}{statistics.mean(values):6.1f}  fastest fit {min(seconds[name]):.2f} s")
    print(f"people / records, auto {min(seconds['people']) / min(seconds['records']):6.2f} of the time")
    for name in SAME_SETTINGS:
        fastest = [min(seconds[name, unit]) for unit in ("people", "records")]
        print(f"the same settings, {name}: {fastest[0]:.2f} s / {fastest[1]:.2f} s = {fastest[0] / fastest[1]:.2f} of the time")


main()
