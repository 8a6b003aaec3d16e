#!/usr/bin/env bash
# Fetches ONNX Runtime's C header, with which a test compares the declarations in src/encoders/ort_api.h; nothing else needs
# it. A system that has it as a package gets that one; elsewhere it is taken out of Debian 13's package and put into
# .deps/onnxruntime/include/. Nothing of Debian 13 is installed, and apt's own files stay as they are: the package comes
# through a private set of apt's folders, from the mirror and with the proxy that the system uses. Fails with one line and
# changes nothing when it cannot be had.
#   scripts/setup-onnx-header.sh
set -euo pipefail
cd "$(dirname "$0")/.."

suite=trixie
package=libonnxruntime-dev
version=1.21.0+dfsg-1
# Of the header, not of the package: it is the same on every architecture and after a rebuild.
header_sha256=7783e9664bdb0b1b36145b5c8587dd1bc9a399aa000edf2e3dd03003cafc6882
name=onnxruntime/onnxruntime_c_api.h
header=.deps/onnxruntime/include/$name
# Debian 13's index is also signed with Debian 12's key, so that every Debian 12 can check it.
keys=/usr/share/keyrings/debian-archive-keyring.gpg

fail() { echo "setup-onnx-header.sh: $*; only the test that compares with ONNX Runtime's header needs it" >&2; exit 1; }
is_checked() { echo "$header_sha256  $1" | sha256sum --check --status 2>/dev/null; }

[ -e "/usr/include/$name" ] && exit 0
is_checked "$header" && exit 0
command -v apt-get >/dev/null || fail "there is no apt-get to fetch $package with"

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
if apt-cache pkgnames "$package" 2>/dev/null | grep -x "$package" >/dev/null && { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; }; then
  echo "setup-onnx-header.sh: installing $package" >&2
  "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null && exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
# Read after the system's settings. Hooks are cleared, since they may touch the system's folders; apt's own user could not
# write into ours.
cat >"$work/apt.conf" <<END
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::Etc::SourceList "$work/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State::Lists "$work/lists";
Dir::Cache "$work/cache";
Dir::Cache::Archives "$work/cache/archives";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Retries "1";
END
private_apt() { (cd "$work" && apt-get -q -c "$work/apt.conf" "$@" >>apt.log 2>&1 </dev/null); }

# Where apt would get the system's own suite from, whatever the format of its sources. Other publishers name suites alike:
# what is not signed by Debian is passed over below.
own_suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
mirrors=$(apt-get -o Dir::State::Lists="$work/lists" update --print-uris 2>/dev/null </dev/null |
  sed -nE "s,^'(.*)/dists/($own_suite|stable|oldstable)/(In)?Release'.*,\1,p" | awk '!seen[$0]++' || true)
[ -n "$mirrors" ] || fail "apt's sources name no mirror of this system's suite"

echo "setup-onnx-header.sh: fetching the header out of $package of Debian's $suite (10 MB with the index)" >&2
found=no
while IFS= read -r mirror; do
  echo "deb [arch=$(dpkg --print-architecture) target=Packages signed-by=$keys] $mirror $suite main" >"$work/sources.list"
  if private_apt update && private_apt download "$package"; then
    found=yes
    break
  fi
done <<<"$mirrors"
[ "$found" = yes ] ||
  fail "$package of Debian's $suite cannot be fetched with apt-get ($(grep -m 1 -E '^[EW]: ' "$work/apt.log" || echo 'no reason given'))"

archive=$(echo "$work/$package"_*.deb)
dpkg-deb --fsys-tarfile "$archive" | tar -xO "./usr/include/$name" >"$work/header.h" 2>/dev/null || fail "$package has no $name"
is_checked "$work/header.h" ||
  fail "the header in $package $(dpkg-deb -f "$archive" Version) is not the one of $version that was checked (sha256 differs)"
{ mkdir -p "$(dirname "$header")" && mv "$work/header.h" "$header"; } 2>/dev/null || fail "$header cannot be written"
