#!/usr/bin/python3
"""The Python module against a C++ program on the same arrays, and what importing it takes.

    scripts/setup.sh --bench && scripts/build.sh && scripts/build.sh bench && bench/python.py [--data ../shared/data] [--runs 7]

Fits and predictions of the two alternate, each in one process that has the arrays in memory; the ratio is that of the fastest of each. Without --data,
CIFAR-100's size is generated.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

from common import ROOT

sys.path.insert(0, os.path.join(ROOT, "build", "python"))
PEER = os.path.join(ROOT, "build", "bench", "bench", "bench_arrays")
FITS = [("mean", "0.1", None), ("mean", "0.1", "whiten:64"), ("public", "0.1", None), ("auto", "0.02", None)]


def import_seconds(what, runs):
    """The fastest import in a fresh interpreter, of its own start."""
    code = f"import time; start = time.perf_counter(); import {what}; print(time.perf_counter() - start)"
    environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "build", "python")}
    return min(float(subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True).stdout) for _ in range(runs))


def generated(directory):
    import numpy as np

    random = np.random.default_rng(0)
    for name, rows in (("train_x", 50_000), ("pool_x", 50_000), ("test_x", 10_000)):
        np.save(os.path.join(directory, f"{name}.npy"), random.integers(256, size=(rows, 1280), dtype=np.uint8))
    np.save(os.path.join(directory, "train_y.npy"), random.integers(100, size=50_000))
    return [os.path.join(directory, f"{name}.npy") for name in ("train_x", "train_y", "pool_x", "test_x")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="a directory with cifar100_train_x.npy and so on")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    print(f"import numpy {import_seconds('numpy', options.runs):.3f} s, numpy and dppl {import_seconds('numpy, dppl', options.runs):.3f} s, "
          f"with the estimator (and scikit-learn) {import_seconds('numpy, dppl; dppl.PrototypeClassifier', options.runs):.3f} s")

    import dppl
    import numpy as np

    with tempfile.TemporaryDirectory() as directory:
        names = ("cifar100_train_x", "cifar100_train_y", "pool_x", "cifar100_test_x")
        files = [os.path.join(options.data, f"{name}.npy") for name in names] if options.data else generated(directory)
        X, y, pool, test = (np.load(file) for file in files)
        peer = subprocess.Popen([PEER, *files, "100"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def ask(command):
            peer.stdin.write(command + "\n")
            peer.stdin.flush()
            return float(peer.stdout.readline())

        def timed(work):
            start = time.perf_counter()
            work()
            return time.perf_counter() - start

        print(f"{'what':<28}{'C++':>9}{'Python':>9}  ratio")
        for method, rho, transform in FITS:
            model = dppl.PrototypeClassifier(method, rho=rho, classes=100, pool=pool, public_transform=transform, seed=1)
            pairs = [(ask(f"fit {method} {rho} {transform or '-'}"), timed(lambda: model.fit(X, y))) for _ in range(options.runs)]
            pairs_predict = []
            for _ in range(options.runs):
                theirs = ask("predict")
                loaded = dppl.Model.parse(model.model_.to_bytes())  # makes its classifier anew, as the peer does
                pairs_predict.append((theirs, timed(lambda: loaded.predict(test, dppl._core.DEFAULT_THREADS))))
            for what, measured in (("fit", pairs), ("predict", pairs_predict)):
                ours, theirs = min(python for _, python in measured), min(native for native, _ in measured)
                print(f"{what + ' ' + method + ' ' + (transform or ''):<28}{theirs:>8.3f}s{ours:>8.3f}s  {ours / theirs:.3f}")
        peer.stdin.close()
        peer.wait()


if __name__ == "__main__":
    main()
