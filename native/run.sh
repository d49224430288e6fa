#!/bin/sh
# Fetches the binary of this release for a Linux or macOS runner, checks it
# against the digest in release.txt and becomes it: sh run.sh native judges, sh run.sh
# setup puts the binary on the path. The inputs are in BREADCRUMB_INPUTS.
# BREADCRUMB_RELEASES names a mirror of the releases.
set -eu

fail() {
  echo "::error title=Breadcrumb::$*" >&2
  exit 3
}

case ${1:-} in
  native) set -- ci --action native ;;
  setup) set -- restore --action setup ;;
  *) fail "run.sh is for native/action.yml and setup/action.yml" ;;
esac

here=$(cd "$(dirname "$0")" && pwd)
releases=${BREADCRUMB_RELEASES:-https://github.com/breadcrumb/action/releases/download}

case ${RUNNER_OS:-} in
  Linux) os=linux ;;
  macOS) os=darwin ;;
  *) fail "there is no binary for the runner's system '${RUNNER_OS:-}'" ;;
esac
case ${RUNNER_ARCH:-} in
  X64) arch=amd64 ;;
  ARM64) arch=arm64 ;;
  *) fail "there is no binary for the runner's processor '${RUNNER_ARCH:-}'" ;;
esac
asset=breadcrumb-$os-$arch

version=$(sed -n 1p "$here/release.txt")
want=$(sed -n "s/^\([0-9a-f]\{64\}\)  $asset\$/\1/p" "$here/release.txt")
[ -n "$want" ] || fail "native/release.txt of this commit has no digest of $asset: use a release, breadcrumb/action/native@v1"

digest() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1" | cut -d ' ' -f 1
  else
    fail "neither sha256sum nor shasum is installed, so the binary cannot be checked"
  fi
}

# fetch ADDRESS FILE. Slim images have no curl, Alpine's have wget alone.
fetch() {
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --retry 3 --connect-timeout 20 --max-time 300 \
      --proto '=http,https' --output "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -T 60 -O "$2" "$1"
  else
    fail "neither curl nor wget is installed, so the binary cannot be fetched"
  fi
}

# A folder of its own, which nobody else can have made or read.
dir=$(mktemp -d "${RUNNER_TEMP:-/tmp}/breadcrumb-XXXXXX")
file=$dir/breadcrumb
fetch "$releases/$version/$asset" "$file" ||
  fail "$asset of $version could not be fetched from $releases"
got=$(digest "$file")
[ "$got" = "$want" ] || {
  rm -rf "$dir"
  fail "$asset of $version has the digest $got, not $want: it was not run"
}
chmod 700 "$file"
exec "$file" "$@"
