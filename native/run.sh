#!/bin/sh
# Fetches the binary of this release for a Linux or macOS runner, checks it
# against the digest in release.txt and becomes it. The inputs
# are in BREADCRUMB_INPUTS. BREADCRUMB_RELEASES names a mirror of the releases.
set -eu

fail() {
  echo "::error title=Breadcrumb::$*" >&2
  exit 3
}

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

# A folder of its own, which nobody else can have made or read.
dir=$(mktemp -d "${RUNNER_TEMP:-/tmp}/breadcrumb-XXXXXX")
file=$dir/$asset
curl --fail --silent --show-error --location --retry 3 --connect-timeout 20 --max-time 300 \
  --proto '=http,https' --output "$file" "$releases/$version/$asset" ||
  fail "$asset of $version could not be fetched from $releases"
got=$(digest "$file")
[ "$got" = "$want" ] || {
  rm -rf "$dir"
  fail "$asset of $version has the digest $got, not $want: it was not run"
}
chmod 700 "$file"
exec "$file" ci --action native
