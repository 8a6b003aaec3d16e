#!/usr/bin/env bash
# Installs the packages of scripts/package.sh on a fresh Debian 12 and uses them there: the program, the Python module, the library
# through find_package, and the wheel in a virtual environment. As root; the system is made by debootstrap from the mirror that apt
# is set up with, in a folder that is removed at the end. Takes 3 GB of disk and some minutes.
#   scripts/try-packages.sh [DIRECTORY OF PACKAGES, dist]
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$(realpath "${1:-dist}")
[ "$(id -u)" = 0 ] || { echo 'try-packages.sh: needs root' >&2; exit 1; }
command -v debootstrap >/dev/null || { echo 'try-packages.sh: needs debootstrap (apt-get install debootstrap)' >&2; exit 1; }
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' | awk '$2 == "bookworm" { print $1; exit }')
[ -n "$mirror" ] || { echo 'try-packages.sh: apt has no mirror of Debian 12 (bookworm)' >&2; exit 1; }

root=$(mktemp -d)
chmod 755 "$root"  # apt fetches as a user of its own
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { tail "$root.log" >&2; exit 1; }
rm "$root.log"
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/"
mkdir "$root/try"
cp "$packages"/*.deb "$packages"/*.whl "$root/try/"
cp -r examples "$root/try/"
cat >"$root/try/fit.py" <<'PY'
import numpy as np
import dppl

random = np.random.default_rng(0)
y = np.repeat([0, 1, 2], 300)
X = random.normal(size=(900, 16)) + 4 * np.eye(16)[y]
model = dppl.PrototypeClassifier("mean", rho=0.1, classes=3, seed=1).fit(X, y)
assert model.score(X, y) > 0.9, model.score(X, y)
model.save("model.dppl")
print("dppl", dppl.__version__, "from", dppl.__file__)
PY
cat >"$root/try/try.sh" <<'SH'
set -eu
cd /try
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
install() { apt-get install -y -qq --no-install-recommends "$@" >install.log 2>&1 || { tail -n 20 install.log; exit 1; }; }
apt-get update -qq
echo '== program'; install ./dppl_*.deb
dppl --version
dppl account --rho 0.1 >/dev/null
echo '== Python module'; install ./python3-dppl_*.deb
python3 fit.py
dppl inspect model.dppl >/dev/null
echo '== library'; install ./libdppl-dev_*.deb cmake g++ make
cmake -S examples -B examples/build >/dev/null
cmake --build examples/build >/dev/null
examples/build/mean_age
echo '== packages removed, wheel'
apt-get remove -y -qq python3-dppl >/dev/null 2>&1
if [ -e /usr/lib/python3/dist-packages/dppl ]; then echo 'the removed package left files'; exit 1; fi
install python3-venv
python3 -m venv --system-site-packages venv
venv/bin/pip install --quiet --no-index ./*.whl
venv/bin/python fit.py
SH
chroot "$root" /bin/sh /try/try.sh
echo 'all packages work on a fresh Debian 12'
