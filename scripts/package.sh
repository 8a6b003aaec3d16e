#!/usr/bin/env bash
# Builds and puts into dist/ what can be handed to others: Debian packages of the program, the library and the Python module, a
# wheel of the module, and the sources that pip builds it from elsewhere. Packages and wheel of one commit have the same bytes
# each time (docs/install.md).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh --package
scripts/build.sh release dppl_cli dppl_lab dppl_python_package
umask 022
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
rm -rf build/deb dist
cpack --config build/CPackConfig.cmake -B "$PWD/build/deb" >/dev/null
# Debian's own Python, as in the build.
DPPL_BUILD_DIR=$PWD/build /usr/bin/python3 -m pip wheel . --quiet --no-build-isolation --no-deps -w dist
/usr/bin/python3 setup.py --quiet sdist -d dist
cp build/deb/*.deb dist/
(cd dist && sha256sum -- *)
