#!/usr/bin/env bash
# Makes the pictures in docs/images: comments that Breadcrumb itself writes for the
# examples as if they were pull requests, on a page that looks like GitHub.
#
#   comment.png  on the shop's suites; three of their heals are left in, so that
#                the picture fits a README
#   crumb.png    on the Go suite in shop/crumb, run in a browser on the shop before
#                and after its redesign; needs `make browser`
#
# Without arguments both, else the one named (comment or crumb). Needs Go, chromium,
# python3 and pngquant.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

go build -o "$work/breadcrumb" .
go build -o "$work/picture" examples/record/picture.go

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
    GITHUB_WORKSPACE="$1" GITHUB_STEP_SUMMARY="$work/comment.md" GITHUB_OUTPUT="$work/output" \
    "$work/breadcrumb" ci "${@:2}" >"$work/log") ||
    [ $? = 1 ] || { cat "$work/log" >&2; exit 1; }
}

chromium() { command chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=2 "$@" 2>"$work/chromium.log"; }

# shoot NAME makes a picture of the comment.
shoot() {
  "$work/picture" <"$work/comment.md" >"$work/comment.html"
  local height
  height=$(chromium --window-size=920,400 --dump-dom "file://$work/comment.html" | grep -o 'data-height="[0-9]*"' | tr -dc 0-9)
  chromium --window-size="920,$height" --screenshot="$work/comment.png" "file://$work/comment.html"
  pngquant --force --speed 1 --output "$root/docs/images/$1.png" "$work/comment.png"
}

comment() {
  cp -r examples/shop "$work/shop"
  grep -e 'leads to' -e 'places the order' -e 'signs in.*"#login-btn"' "$work/shop/heals/playwright.ndjson" >"$work/heals.ndjson"
  judge "$work/shop" --junit 'results/*.xml' --heal-events "$work/heals.ndjson" --db .breadcrumb.db
  shoot comment
}

crumb() {
  mkdir -p "$work/repo/examples/shop"
  cp -r examples/shop/crumb "$work/repo/examples/shop/"
  local release timeout
  for release in before after; do
    timeout=30000
    [ $release = before ] || timeout=8000 # for what is not there
    python3 -m http.server --bind 127.0.0.1 --directory "examples/shop/app/$release" 8214 >"$work/server.log" 2>&1 &
    server=$!
    sleep 1
    CHROMIUM=$(type -P chromium) SHOP_URL=http://127.0.0.1:8214 SHOP_TIMEOUT=$timeout BREADCRUMB_DB="$work/crumbs.db" \
      BREADCRUMB_EVENTS="$work/crumb.ndjson" go test -count=1 -json ./examples/shop/crumb >"$work/$release.json" ||
      [ $release = after ] || { cat "$work/$release.json" >&2; exit 1; }
    kill "$server" || { cat "$work/server.log" >&2; exit 1; }
    wait "$server" 2>/dev/null || true
    server=
  done
  judge "$work/repo" --junit "$work/after.json" --heal-events "$work/crumb.ndjson" --db "$work/history.db"
  shoot crumb
}

for name in "${@:-comment crumb}"; do
  for one in $name; do "$one"; done
done
