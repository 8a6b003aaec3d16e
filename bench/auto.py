#!/usr/bin/python3
"""Where the time of `dppl fit --method auto` goes: whole commands, cold, each with one part more than the one before.

    scripts/build.sh && bench/auto.py [--data ../shared/data] [--runs 3]

CIFAR-100: 50,000 records of 1280 values in 100 classes, a pool of 50,000. The fastest of the runs; files are in the page cache. Needs Python alone.
"""
import argparse
import json
import os
import subprocess
import tempfile

from common import DPPL, ROOT, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dppl", default=DPPL, help="the program")
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"), help="the directory of the embeddings")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    path = lambda name: os.path.join(arguments.data, name)
    with tempfile.TemporaryDirectory() as scratch:
        model = os.path.join(scratch, "model.dppl")
        records = ["--train", path("cifar100_train_x.npy"), "--labels", path("cifar100_train_y.npy"), "--classes", "100", "-o", model]
        pool = ["--pool", path("pool_x.npy")]
        fit = lambda *words: [arguments.dppl, "fit", *words, *records]
        tune = lambda rho: [arguments.dppl, "tune", *pool, "--classes", "100", "--records", "50000", "--rho", rho]
        run = lambda command: subprocess.run(command, check=True, capture_output=True, text=True).stdout
        timed = lambda command: seconds(lambda: run(command), arguments.runs)
        reading = timed(fit("--method", "mean", "--rho", "0.02"))
        directions = timed(tune("0.02"))
        print(f"{'reading, checks, sums (mean)':42}{reading:6.2f} s")
        print(f"{'the choice: directions of the pool (tune)':42}{directions:6.2f} s")
        for rho in ("0.00002", "0.02", "0.5"):
            whole = timed(fit("--method", "auto", "--rho", rho, *pool))
            chosen = json.loads(run([*tune(rho), "--json"]))
            print(f"{f'auto at rho {rho}':42}{whole:6.2f} s, {whole - directions:.2f} s beyond the choice: {chosen['transform']}, {chosen['settings']}")


if __name__ == "__main__":
    main()
