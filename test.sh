#!/usr/bin/env bash
# Sets up, builds and runs all fast tests. The long ones: ./test.sh --long
set -euo pipefail
cd "$(dirname "$0")"
scripts/setup.sh --test
scripts/build.sh
ctest --preset release -j 2
