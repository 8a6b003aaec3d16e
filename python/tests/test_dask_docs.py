"""docs/scale.md runs as written, from its first command to its last, on a cluster of this machine.

Takes minutes, and runs with DPPL_LONG_TESTS=1 only (./test.sh --long).
"""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import socket
import subprocess
import sys

import pytest

if not os.environ.get("DPPL_LONG_TESTS"):
    pytest.skip("takes minutes: DPPL_LONG_TESTS=1", allow_module_level=True)
pytest.importorskip("distributed", reason="Dask is not there: apt-get install python3-distributed")

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "scale.md"
BLOCK = re.compile(r"^```(?P<kind>sh|python)\n(?P<code>.*?)^```\n(?:```text\n(?P<output>.*?)^```\n)?", re.M | re.S)


@pytest.mark.skipif(not pathlib.Path("/usr/share/datasets/fashion-mnist").exists(), reason="Fashion-MNIST is not there: apt-get install dataset-fashion-mnist")
def test_the_guide_runs(tmp_path: pathlib.Path, request: pytest.FixtureRequest) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "dppl").symlink_to(pathlib.Path(request.config.getoption("--program")).resolve())
    (tools / "python3").symlink_to(sys.executable)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = ["set -e", "trap 'kill $(jobs -p)' EXIT"]
    outputs: list[str] = []
    for block in BLOCK.finditer(GUIDE.read_text()):
        code = block["code"].replace("8786", str(port))
        # Not from standard input: worker processes are started in a way that would read it again.
        script.append(code if block["kind"] == "sh" else f"python3 -c {shlex.quote(code)} >said-{len(outputs)}")
        if block["kind"] == "python":
            outputs.append(block["output"])
    assert len(script) > 6 and outputs
    work = tmp_path / "work"
    work.mkdir()
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=work, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    for i, output in enumerate(outputs):
        assert (work / f"said-{i}").read_text() == output
    for name in ("public.pools", "clothes.dppl", "loop.pools", "made.pools"):
        assert (work / name).exists()
