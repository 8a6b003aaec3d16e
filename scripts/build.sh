#!/usr/bin/env bash
# Configures (once) and builds a preset, the release one unless another is named. The program lands at build/dppl.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
cmake --preset "$preset" --log-level=WARNING >/dev/null
cmake --build --preset "$preset"
