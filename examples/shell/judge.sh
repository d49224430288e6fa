#!/bin/sh
# Judges a test run on any CI: Jenkins, Buildkite, a cron job.
#
#   BREADCRUMB_VERSION=v1.2.3 BREADCRUMB_SHA256=… ./judge.sh /mnt/breadcrumb 'results/**/*.xml'
#   … ./judge.sh /mnt/breadcrumb 'results/**/*.xml' npx playwright test
#
# With a command it runs the tests by `breadcrumb run`, which learns the elements that
# they find and looks for those that they lose. Without, they have run.
# BREADCRUMB_SHA256 is the digest of the binary in SHA256SUMS of that release.
# STEP_OUTCOME=failure tells that the test command failed, which blocks where no
# report shows a failure.
# The first argument is the directory that keeps the history from run to run; the
# jobs of the default branch need it, others may have a copy that is thrown away.
# The exit code is the verdict: 0 pass, 1 something blocks, 2 no usable input, 3 a
# fault. breadcrumb.json tells the outcome, breadcrumb.patch the proposed edits; keep
# them with breadcrumb.html, heals/, the reports and the traces.
set -eu

history=${1:?judge.sh HISTORY REPORTS [COMMAND…]}
reports=${2:?judge.sh HISTORY REPORTS [COMMAND…]}
shift 2
version=${BREADCRUMB_VERSION:?set it to the release, such as v1.2.3}
digest=${BREADCRUMB_SHA256:?set it to the digest of breadcrumb-linux-amd64 in the release\'s SHA256SUMS}
releases=${BREADCRUMB_RELEASES:-https://github.com/breadcrumb/action/releases/download}

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
curl --fail --silent --show-error --location --retry 3 --output "$tools/breadcrumb" "$releases/$version/breadcrumb-linux-amd64"
echo "$digest  $tools/breadcrumb" | sha256sum -c - >/dev/null
chmod 700 "$tools/breadcrumb"

tests=${STEP_OUTCOME:-}
if [ $# -gt 0 ]; then
	"$tools/breadcrumb" restore --state-path "$history"
	tests=success
	"$tools/breadcrumb" run -- "$@" || tests=failure
fi

code=0
"$tools/breadcrumb" ci --step-outcome "$tests" --junit "$reports" --heal-events 'heals/*.ndjson' --state-path "$history" --report breadcrumb.json --patch breadcrumb.patch || code=$?
"$tools/breadcrumb" report --format html >breadcrumb.html
exit "$code"
