#!/usr/bin/env bash
# Fetches Vega, Vega-Lite and Vega-Embed from npm, which the build puts into the program: they draw the charts on the pages of
# `dppl report` and `dppl sweep`; without them the pages show the numbers as tables. Lands in .deps/vega/vega.js.
# Fails with one line and changes nothing when it cannot be had.
#   scripts/setup-vega.sh            with npm, which is installed where it is missing
#   scripts/setup-vega.sh --if-npm   does nothing where npm is missing
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/npm-package.sh

# name@version, sha256 of the package, file in it
packages=(
  "vega@6.4.0 3521fb6ff68a94a40323954f0ba4484ba4014b157bfd37f89a3b063082320c42 vega.min.js"
  "vega-lite@6.4.3 24260f85e6f5bfe1069505f7c5c2b9863181ac413ef1030746f0a80c93991ce5 vega-lite.min.js"
  "vega-embed@7.3.0 d9a958ced3240f0418df7d5e12e97dba6e63cecda15b8403e47a0db7eb6ea859 vega-embed.min.js"
)
folder=.deps/vega
stamp=$(printf '%s\n' "${packages[@]}" | sha256sum | cut -c 1-16)

fail() { echo "setup-vega.sh: $*; dppl works without it, its pages have tables instead of charts" >&2; exit 1; }

[ -e "$folder/$stamp" ] && exit 0
npm_or_exit "$@"

begin_fetching "Vega-Lite (2 MB)"
for package in "${packages[@]}"; do
  read -r name sha256 file <<<"$package"
  archive=$work/${name/@/-}.tgz
  fetch_package "$name" "$sha256" "$work"
  {
    # The licence asks to go along.
    printf '/* %s\n%s\n*/\n' "$name" "$(tar -xzOf "$archive" package/LICENSE)"
    tar -xzOf "$archive" "package/build/$file" | sed '/^\/\/# sourceMappingURL=/d'
    echo
  } >>"$work/vega.js"
done
rm -rf "$folder"
mkdir -p "$folder"
mv "$work/vega.js" "$folder/vega.js"
touch "$folder/$stamp"  # last: all is there
