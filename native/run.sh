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

has() { command -v "$1" >/dev/null 2>&1; }

# find_node sets node where there is one that runs. In a job's container GitHub mounts
# the one that runs actions.
find_node() {
  for node in node /__e/node*/bin/node; do
    if "$node" -e 0 >/dev/null 2>&1; then return 0; fi
  done
  return 1
}

# fetch ADDRESS FILE. Slim images have no curl, Alpine's have wget alone.
if has curl; then
  fetch() {
    curl --fail --silent --show-error --location --connect-timeout 20 --max-time 300 \
      --proto '=http,https' --output "$2" "$1"
  }
elif has wget; then
  # GNU's tries for minutes by itself. BusyBox's does not, and Debian's dies of -T.
  if wget --version >/dev/null 2>&1; then
    fetch() { wget --tries=1 --timeout=60 -O "$2" "$1"; }
  else
    fetch() { wget -O "$2" "$1"; }
  fi
elif find_node; then
  fetch() {
    NODE_USE_ENV_PROXY=1 "$node" -e '
      fetch(process.argv[1], { signal: AbortSignal.timeout(300000) }).then(async (answer) => {
        if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
        require("fs").writeFileSync(process.argv[2], Buffer.from(await answer.arrayBuffer()))
      }).catch((error) => { console.error((error.cause || error).message); process.exit(1) })' "$1" "$2"
  }
else
  fail "none of curl, wget and node is installed, so the binary cannot be fetched"
fi

# digest FILE. macOS has shasum alone.
if has sha256sum; then
  digest() { sha256sum <"$1" | cut -d ' ' -f 1; }
elif has shasum; then
  digest() { shasum -a 256 <"$1" | cut -d ' ' -f 1; }
elif find_node; then
  digest() {
    "$node" -p 'require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex")' "$1"
  }
else
  fail "none of sha256sum, shasum and node is installed, so the binary cannot be checked"
fi

# A folder of its own, which nobody else can have made or read, where programs may run:
# on a mount with noexec they may not.
dir=
for place in "${RUNNER_TEMP:-}" "${TMPDIR:-/tmp}" "${HOME:-}"; do
  [ -n "$place" ] || continue
  dir=$(mktemp -d "$place/breadcrumb-XXXXXX" 2>/dev/null) || { dir=; continue; }
  file=$dir/breadcrumb
  echo '#!/bin/sh' >"$file" && chmod 700 "$file" && "$file" 2>/dev/null && break
  rm -rf "$dir"
  dir=
done
[ -n "$dir" ] || fail "no folder can be made in which a program runs, neither in RUNNER_TEMP '${RUNNER_TEMP:-}' nor in '${TMPDIR:-/tmp}' or HOME '${HOME:-}': are they there, writable and not mounted noexec?"

# A server that refuses or fails often answers a moment later, but what is not there does
# not come.
for try in 1 2 3 4; do
  if fetch "$releases/$version/$asset" "$file" 2>"$dir/said"; then break; fi
  said=$(sed -n '/./h; ${x;p;}' "$dir/said") # the last line
  case "$try $said" in
    4* | *" 404" | *" 404"[!0-9]*)
      rm -rf "$dir"
      fail "$asset of $version could not be fetched from $releases: $said"
      ;;
  esac
  sleep "$try"
done

got=$(digest "$file")
[ "$got" = "$want" ] || {
  rm -rf "$dir"
  fail "$asset of $version has the digest $got, not $want: it was not run"
}
rm -f "$dir/said"
chmod 700 "$file"
exec "$file" "$@"
