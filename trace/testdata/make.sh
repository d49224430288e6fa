#!/bin/sh
# Makes testdata/traces again: the suite beside this file on both releases of its
# pages, with four versions of Playwright and Debian's Chromium. The newest one
# runs the whole suite, the others a part of it. Needs npm, python3 and chromium.
#
#   trace/testdata/make.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=/tmp/harbour
part='adds a mug|types a card number|turns the volume up|types a password|compares|exports|reads the sum|opens an invoice'
export CHROMIUM="${CHROMIUM:-$(command -v chromium)}"
export CHROMIUM_ARGS="--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"

for version in ${VERSIONS:-1.52.0 1.60.0 1.63.0 1.65.1}; do
  mkdir -p "$work/npm-$version"
  cd "$work/npm-$version"
  test -d node_modules || { npm init -y >/dev/null; npm install --no-fund --no-audit --loglevel=error "@playwright/test@$version"; }
  for release in v1 v2; do
    suite=$work/suite
    rm -rf "$suite"
    cp -r "$here/suite" "$suite"
    ln -s "$work/npm-$version/node_modules" "$suite/node_modules"
    port=8417
    (cd "$suite/app/$release" && exec python3 -m http.server $port --bind 127.0.0.1 >/dev/null 2>&1) &
    server=$!
    sleep 2
    cd "$suite"
    timeout=8000
    grep=$part
    test $release = v1 || timeout=1500
    test "$version" != 1.65.1 || grep=.
    SUITE_URL=http://127.0.0.1:$port ACTION_TIMEOUT=$timeout node_modules/.bin/playwright test -g "$grep" || test $release = v2
    kill $server
    out=$here/traces/$version/$release
    rm -rf "$out"
    mkdir -p "$out"
    for trace in results/tests/*/trace.zip; do
      cp "$trace" "$out/$(basename "$(dirname "$trace")").zip"
    done
  done
done
