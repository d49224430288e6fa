#!/bin/sh
# Makes the reports of testdata/real anew, each by the runner it is named after.
# Needs node with npm, go, and Debian's phpunit, ruby-rspec, ruby-minitest,
# ruby-minitest-reporters, ruby-rspec-junit-formatter, libgtest-dev, cmake, g++
# and python3-pytest. The projects in src are copied to /tmp/junit-real/src,
# which is then written /src in the reports, and the host's name "host".
#
# usage: make.sh [NAME…]   only the reports of these runners
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=/tmp/junit-real
src=$work/src
out=$work/out
mkdir -p "$out"
rm -rf "$src"
cp -r "$here/real/src" "$src"
only=" $* "

# report NAME FILE COMMAND… runs COMMAND in the runner's project, whatever it
# exits with, and takes FILE as the report NAME. The command is recorded.
report() {
	name=$1 file=$2
	shift 2
	case $only in "  " | *" ${name%%.*} "*) ;; *) return 0 ;; esac
	rm -f "$file"
	"$@" >"$out/$name.log" 2>&1 || true
	sed -e "s#$src/#/src/#g" -e "s#$src#/src#g" -e "s#$work/#/#g" -e "s#$(hostname)#host#g" "$file" >"$here/real/$name"
	echo "$name: (cd src/$(basename "$PWD") && $*)"
}

modules() {
	cd "$work"
	[ -d node_modules/@playwright ] || {
		npm init -y >/dev/null
		npm install --no-audit --no-fund --ignore-scripts --legacy-peer-deps \
			jest@30 jest-junit@17 mocha@11 mocha-junit-reporter@2 vitest@4 @cucumber/cucumber@12 \
			@playwright/test@1.60.0 pw152@npm:@playwright/test@1.52.0 pw165@npm:@playwright/test@1.65.1 playwright-ctrf-json-reporter@0.0.29
	}
}

modules >"$out/npm.log" 2>&1
bin=$work/node_modules/.bin

cd "$src/playwright"
ln -sfn "$work/node_modules" node_modules
for v in 1.60 1.52 1.65; do
	cli=node_modules/@playwright/test/cli.js
	if [ $v != 1.60 ]; then
		# the tests must load the runner that runs them
		own=pw$(echo $v | tr -d .)
		rm -r node_modules && mkdir -p node_modules/@playwright
		ln -s "$work/node_modules/$own" node_modules/@playwright/test
		ln -s "$work/node_modules/playwright-ctrf-json-reporter" node_modules/
		cli=$work/node_modules/$own/cli.js
	fi
	report playwright-$v.xml junit.xml env REPORTER=junit OUT=junit.xml node "$cli" test
	report playwright-$v-retries.xml junit.xml env REPORTER=junit OUT=junit.xml RETRIES=1 node "$cli" test
	report playwright-$v.json report.json env REPORTER=json OUT=report.json node "$cli" test
	[ $v != 1.60 ] || report playwright-$v.ctrf.json ctrf.json env REPORTER=ctrf OUT=ctrf.json node "$cli" test
done

cd "$src/go"
for f in */*_test.txt; do mv "$f" "${f%.txt}.go"; done
mv go.mod.txt go.mod
report gotest.json go.json sh -c 'go test -json ./... >go.json'
report gotestsum.xml go.xml go run gotest.tools/gotestsum@v1.13.0 --junitfile go.xml ./...

cd "$src/node"
report node-test.xml node.xml node --test --test-reporter=junit --test-reporter-destination=node.xml cart.test.js
report node-test.tap node.tap node --test --test-reporter=tap --test-reporter-destination=node.tap cart.test.js
report node-todo.xml todo.xml node --test --test-reporter=junit --test-reporter-destination=todo.xml todo.test.js
report node-todo.tap todo.tap node --test --test-reporter=tap --test-reporter-destination=todo.tap todo.test.js

cd "$src/jest"
ln -sfn "$work/node_modules" node_modules
report jest.xml junit.xml "$bin/jest" --rootDir . --reporters=jest-junit
report jest-broken.xml junit.xml env JEST_JUNIT_REPORT_TEST_SUITE_ERRORS=true "$bin/jest" --rootDir . --reporters=jest-junit
report jest-file.xml junit.xml env JEST_JUNIT_ADD_FILE_ATTRIBUTE=true "$bin/jest" --rootDir . --reporters=jest-junit

cd "$src/mocha"
ln -sfn "$work/node_modules" node_modules
report mocha.xml test-results.xml "$bin/mocha" --reporter mocha-junit-reporter cart.spec.js

cd "$src/vitest"
ln -sfn "$work/node_modules" node_modules
report vitest.xml junit.xml "$bin/vitest" run --reporter=junit --outputFile=junit.xml
report vitest.tap vitest.tap sh -c "$bin/vitest run --reporter=tap >vitest.tap"

cd "$src/cucumber"
ln -sfn "$work/node_modules" node_modules
report cucumber-js.xml junit.xml "$bin/cucumber-js" --import 'features/steps.cjs' --format junit:junit.xml

cd "$src/pytest"
report pytest.xml junit.xml pytest-3 -p no:cacheprovider --continue-on-collection-errors --junitxml=junit.xml
cd "$src/phpunit"
report phpunit.xml junit.xml phpunit --log-junit junit.xml CartTest.php
cd "$src/gtest"
cmake -S . -B build >"$out/cmake.log" 2>&1 && cmake --build build >>"$out/cmake.log" 2>&1
report googletest.xml gtest.xml build/cart_test --gtest_output=xml:gtest.xml
report ctest.xml build/ctest.xml ctest --test-dir build --output-junit ctest.xml
cd "$src/rspec"
report rspec.xml rspec.xml rspec --format RspecJunitFormatter --out rspec.xml
cd "$src/minitest"
report minitest.xml results/TEST-Minitest-Result.xml sh -c "mkdir -p results; OUT=results ruby test/cart_test.rb"
