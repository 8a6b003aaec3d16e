#!/usr/bin/env bash
# Sets up, builds and runs all fast tests. With --long also what takes much memory or kills many processes, and all under ASan + UBSan, under the
# thread sanitizer and with clang.
set -euo pipefail
cd "$(dirname "$0")"
scripts/setup.sh --test
scripts/build.sh
ctest --preset release -j 2 --no-tests=error
[ "${1:-}" = --long ] || exit 0
scripts/setup.sh --long
DPPL_LONG_TESTS=1 ctest --preset release --no-tests=error -R 'BeyondTwoGigabytes|Python.dask_(docs|kills)'
for preset in debug tsan clang; do
  scripts/build.sh "$preset"
  # Real embeddings take an hour under a sanitizer; the thread sanitizer does not know fork-based tests.
  exclude='RealData|[Ii]nstall'
  [ "$preset" = tsan ] && exclude+='|Ledger|EmbedKilled'
  ctest --preset "$preset" -j 2 --no-tests=error -E "$exclude"
done
