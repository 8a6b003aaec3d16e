#!/usr/bin/env bash
# Configures (once) and builds a preset, the release one unless another is named, whole or the named targets of it. The program
# lands at build/dppl, the Python module in build/python.
#   scripts/build.sh [PRESET [TARGET...]]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
cmake --preset "$preset" --log-level=WARNING >/dev/null
cmake --build --preset "$preset" ${2:+--target "${@:2}"}
