"""The package is typed, its stub is true to the bindings, and the examples in its documentation run."""

from __future__ import annotations

import doctest
import importlib
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import dppl

PYTHON = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = pathlib.Path(dppl.__file__).parent
CONFIGURATION = str(PYTHON / "mypy.ini")


def run(*command: str, cwd: pathlib.Path = PACKAGE.parent) -> None:
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_typed(tmp_path: pathlib.Path) -> None:
    run("mypy", "--config-file", CONFIGURATION, "--cache-dir", str(tmp_path), str(PACKAGE))


def test_the_stub_is_true_to_the_bindings() -> None:
    run("mypy.stubtest", "--mypy-config-file", CONFIGURATION, "--allowlist", str(PYTHON / "stubtest-allowlist.txt"), "dppl._core")


def test_a_wrong_call_is_seen(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("mypy")
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import dppl\ndppl.PrototypeClassifier('mean', rho=0.1, classes=3, refine_steps='many')\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", CONFIGURATION, "--cache-dir", str(tmp_path), str(wrong)],
                          env={"MYPYPATH": str(PACKAGE.parent)}, capture_output=True, text=True, timeout=240)
    assert done.returncode == 1 and 'Argument "refine_steps"' in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["dppl", *(module.name for module in pkgutil.walk_packages(dppl.__path__, "dppl.") if not module.name.endswith(("._core", ".__main__")))])
def test_examples_run(name: str) -> None:
    if name.startswith("dppl.dask"):
        pytest.importorskip("distributed")
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_importing_is_light() -> None:
    """Neither NumPy nor scikit-learn is loaded before they are needed."""
    loaded = "import sys, dppl; print(sorted({'numpy', 'sklearn', 'pandas', 'matplotlib'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_name_is_there() -> None:
    for name in dppl.__all__:
        if name != "plot":  # needs matplotlib
            assert getattr(dppl, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        dppl.nothing
