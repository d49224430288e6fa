#!/usr/bin/env bash
# Makes everything in examples/shop that a test run makes: results/, heals/ and
# .breadcrumb.db. It runs the shop's tests twice in a real browser: on the old
# release to learn fingerprints, on the new one for the files. Needs Debian 12 and
# root (for apt), Go and npm; about two minutes.
set -euo pipefail
cd "$(dirname "$0")"
examples=$PWD
work=/tmp/corner-shop # fixed, because stack traces name it
server=
mkdir "$work"
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

apt-get install -y --no-install-recommends \
  curl chromium python3-pytest junit5 default-jdk-headless mono-mcs nunit-console libnunit-cil-dev xsltproc >"$work/apt.log"
(cd .. && go build -o "$work/breadcrumb" .)
cp -r record shop "$work"
cd "$work"
npm install --silent --no-audit --no-fund --prefix record
ln -s record/node_modules node_modules

export SHOP_URL=http://127.0.0.1:8099 CHROMIUM=/usr/bin/chromium
export CHROMIUM_ARGS="--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
export SHOP_BASELINE=$work/baseline.json SHOP_HEALS=$work/shop/heals SHOP_HEALING=$work/record/playwright-test.js

run_playwright() { npx playwright test; }
run_pytest() { PYTHONPATH=$work/record/python /usr/bin/python3 -m pytest -q -p shop_plugin -p no:cacheprovider --junitxml results/pytest.xml python; }
run_gotestsum() {
  (cd go && GOFLAGS=-modfile=$work/record/go/tests.mod go run gotest.tools/gotestsum@v1.13.0 --junitfile ../results/gotestsum.xml -- -count=1 ./...)
}
run_junit() {
  local jars=/usr/share/java/junit-jupiter-api.jar:/usr/share/java/apiguardian-api.jar:/usr/share/java/opentest4j.jar:/usr/share/java/junit-platform-commons.jar
  mkdir -p "$work/classes"
  javac -d "$work/classes" -cp "$jars" "$work"/record/java/com/microsoft/playwright/*.java java/src/test/java/shop/*.java
  java -jar /usr/share/java/junit-platform-console-standalone.jar -cp "$work/classes" --scan-classpath \
    --include-engine junit-jupiter --reports-dir "$work/junit"
  cp "$work/junit/TEST-junit-jupiter.xml" results/junit.xml
}
run_nunit() {
  local nunit=/usr/lib/cli/nunit.framework-2.6.3/nunit.framework.dll
  mcs -debug -target:library -out:"$work/Shop.dll" -r:$nunit "$work/record/csharp/Playwright.cs" csharp/*.cs
  cp $nunit "$work"
  MONO_ENV_OPTIONS=--debug nunit-console -nologo -noshadow -xml="$work/nunit.xml" "$work/Shop.dll"
  xsltproc -o results/nunit.xml "$work/record/csharp/nunit-to-junit.xsl" "$work/nunit.xml"
}

# run_all RELEASE: every runner on one release of the shop. Failures are counted
# in $failed and left in the reports.
run_all() {
  node "$work/record/server.js" "$work/shop/app/$1" 8099 &
  server=$!
  until curl -fs $SHOP_URL/login.html >/dev/null; do sleep 0.1; done
  failed=0
  for runner in playwright pytest gotestsum junit nunit; do
    "run_$runner" >"${LOGS:-$work}/$1-$runner.log" 2>&1 && echo "$1 $runner: passed" || {
      echo "$1 $runner: exit $?"
      failed=$((failed + 1))
    }
  done
  kill "$server"
  wait "$server" 2>/dev/null || true
  server=
}

cd shop
SHOP_RECORD=1 run_all before
[ $failed = 0 ] || exit 1 # the old release is healthy, or nothing can be learned
rm -rf results heals .breadcrumb.db
mkdir results heals
run_all after
/usr/bin/python3 "$work/record/tidy.py" results
"$work/breadcrumb" junit --format json results/*.xml >"$work/tests.json"
/usr/bin/python3 "$work/record/history.py" "$work/tests.json" "$SHOP_BASELINE" heals .breadcrumb.db

rm -rf "$examples/shop/results" "$examples/shop/heals"
cp -r results heals .breadcrumb.db "$examples/shop"
