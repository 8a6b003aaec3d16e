"""Beyond one machine: embedding, pools in shards, fits over them and sweeps, on the workers of a Dask cluster.

Each function takes a `distributed.Client`. `local_cluster()` starts workers on this machine, and
`python -m dppl.dask --help` tells how to do all of it without writing Python. What is made is the same, bit for bit, as
on one machine with one file: the cluster decides where things are computed and how fast, nothing else.

Private values (class sums, records, bounds and weights of a fit) leave this process encrypted or not at all: `fit`
refuses a cluster without TLS. docs/scale.md says what is held where, and what it costs.
"""

from __future__ import annotations

try:
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError("dppl.dask needs Dask's workers: apt-get install python3-distributed python3-cryptography, or pip install 'dppl[dask]'") from error

from ._cluster import ClusterError, connect, local_cluster
from ._fit import fit
from ._pools import build_pool, embed
from ._sweep import sweep

__all__ = ["ClusterError", "build_pool", "connect", "embed", "fit", "local_cluster", "sweep"]
