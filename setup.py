"""Builds the wheel: CMake builds and installs the whole package, sources beside the compiled module, and setuptools packs it.

DPPL_BUILD_DIR names a CMake build that is there and complete; the wheel is then made of it, and nothing is compiled.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = pathlib.Path(__file__).resolve().parent
# Beside CMake's own build, so that the source tree stays clean.
SCRATCH = SOURCE / "build" / "wheel"


def version():
    return re.search(r"project\(dppl VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]


class BuildWithCMake(build_ext):
    def run(self):
        if self.inplace:
            raise SystemExit("dppl has no editable install: build with scripts/build.sh and set PYTHONPATH=build/python")
        named = os.environ.get("DPPL_BUILD_DIR")
        build = pathlib.Path(named) if named else self.cmake_build()
        target = pathlib.Path(self.build_lib)
        shutil.rmtree(target / "dppl", ignore_errors=True)
        self.cmake("--install", build, "--component", "wheel", "--strip", "--prefix", target.resolve())
        if not (target / self.get_ext_filename("dppl._core")).is_file():
            raise SystemExit(f"{build} has no module for {sys.executable}: it was built without pybind11, or for another Python")

    def cmake_build(self):
        build = pathlib.Path(self.build_temp).resolve() / "cmake"
        # Debian's pybind11-dev is found without; elsewhere it is a Python package.
        try:
            import pybind11
            where = [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]
        except ImportError:
            where = []
        generator = ["-G", "Ninja"] if shutil.which("ninja") and "CMAKE_GENERATOR" not in os.environ else []
        self.cmake("-S", SOURCE, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DDPPL_TESTS=OFF", "-DDPPL_PYTHON=ON",
                   f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_REQUIRE_FIND_PACKAGE_Python=ON", "-DCMAKE_REQUIRE_FIND_PACKAGE_pybind11=ON",
                   *where)
        self.cmake("--build", build, "--target", "dppl_python_package", "--parallel", os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", os.cpu_count()))
        return build

    def cmake(self, *arguments):
        if not shutil.which("cmake"):
            raise SystemExit("dppl is built with CMake, which is not there: docs/install.md says what is needed")
        if subprocess.run(["cmake", *map(str, arguments)]).returncode != 0:
            raise SystemExit("dppl: CMake failed, as said above; docs/install.md says what is needed")


os.umask(0o022)  # a wheel keeps the modes of its files
SCRATCH.mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    # All of the package comes from CMake's install; the module is named so that the wheel is one for this platform.
    packages=[],
    ext_modules=[Extension("dppl._core", sources=[])],
    cmdclass={"build_ext": BuildWithCMake},
    options={"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}},
)
