#!/usr/bin/env bash
# Makes docs/images/comment.png: the comment that Breadcrumb itself writes for the
# example as if it were a pull request, on a page that looks like GitHub. Three of
# the example's heals are left in, so that the picture fits a README. Needs Go,
# chromium and pngquant; a few seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

go build -o "$work/breadcrumb" .
go build -o "$work/picture" examples/record/picture.go
cp -r examples/shop "$work/shop"
cd "$work/shop"
grep -e 'leads to' -e 'places the order' -e 'signs in.*"#login-btn"' heals/playwright.ndjson >"$work/heals.ndjson"

head=4be81a7c90d2e3f4051627384950a1b2c3d4e5f6
repository='{"id": 1, "full_name": "corner-shop/web", "default_branch": "main"}'
cat >"$work/event.json" <<JSON
{"action": "synchronize", "number": 214, "repository": $repository,
 "pull_request": {"number": 214, "head": {"sha": "$head", "ref": "redesign", "repo": $repository}, "base": {"ref": "main", "repo": $repository}}}
JSON
env GITHUB_ACTIONS=true GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH="$work/event.json" GITHUB_SHA="$head" \
  GITHUB_REF=refs/pull/214/merge GITHUB_REPOSITORY=corner-shop/web GITHUB_REPOSITORY_ID=1 GITHUB_RUN_ID=18234567890 GITHUB_RUN_ATTEMPT=1 \
  GITHUB_WORKFLOW_REF=corner-shop/web/.github/workflows/e2e.yml@refs/pull/214/merge GITHUB_JOB=default GITHUB_SERVER_URL=https://github.com \
  GITHUB_WORKSPACE="$PWD" GITHUB_STEP_SUMMARY="$work/comment.md" GITHUB_OUTPUT="$work/output" \
  "$work/breadcrumb" ci --junit 'results/*.xml' --heal-events "$work/heals.ndjson" --db .breadcrumb.db >"$work/log" ||
  [ $? = 1 ] || { cat "$work/log" >&2; exit 1; }

chromium() { command chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=2 "$@" 2>"$work/chromium.log"; }
"$work/picture" <"$work/comment.md" >"$work/comment.html"
height=$(chromium --window-size=920,400 --dump-dom "file://$work/comment.html" | grep -o 'data-height="[0-9]*"' | tr -dc 0-9)
chromium --window-size="920,$height" --screenshot="$work/comment.png" "file://$work/comment.html"
pngquant --force --speed 1 --output "$root/docs/images/comment.png" "$work/comment.png"
