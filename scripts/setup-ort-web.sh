#!/usr/bin/env bash
# Fetches ONNX Runtime Web from npm, which the build puts into the program: it runs models on the pages of `dppl export --page`,
# in the visitor's browser. Lands in .deps/ort-web/: ort.js, and the WebAssembly that it starts, compressed. Fails with one line and
# changes nothing when it cannot be had.
#   scripts/setup-ort-web.sh            with npm, which is installed where it is missing
#   scripts/setup-ort-web.sh --if-npm   does nothing where npm is missing
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/npm-package.sh

version=1.30.0
package_sha256=d2228df7e4616bc3348bf504ee888f3bec43789a273f0a63f3e68d203ce3bf71
folder=.deps/ort-web
stamp=$version-1  # the second number: of the way in which the files below are made

fail() { echo "setup-ort-web.sh: $*; dppl works without it, but for 'dppl export --page'" >&2; exit 1; }

[ -e "$folder/$stamp" ] && exit 0
npm_or_exit "$@"

begin_fetching "ONNX Runtime Web $version (31 MB)"
name=onnxruntime-web@$version
fetch_package "$name" "$package_sha256" "$work"
tar -xzf "$work/onnxruntime-web-$version.tgz" -C "$work" package/dist/ort.wasm.bundle.min.mjs package/dist/ort-wasm-simd-threaded.wasm

# The module becomes a script that stands in a page: it looks for nothing beside it (import.meta.url), and what it exports is the
# global object `ort`.
module=$work/package/dist/ort.wasm.bundle.min.mjs
exports=$(grep -o 'export{[^}]*}' "$module" | grep -oE '[A-Za-z0-9_$]+ as (InferenceSession|Tensor|env)' | sed -E 's/(.*) as (.*)/\2:\1/')
[ "$(wc -l <<<"$exports")" -eq 3 ] || fail "$name exports something else than it did"
{
  cat <<'LICENCE'
/* ONNX Runtime Web, MIT License
Copyright (c) Microsoft Corporation

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR
ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
LICENCE
  echo '(() => {'
  sed -E -e '/^\/\/# sourceMappingURL=/d' -e 's/import\.meta\.url/undefined/g' -e 's/export\{[^}]*\};?//' "$module"
  echo "globalThis.ort={$(tr '\n' ',' <<<"$exports")}"
  echo '})();'
} >"$work/ort.js"
gzip -9n "$work/package/dist/ort-wasm-simd-threaded.wasm"
rm -rf "$folder"
mkdir -p "$folder"
mv "$work/ort.js" "$work/package/dist/ort-wasm-simd-threaded.wasm.gz" "$folder/"
touch "$folder/$stamp"  # last: all is there
