#!/usr/bin/env bash
# Makes the pictures in docs/images.
#
#   comment.png  what Breadcrumb itself writes on the shop's suites as if they were a
#                pull request, on a page that looks like GitHub; three of their heals
#                are left in, so that the picture fits a README
#   crumb.png    the same on the Go suite in shop/crumb, run in a browser on the shop
#                before and after its redesign; needs `make browser`
#   console.png  what `breadcrumb run` says of the shop's TypeScript suite, run on the
#                shop before and after its redesign; needs npm
#
# Without arguments all, else those named (comment, crumb or console). Needs Go,
# chromium, python3 and pngquant, and Debian's fonts-noto-core, fonts-noto-color-emoji
# and fonts-liberation, without which letters stand apart.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export GOFLAGS= # with -trimpath the tests would not name the files of the checkout
work=$(mktemp -d)
server= forge=
trap 'kill $server $forge 2>/dev/null; rm -rf "$work"' EXIT

go build -o "$work/breadcrumb" .
go build -o "$work/picture" examples/record/picture.go
python3 examples/record/github.py examples/shop/app/{cart,checkout,login,profile,search}.html &
forge=$!

# judge FOLDER ARGUMENT... writes the comment on a run to $work/comment.md.
judge() {
  local head=4be81a7c90d2e3f4051627384950a1b2c3d4e5f6
  local repository='{"id": 1, "full_name": "corner-shop/web", "default_branch": "main"}'
  cat >"$work/event.json" <<JSON
{"action": "synchronize", "number": 214, "repository": $repository,
 "pull_request": {"number": 214, "head": {"sha": "$head", "ref": "redesign", "repo": $repository}, "base": {"ref": "main", "repo": $repository}}}
JSON
  : >"$work/comment.md"
  (cd "$1" && env GITHUB_ACTIONS=true GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH="$work/event.json" GITHUB_SHA="$head" \
    GITHUB_REF=refs/pull/214/merge GITHUB_REPOSITORY=corner-shop/web GITHUB_REPOSITORY_ID=1 GITHUB_RUN_ID=18234567890 GITHUB_RUN_ATTEMPT=1 \
    GITHUB_WORKFLOW_REF=corner-shop/web/.github/workflows/e2e.yml@refs/pull/214/merge GITHUB_JOB=default GITHUB_SERVER_URL=https://github.com \
    GITHUB_API_URL=http://127.0.0.1:8215 GITHUB_TOKEN=t0ken GITHUB_WORKSPACE="$1" GITHUB_STEP_SUMMARY="$work/comment.md" GITHUB_OUTPUT="$work/output" \
    "$work/breadcrumb" ci --comment=false "${@:2}" >"$work/log") ||
    [ $? = 1 ] || { cat "$work/log" >&2; exit 1; }
}

chromium() { command chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=2 "$@" 2>"$work/chromium.log"; }

# shoot NAME WIDTH makes a picture of the page $work/page.html.
shoot() {
  local height
  height=$(chromium --window-size="$2,400" --dump-dom "file://$work/page.html" | grep -o 'data-height="[0-9]*"' | tr -dc 0-9)
  chromium --window-size="$2,$height" --screenshot="$work/page.png" "file://$work/page.html"
  pngquant --force --speed 1 --output "$root/docs/images/$1.png" "$work/page.png"
}

# serve RELEASE serves the shop before or after its redesign on port 8214, end_server ends it.
serve() {
  python3 -m http.server --bind 127.0.0.1 --directory "examples/shop/app/$1" 8214 >"$work/server.log" 2>&1 &
  server=$!
  sleep 1
}

end_server() {
  kill "$server" || { cat "$work/server.log" >&2; exit 1; }
  wait "$server" 2>/dev/null || true
  server=
}

comment() {
  cp -r examples/shop "$work/shop"
  # As if the tests had just run.
  sed -i -E "s/2026-11-21([T ])[0-9]{2}:[0-9]{2}:[0-9]{2}/$(date -u +%F)\\1$(date -u -d '+1 minute' +%T)/g" "$work"/shop/results/*.xml
  grep -e 'leads to' -e 'places the order' -e 'signs in.*"#login-btn"' "$work/shop/heals/playwright.ndjson" |
    sed -E "s/\"timestamp\":[0-9.e+]+/\"timestamp\":$(date -d '+1 minute' +%s)/" >"$work/heals.ndjson"
  judge "$work/shop" --junit 'results/*.xml' --heal-events "$work/heals.ndjson" --db .breadcrumb.db
  "$work/picture" <"$work/comment.md" >"$work/page.html"
  shoot comment 920
}

crumb() {
  mkdir -p "$work/repo/examples/shop"
  cp -r examples/shop/crumb "$work/repo/examples/shop/"
  local release timeout
  for release in before after; do
    timeout=30000
    [ $release = before ] || timeout=8000 # for what is not there
    serve $release
    CHROMIUM=$(type -P chromium) SHOP_URL=http://127.0.0.1:8214 SHOP_TIMEOUT=$timeout BREADCRUMB_DB="$work/crumbs.db" \
      BREADCRUMB_EVENTS="$work/crumb.ndjson" go test -count=1 -json ./examples/shop/crumb >"$work/$release.json" ||
      [ $release = after ] || { cat "$work/$release.json" >&2; exit 1; }
    end_server
  done
  judge "$work/repo" --junit "$work/after.json" --heal-events "$work/crumb.ndjson" --db "$work/history.db"
  "$work/picture" <"$work/comment.md" >"$work/page.html"
  shoot crumb 920
}

console() {
  mkdir -p "$work/console/.git"
  cp -r examples/shop/tests examples/shop/playwright.config.ts "$work/console"
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --prefix "$work/console" --no-fund --no-audit --loglevel=error @playwright/test@1.60.0
  local release
  for release in before after; do
    serve $release
    (cd "$work/console" && env -u CI CHROMIUM="$(type -P chromium)" CHROMIUM_ARGS='--no-sandbox' SHOP_URL=http://127.0.0.1:8214 \
      "$work/breadcrumb" run -- npx playwright test --reporter=list --retries 0 --timeout 60000 >"$work/said" 2>&1) ||
      [ $release = after ] || { cat "$work/said" >&2; exit 1; }
    end_server
  done
  {
    printf '%s' '<!doctype html><meta charset="utf-8"><style>body{margin:0;padding:18px 20px;background:#0d1117;color:#e6edf3;font:13px/1.38 "Liberation Mono",monospace}pre{margin:0;font:inherit}b{color:#7ee787}</style><pre>'
    echo '<b>$</b> breadcrumb run -- npx playwright test'
    # The tests' own errors, each with its code, are left out.
    sed -n '/^Running/p; /^  [0-9]* failed$/,$p' "$work/said" | sed '1a\  …' | sed 's/&/\&amp;/g; s/</\&lt;/g; s/ ─*$//'
    echo '</pre><script>document.body.dataset.height = Math.ceil(document.body.getBoundingClientRect().height)</script>'
  } >"$work/page.html"
  shoot console 760
}

for name in "${@:-comment crumb console}"; do
  for one in $name; do "$one"; done
done
