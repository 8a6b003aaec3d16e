from __future__ import annotations

import pathlib
import subprocess
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest


class Task:
    """Rows of three classes, a pool that is like them, and rows to test on."""

    def __init__(self, seed: int = 0, dim: int = 32, classes: int = 3) -> None:
        random = np.random.default_rng(seed)
        self.classes = classes
        self.centres = 3 * random.normal(size=(classes, dim))
        self.y = random.integers(classes, size=600)
        self.X = (self.centres[self.y] + random.normal(size=(600, dim))).astype(np.float32)
        self.test_y = random.integers(classes, size=300)
        self.test_X = (self.centres[self.test_y] + random.normal(size=(300, dim))).astype(np.float32)
        self.pool = (self.centres[random.integers(classes, size=1500)] + 2 * random.normal(size=(1500, dim))).astype(np.float32)
        self.people = np.arange(600) // 2


@pytest.fixture(scope="session")
def task() -> Task:
    return Task()


class Program:
    """The command line, for comparison. Arrays are written to files for it."""

    def __init__(self, program: str, directory: pathlib.Path) -> None:
        self.program = program
        self.directory = directory

    def file(self, name: str, array: npt.NDArray[Any]) -> str:
        path = self.directory / f"{name}.npy"
        np.save(path, array)
        return str(path)

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--program", default="build/dppl", help="the command line to compare with")


@pytest.fixture
def program(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Program:
    return Program(request.config.getoption("--program"), tmp_path)
