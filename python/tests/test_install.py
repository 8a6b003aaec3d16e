"""The wheel and the Debian packages, made of the build that is there, installed or unpacked, and used."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import venv

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TINY_FIT = """
import importlib.metadata, sys
import numpy as np
import dppl
y = np.repeat([0, 1, 2], 200)
X = np.random.default_rng(0).normal(size=(600, 8)) + 4 * np.eye(8)[y]
assert dppl.PrototypeClassifier("mean", rho=0.1, classes=3, seed=1).fit(X, y).score(X, y) > 0.9
assert importlib.metadata.version("dppl") == dppl.__version__
print(dppl.__version__, dppl.__file__)
"""


def run(*command: object, cwd: pathlib.Path = SOURCE, umask: int = 0o022, **environment: str) -> str:
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_", "DPPL_"))}
    done = subprocess.run([str(word) for word in command], cwd=cwd, umask=umask, env={**surroundings, **environment}, capture_output=True, text=True,
                          timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# cpack writes the umask into the headers of the three members of a .deb, and nowhere else.
def digests(directory: pathlib.Path, pattern: str) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes().replace(b" 100600 ", b" 100644 ")).hexdigest() for path in directory.glob(pattern)}


# A second builder of the same sources: another umask, another time zone.
BUILDERS = [(0o022, "UTC"), (0o077, "Asia/Tokyo")]


@pytest.fixture(scope="module")
def build(request: pytest.FixtureRequest) -> pathlib.Path:
    return pathlib.Path(request.config.getoption("--program")).resolve().parent


@pytest.fixture(scope="module")
def version() -> str:
    found = re.search(r"project\(dppl VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())
    assert found
    return found[1]


@pytest.fixture(scope="module")
def wheels(build: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> list[pathlib.Path]:
    directories = []
    for umask, zone in BUILDERS:
        directory = tmp_path_factory.mktemp("wheel")
        run(sys.executable, "-m", "pip", "wheel", ".", "--no-build-isolation", "--no-deps", "--no-index", "-w", directory, DPPL_BUILD_DIR=str(build),
            SOURCE_DATE_EPOCH="1700000000", umask=umask, TZ=zone)
        directories.append(directory)
    return directories


def test_two_wheels_have_the_same_bytes(wheels: list[pathlib.Path]) -> None:
    assert len(digests(wheels[0], "*.whl")) == 1
    assert digests(wheels[0], "*") == digests(wheels[1], "*")


def test_wheel_works_in_a_fresh_environment(wheels: list[pathlib.Path], version: str, tmp_path: pathlib.Path) -> None:
    environment = tmp_path / "venv"
    venv.create(environment, system_site_packages=True, with_pip=True)
    run(environment / "bin/pip", "install", "--no-index", *wheels[0].glob("*.whl"))
    said, where = run(environment / "bin/python", "-c", TINY_FIT, cwd=tmp_path).split()
    assert said == version
    assert pathlib.Path(where).is_relative_to(environment)
    assert list(environment.glob("lib/*/site-packages/dppl-*.dist-info/LICENSE"))
    assert list(environment.glob("lib/*/site-packages/dppl/py.typed"))


def test_sources_for_pip_are_complete(tmp_path: pathlib.Path, version: str) -> None:
    run(sys.executable, "setup.py", "sdist", "-d", tmp_path)
    with tarfile.open(tmp_path / f"dppl-{version}.tar.gz") as archive:
        archive.extractall(tmp_path)
    unpacked = tmp_path / f"dppl-{version}"
    for room in ("cli", "cmake", "include", "lab", "python", "src"):
        there, here = ({path.relative_to(tree) for path in (tree / room).rglob("*") if path.is_file() and path.suffix != ".pyc"}
                       for tree in (unpacked, SOURCE))
        assert there == here
    run("cmake", "-S", unpacked, "-B", tmp_path / "build", "-DDPPL_TESTS=OFF")


@pytest.fixture(scope="module")
def debs(build: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> list[pathlib.Path]:
    directories = []
    for umask, zone in BUILDERS:
        directory = tmp_path_factory.mktemp("deb")
        run("cpack", "--config", build / "CPackConfig.cmake", "-B", directory, SOURCE_DATE_EPOCH="1700000000", umask=umask, TZ=zone)
        directories.append(directory)
    return directories


def test_two_debian_packages_have_the_same_bytes(debs: list[pathlib.Path]) -> None:
    assert {name.split("_")[0] for name in digests(debs[0], "*.deb")} == {"dppl", "libdppl-dev", "python3-dppl"}
    assert digests(debs[0], "*.deb") == digests(debs[1], "*.deb")


def test_debian_packages_say_what_they_need(debs: list[pathlib.Path], version: str) -> None:
    def depends(package: str) -> str:
        deb = next(debs[0].glob(f"{package}_*.deb"))
        assert run("dpkg-deb", "-f", deb, "Version").strip() == version
        return run("dpkg-deb", "-f", deb, "Depends")

    libraries = ["libc6 (>=", "libstdc++6 (>=", "libgmp10", "libmpfi0", "libsodium23", "libsqlite3-0", "libdnnl2", "libjpeg62-turbo", "libpng16-16"]
    python = [f"python3 (>= 3.{sys.version_info.minor})", f"python3 (<< 3.{sys.version_info.minor + 1})", "python3-numpy", "python3-sklearn"]
    for need in libraries:
        assert need in depends("dppl")
        assert need in depends("python3-dppl")
    for need in python:
        assert need in depends("python3-dppl")
        assert need not in depends("dppl")
    # Each pkg-config module and library that find_package(dppl) asks for comes with one of these.
    for need in ("pkg-config", "libgmp-dev", "libmpfr-dev", "libmpfi-dev", "libsodium-dev", "libsqlite3-dev", "libdnnl-dev", "libpng-dev", "zlib1g-dev"):
        assert need in depends("libdppl-dev")


def test_debian_packages_work_unpacked(debs: list[pathlib.Path], version: str, tmp_path: pathlib.Path) -> None:
    for deb in debs[0].glob("*.deb"):
        run("dpkg-deb", "-x", deb, tmp_path)
        assert (tmp_path / f"usr/share/doc/{deb.name.split('_')[0]}/copyright").read_bytes() == (SOURCE / "LICENSE").read_bytes()
    assert run(tmp_path / "usr/bin/dppl", "--version").strip() == version
    modules = tmp_path / "usr/lib/python3/dist-packages"
    said, where = run(sys.executable, "-B", "-c", TINY_FIT, cwd=tmp_path, PYTHONPATH=str(modules)).split()
    assert said == version
    assert pathlib.Path(where).is_relative_to(modules)
    run(sys.executable, "-m", "compileall", "-q", modules)  # as the package's own script does when it is installed
    assert (tmp_path / "usr/include/dppl/fit.h").is_file()
    assert (tmp_path / "usr/lib/cmake/dppl/dppl-config.cmake").is_file()
