#!/usr/bin/env python3
"""Balanced and minority accuracy over budgets and imbalance ratios, on real embeddings.

  bench/accuracy.py DATA [--methods auto,...] [--rhos ...] [--ratios ...] [--seeds N] [--csv FILE]

DATA holds cifar100_train_x.npy, cifar100_train_y.npy, cifar100_test_x.npy, cifar100_test_y.npy and pool_x.npy. Every run
is one long-tailed draw and one fit with a fixed seed; a cell is the mean over the seeds ± its standard error.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import statistics
import subprocess
import tempfile

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "build" / "dppl"
METHODS = {
    "auto": ["--method", "auto"],
    "mean": ["--method", "mean"],
    "mean-64": ["--method", "mean", "--transform", "whiten:64"],
    "mean-128": ["--method", "mean", "--transform", "whiten:128"],
    "mean-64-shrink": ["--method", "mean", "--transform", "whiten:64", "--shrink", "on"],
    "mean-128-shrink": ["--method", "mean", "--transform", "whiten:128:0.3", "--shrink", "on"],
    "mean-256-metric": ["--method", "mean", "--transform", "whiten:256:0.3", "--metric-share", "0.1"],
    "public": ["--method", "public", "--clip-min", "1.45", "--clip-max", "1.65"],
}


def dppl(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def run(data, directory, method, rho, ratio, seed):
    train_y = data / "cifar100_train_y.npy"
    rows = directory / f"rows-{ratio}-{seed}.npy"
    model = directory / f"{method}-{rho}-{ratio}-{seed}.dppl"
    dppl("fit", *METHODS[method], "--train", data / "cifar100_train_x.npy", "--labels", train_y, "--rows", rows, "--classes", 100,
         "--pool", data / "pool_x.npy", "--rho", rho, "--seed", seed, "--not-private", "--threads", 1, "-o", model)
    result = json.loads(dppl("eval", model, "--in", data / "cifar100_test_x.npy", "--labels", data / "cifar100_test_y.npy",
                             "--train-labels", train_y, "--rows", rows, "--json"))
    used = json.loads(dppl("inspect", model, "--json"))["hyperparameters"]
    model.unlink()
    return {"method": method, "rho": rho, "ratio": ratio, "seed": seed, "balanced": 100 * result["balanced_accuracy"],
            "minority": 100 * result["minority_accuracy"], "used": json.dumps(used)}


def cell(values):
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{statistics.mean(values):5.1f} ±{error:3.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--methods", default="auto")
    parser.add_argument("--rhos", default="0.001,0.005,0.02,0.125,0.5,2,8")
    parser.add_argument("--ratios", default="100,50,10,1")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--csv", type=pathlib.Path)
    arguments = parser.parse_args()
    methods, rhos, ratios = (getattr(arguments, name).split(",") for name in ("methods", "rhos", "ratios"))
    seeds = range(1, arguments.seeds + 1)
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        directory = pathlib.Path(name)
        for ratio in ratios:
            for seed in seeds:
                dppl("longtail", "--labels", arguments.data / "cifar100_train_y.npy", "--ratio", ratio, "--seed", seed, "-o",
                     directory / f"rows-{ratio}-{seed}.npy")
        jobs = [(m, rho, ratio, seed) for ratio in ratios for rho in rhos for m in methods for seed in seeds]
        results = list(pool.map(lambda job: run(arguments.data, directory, *job), jobs))
    if arguments.csv:
        with arguments.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, results[0].keys())
            writer.writeheader()
            writer.writerows(results)
    for what in ("balanced", "minority"):
        for ratio in ratios:
            print(f"\n{what} accuracy in %, imbalance ratio {ratio}, {arguments.seeds} seeds")
            print(f"{'rho':<18}" + "".join(f"{rho:>12}" for rho in rhos))
            for method in methods:
                cells = [cell([r[what] for r in results if (r["method"], r["rho"], r["ratio"]) == (method, rho, ratio)])
                         for rho in rhos]
                print(f"{method:<18}" + "".join(f"{text:>12}" for text in cells))


if __name__ == "__main__":
    main()
