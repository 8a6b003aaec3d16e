#!/usr/bin/python3
"""An ONNX encoder through dppl and through onnxruntime-node, alternating in the same run.

    scripts/setup.sh --bench --onnx && scripts/build.sh && scripts/build.sh bench bench_encoders
    bench/encoders.py MODEL.onnx [--size 160] [--batch 16] [--threads 2] [--rounds 5] [--seconds 6]

Both get the same tensors: pictures of 500 x 375 pixels, resized by Pillow (bicubic), (x - 127) / 128. Then `dppl embed` takes the
pictures as JPEG files, whole command but for loading the model; its embeddings are compared with those of onnxruntime-node (cosine).
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

from common import DPPL, ROOT

import numpy as np
from PIL import Image

OURS = os.path.join(ROOT, "build", "bench", "bench", "bench_encoders")
SCRIPT = os.path.join(ROOT, "bench", "encoders.mjs")
VERSION = "1.21.0"


def picture(generator):
    """Smooth shapes and a little grain: what a JPEG of a photograph costs to decode."""
    shapes = Image.fromarray(generator.integers(0, 256, (12, 16, 3), dtype=np.uint8)).resize((500, 375), Image.BICUBIC)
    grain = generator.normal(0, 6, (375, 500, 1))
    return Image.fromarray(np.clip(np.asarray(shapes) + grain, 0, 255).astype(np.uint8))


def ready(image, size):
    pixels = np.asarray(image.resize((size, size), Image.BICUBIC)).astype(np.float32)
    return ((pixels - 127) / 128).transpose(2, 0, 1)


def node_packages():
    folder = os.path.join(ROOT, "build", "bench", "node")
    if not os.path.exists(os.path.join(folder, "node_modules", "onnxruntime-node")):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--ignore-scripts", "--prefix", folder, f"onnxruntime-node@{VERSION}"], check=True)
    return folder


def rate(*command):
    return float(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout)


def cosines(a, b):
    return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    for name, value in (("size", 160), ("batch", 16), ("threads", 2), ("rounds", 5), ("seconds", 6), ("images", 256)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    packages = node_packages()
    generator = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        os.mkdir(path("jpeg"))
        for i in range(options.images):
            picture(generator).save(path(f"jpeg/{i:04}.jpg"), quality=90)
        some = [Image.open(path(f"jpeg/{i:04}.jpg")) for i in range(2 * options.batch)]
        np.stack([ready(image, options.size) for image in some]).tofile(path("tensor"))
        numbers = (options.size, options.batch, options.threads, options.seconds)
        rates = {"onnxruntime-node": [], "dppl": [], "dppl embed, JPEG": []}
        for _ in range(options.rounds):
            rates["onnxruntime-node"].append(rate("node", SCRIPT, packages, options.model, path("tensor"), path("node"), *numbers))
            rates["dppl"].append(rate(OURS, options.model, path("tensor"), path("ours"), *numbers))
            embed = [DPPL, "embed", path("jpeg"), "--encoder", options.model, "--size", options.size, "--normalise", "tf", "--batch",
                     options.batch, "--threads", options.threads, "-o", path("x.npy"), "--json"]
            result = subprocess.run(list(map(str, embed)), check=True, capture_output=True, text=True)
            rates["dppl embed, JPEG"].append(json.loads(result.stdout)["images_per_second"])
        for name, values in rates.items():
            print(f"{name:18} {statistics.median(values):7.2f} images/s   ({', '.join(f'{value:.2f}' for value in values)})")
        median = {name: statistics.median(values) for name, values in rates.items()}
        print(f"dppl / onnxruntime-node {median['dppl'] / median['onnxruntime-node']:.3f}, "
              f"JPEG / tensors {median['dppl embed, JPEG'] / median['dppl']:.3f}")
        node = np.fromfile(path("node"), np.float32).reshape(len(some), -1)
        ours = np.fromfile(path("ours"), np.float32).reshape(len(some), -1)
        print(f"cosine distance: same tensors {1 - cosines(node, ours).min():.1e}, "
              f"from JPEG against Pillow {1 - cosines(node, np.load(path('x.npy'))[:len(some)]).min():.1e}")
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
