#!/usr/bin/env bash
# Installs what dppl needs from Debian's packages. As root or through sudo; does nothing when all is there.
#   scripts/setup.sh            to build and run
#   scripts/setup.sh --demo     and the demo's data set, and scikit-learn; tries to have what --page has
#   scripts/setup.sh --test     to build, run and test
#   scripts/setup.sh --long     and to test with clang and fuzz
#   scripts/setup.sh --onnx     and ONNX Runtime, for encoders in ONNX's format (scripts/setup-onnx.sh); --test tries to
#   scripts/setup.sh --charts   and Vega-Lite, for charts that answer to the mouse (scripts/setup-vega.sh); --test tries to
#   scripts/setup.sh --package  and to make packages (scripts/package.sh) or pip install .
#   scripts/setup.sh --page     and ONNX Runtime Web, for 'dppl export --page' (scripts/setup-ort-web.sh); --test tries to
#   scripts/setup.sh --bench    what the benchmarks compare with
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config            # build
  libgmp-dev libmpfr-dev libmpfi-dev          # exact rationals, intervals with outward rounding
  libsodium-dev                               # ChaCha20, BLAKE2b
  libsqlite3-dev                              # ledger
  libcli11-dev nlohmann-json3-dev libfmt-dev  # command line
  libboost-dev                                # Boost.Math: beta and chi-square quantiles; Boost.Beast: HTTP
  libeigen3-dev libdnnl-dev                   # eigenvectors, matrix products
  libjpeg62-turbo-dev libpng-dev zlib1g-dev   # images
  libtomlplusplus-dev                         # plans of dppl sweep
  pybind11-dev python3-dev python3-numpy      # the Python module
)
# The estimator needs scikit-learn; frames, pictures, clusters, notebooks and types are tested with these.
python_test=(python3-sklearn python3-distributed python3-cryptography python3-pandas python3-matplotlib python3-tqdm python3-pytest mypy
  python3-nbclient python3-nbformat python3-ipykernel dataset-fashion-mnist)
packaging=(dpkg-dev python3-pip python3-setuptools python3-venv python3-wheel)
onnx=no
charts=if-npm
page=if-npm
for argument in "$@"; do
  case "$argument" in
    --test)
      packages+=(libgtest-dev chromium python3-onnx python3-yaml "${python_test[@]}" "${packaging[@]}")
      [ "$onnx" = must ] || onnx=try; [ "$charts" = must ] || charts=try; [ "$page" = must ] || page=try ;;
    --long) packages+=(libgtest-dev chromium clang libclang-rt-14-dev) ;;
    --demo) packages+=(dataset-fashion-mnist python3-sklearn); [ "$page" = must ] || page=try ;;
    --package) packages+=("${packaging[@]}") ;;
    --onnx) onnx=must ;;
    --charts) charts=must ;;
    --page) page=must ;;
    --bench) packages+=(libbenchmark-dev libopenblas0-pthread python3-numpy python3-sklearn python3-torch python3-matplotlib python3-pil) ;;
    *) echo "setup.sh: unknown argument '$argument' (known: --demo, --test, --long, --onnx, --charts, --page, --package, --bench)" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup.sh: needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  echo "setup.sh: installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

case $onnx in
  must) "$(dirname "$0")/setup-onnx.sh" ;;
  try) "$(dirname "$0")/setup-onnx.sh" || echo "setup.sh: tests with ONNX models will be skipped" >&2 ;;
esac
case $charts in
  must) "$(dirname "$0")/setup-vega.sh" ;;
  try) "$(dirname "$0")/setup-vega.sh" || echo "setup.sh: tests of live charts will be skipped" >&2 ;;
  if-npm) "$(dirname "$0")/setup-vega.sh" --if-npm || true ;;  # says why
esac
case $page in
  must) "$(dirname "$0")/setup-ort-web.sh" ;;
  try) "$(dirname "$0")/setup-ort-web.sh" || echo "setup.sh: there will be no pages that classify, and their tests will be skipped" >&2 ;;
  if-npm) "$(dirname "$0")/setup-ort-web.sh" --if-npm || true ;;  # says why
esac
