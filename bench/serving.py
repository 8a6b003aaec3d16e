#!/usr/bin/python3
"""dppl serve against dppl predict: rows per second, and how long answers take at half that load.

    scripts/build.sh && scripts/build.sh bench bench_serving && bench/serving.py [--rows 400000] [--dtype uint8] [--threads 2] [--seconds 3] [--rounds 3]

Fits a model of --classes classes on generated rows of --dim values. Then, in turns: `dppl predict` of --rows rows, the whole command; `dppl serve` with the same
rows as binary tensors, only the label asked for, as fast as answers come, for several numbers of connections and rows per request; and once more the best of
these at half the load, where p99 counts from when a request was due. Client and server share the machine, over loopback. So the most that can be reached is what is left
of two cores when the rows' bytes have gone through loopback, which is measured by itself. Needs Python alone.
"""
import argparse
import json
import os
import random
import socket
import statistics
import struct
import subprocess
import tempfile
import time

from common import DPPL, ROOT

CLIENT = os.path.join(ROOT, "build", "bench", "bench", "bench_serving")
LOADS = ((16, 64), (16, 128), (8, 256), (64, 64))  # connections, rows per request
SINGLE = (64, 1)
DTYPES = {"uint8": ("|u1", 1), "float32": ("<f4", 4)}


def npy(path, descr, shape, blocks):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for block in blocks:
            out.write(block)


def rows(count, dim, dtype, seed):
    """Blocks of random rows. Which bytes they are does not change the time."""
    chance = random.Random(seed)
    for first in range(0, count, 1000):
        values = chance.randbytes(min(1000, count - first) * dim)
        yield values if dtype == "uint8" else struct.pack(f"<{len(values)}f", *values)


def run(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def loopback(chunk=1 << 18, chunks=8000):
    """Bytes per second from one process to another, which do nothing else."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        child = os.fork()
        if child == 0:
            with socket.create_connection(listening.getsockname()) as sender:
                for _ in range(chunks):
                    sender.sendall(bytes(chunk))
            os._exit(0)
        receiver, _ = listening.accept()
        with receiver:
            buffer, begin = bytearray(chunk), time.perf_counter()
            while receiver.recv_into(buffer):
                pass
            seconds = time.perf_counter() - begin
        os.waitpid(child, 0)
    return chunk * chunks / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("rows", 400000), ("dim", 1280), ("classes", 100), ("threads", 2), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--dtype", choices=DTYPES, default="uint8")
    options = parser.parse_args()
    descr, item_size = DTYPES[options.dtype]
    with tempfile.TemporaryDirectory() as folder:
        inside = lambda name: os.path.join(folder, name)
        train = 50 * options.classes
        npy(inside("train.npy"), "|u1", (train, options.dim), rows(train, options.dim, "uint8", 1))
        npy(inside("labels.npy"), "<i4", f"({train},)", [struct.pack("<i", i % options.classes) for i in range(train)])
        run(DPPL, "fit", "--method", "mean", "--train", inside("train.npy"), "--labels", inside("labels.npy"), "--classes", options.classes, "--rho", 1, "-o", inside("m.dppl"))
        npy(inside("x.npy"), descr, (options.rows, options.dim), rows(options.rows, options.dim, options.dtype, 2))

        def predict():
            begin = time.perf_counter()
            run(DPPL, "predict", inside("m.dppl"), "--in", inside("x.npy"), "-o", inside("y.npy"), "--threads", options.threads)
            return options.rows / (time.perf_counter() - begin)

        server = subprocess.Popen([DPPL, "serve", inside("m.dppl"), "--listen", "127.0.0.1:0", "--threads", str(options.threads), "--json"], stdout=subprocess.PIPE, text=True)
        try:
            text = ""
            while not text.endswith("}\n"):
                text += server.stdout.readline()
            port = json.loads(text)["port"]

            def ask(load, rate=0.0):
                told = json.loads(run(CLIENT, "--port", port, "--model", "m", "--rows", inside("x.npy"), "--connections", load[0], "--per-request", load[1],
                                      "--seconds", options.seconds, "--rate", f"{rate:.0f}"))
                assert told["errors"] == 0, told
                return told

            predict()  # the file is in the page cache from here on
            passed, predicted, served = [], [], {load: [] for load in (*LOADS, SINGLE)}
            for _ in range(options.rounds):
                predicted.append(predict())
                passed.append(loopback() / (options.dim * item_size))
                for load in served:
                    served[load].append(ask(load)["rows_per_second"])
            base = statistics.median(predicted)
            print(f"predict, {options.threads} threads, {options.rows} rows of {options.dim} {options.dtype}, {options.classes} classes: {base:,.0f} rows/s")
            transport = statistics.median(passed)
            most = 1 / (1 / base + 1 / transport)
            print(f"loopback alone: {transport:,.0f} rows/s; after the other, both would make {most:,.0f} rows/s, {most / base:.2f} of predict")
            for load, rates in served.items():
                rate = statistics.median(rates)
                print(f"serve, {load[0]} connections, {load[1]} rows per request: {rate:,.0f} rows/s, {rate / base:.2f} of predict")
            best = max(LOADS, key=lambda load: statistics.median(served[load]))
            for load in (best, SINGLE):
                half = statistics.median(served[load]) / 2
                told = [ask(load, half) for _ in range(options.rounds)]
                middle = lambda key: statistics.median(one[key] for one in told)
                print(f"at half of that, {load[0]} connections, {load[1]} rows per request: {middle('rows_per_second'):,.0f} rows/s, p50 {middle('p50_ms'):.1f} ms, "
                      f"p99 {middle('p99_ms'):.1f} ms")
            with open(f"/proc/{server.pid}/status") as status:
                print("server's", next(line.split(":")[0] + line.split(":")[1].rstrip() for line in status if line.startswith("VmHWM")))
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
