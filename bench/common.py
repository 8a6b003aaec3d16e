"""What the benchmark scripts share. Import it before numpy: it sets the threads and a fair kernel for OpenBLAS."""
import os
import time

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "2"
flags = open("/proc/cpuinfo").read()
# Debian 12's OpenBLAS does not know some processors and falls back to code of 2004; name a fair kernel instead, whatever
# the environment says.
kernel = "SKYLAKEX" if "avx512f" in flags else "ZEN" if "AuthenticAMD" in flags else "HASWELL" if "avx2" in flags else "NEHALEM"
os.environ["OPENBLAS_CORETYPE"] = kernel

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DPPL = os.path.join(ROOT, "build", "dppl")


def seconds(work, repeats=3):
    """The best of some runs."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)
