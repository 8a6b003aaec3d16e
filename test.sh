#!/usr/bin/env bash
# Sets up, builds and runs all fast tests. With --long also under ASan + UBSan, under the thread sanitizer and with clang.
set -euo pipefail
cd "$(dirname "$0")"
scripts/setup.sh --test
scripts/build.sh
ctest --preset release -j 2 --no-tests=error
[ "${1:-}" = --long ] || exit 0
scripts/setup.sh --long
for preset in debug tsan clang; do
  scripts/build.sh "$preset"
  # Real embeddings take an hour under a sanitizer; the thread sanitizer does not know fork-based tests.
  exclude='RealData|Install'
  [ "$preset" = tsan ] && exclude+='|Ledger|EmbedKilled'
  ctest --preset "$preset" -j 2 --no-tests=error -E "$exclude"
done
