#!/usr/bin/env bash
# Fetches ONNX Runtime, which `dppl embed` needs for models in ONNX's format and nothing else does. A system that has it as
# a package gets that one; elsewhere the shared library is taken out of the npm package onnxruntime-node, checked against
# the digest below, and put into .deps/onnxruntime/. Fails with one line and changes nothing when it cannot be had. Tries to
# fetch its header too (scripts/setup-onnx-header.sh), for a test.
#   scripts/setup-onnx.sh
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/npm-package.sh

version=1.21.0
package_sha256=c711a4048a8b460a70de25a5008b1628e3773878ef9deec1dd4a4ccab46de01a
folder=.deps/onnxruntime
library=libonnxruntime.so.1

fail() { echo "setup-onnx.sh: $*; 'dppl embed' works without it, but for .onnx models" >&2; exit 1; }

scripts/setup-onnx-header.sh || true  # says why; models run without
[ -e "$folder/$version" ] && exit 0
ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
"$ldconfig" -p 2>/dev/null | grep "libonnxruntime\.so" >/dev/null && exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
# install PACKAGE: from the system's own sources; fails quietly.
install() {
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || return 1
  echo "setup-onnx.sh: installing $1" >&2
  "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null
}

own=$(apt-cache pkgnames libonnxruntime 2>/dev/null | grep -E '^libonnxruntime[0-9.]+$' | sort -V | tail -n 1 || true)
if [ -n "$own" ] && install "$own"; then exit 0; fi

case "$(uname -m)" in
  x86_64) machine=x64 ;;
  aarch64) machine=arm64 ;;
  *) fail "ONNX Runtime is not published for $(uname -m)" ;;
esac
command -v npm >/dev/null || install npm || fail "npm, which fetches it, cannot be installed"

begin_fetching "ONNX Runtime $version (80 MB)"
fetch_package "onnxruntime-node@$version" "$package_sha256" "$work"
tar -xzf "$work/onnxruntime-node-$version.tgz" -C "$work" "package/bin/napi-v3/linux/$machine/$library"
mkdir -p "$folder"
mv "$work/package/bin/napi-v3/linux/$machine/$library" "$folder/$library"
touch "$folder/$version"  # last: all is there
