package junit

import (
	"cmp"
	"path"
	"regexp"
	"strings"
)

// containerSuites are suites that stand around everything a runner reports.
var containerSuites = map[string]bool{
	"pytest": true, "nosetests": true, "Mocha Tests": true, "Root Suite": true, "jest tests": true,
	"Cucumber": true, "(empty)": true, "TestResults": true, "undefined": true, "rspec": true,
}

// containerClasses are class names a runner gives to every test: node:test.
var containerClasses = map[string]bool{"test": true}

// stampPattern matches the start time unittest-xml-reporting puts behind a
// suite's name.
var stampPattern = regexp.MustCompile(`-(?:19|20)\d{12}$`)

// buildName matches what ctest calls a build that was given no name: system and
// compiler.
var buildName = regexp.MustCompile(`^(?:Linux|Darwin|FreeBSD|Win32|Win64|Windows|CYGWIN|MINGW)[\w.]*-[\w+.-]+$`)

// Karma, WebdriverIO and TestCafe write the browser's version and the system
// into suite or class: "Chrome Headless 120.0.0.0 (Linux x86_64)",
// "chrome.120_0_6099.linux.Login", "TestCafe Tests: Chrome 120.0 / Linux 0.0".
var (
	karmaBrowser    = regexp.MustCompile(`^([A-Za-z][A-Za-z _]{2,40}?)[ _]\d+(?:[._]\d+)*[ _]\([^)]{1,60}\)`)
	wdioBrowser     = regexp.MustCompile(`^([A-Za-z]{3,20})\.\d[\d_]*\.[A-Za-z][\w]{2,20}\.`)
	testCafeBrowser = regexp.MustCompile(`^TestCafe Tests: `)
)

// stableName drops what a browser's update or another machine changes in the
// name of a suite or class.
func stableName(s string) string {
	if m := karmaBrowser.FindStringSubmatchIndex(s); m != nil {
		return s[m[2]:m[3]] + s[m[1]:]
	}
	if m := wdioBrowser.FindStringSubmatchIndex(s); m != nil {
		return s[m[2]:m[3]] + "." + s[m[1]:]
	}
	return s
}

// stableSuite returns the part of a suite's name that is the same on every
// machine: no time, no directory of a checkout.
func stableSuite(segment string) string {
	segment = clean(slashed(segment))
	if containerSuites[segment] || testCafeBrowser.MatchString(segment) {
		return ""
	}
	segment = stableName(stampPattern.ReplaceAllString(segment, ""))
	if buildName.MatchString(segment) {
		return ""
	}
	if !absolute(segment) {
		return segment
	}
	switch path.Ext(segment) {
	case "", ".xml", ".dist":
		return "" // a directory of the machine, or PHPUnit's configuration
	}
	return path.Base(segment)
}

var filePosition = regexp.MustCompile(`^(.+\.[A-Za-z]{1,6}):(\d{1,7})(?::\d{1,7})?$`)

// cutPosition cuts the line off a reported file, as ExUnit writes it:
// "test/cart_test.exs:3".
func cutPosition(file, line string) (string, string) {
	if !strings.Contains(file, ":") {
		return file, line
	}
	if m := filePosition.FindStringSubmatch(file); m != nil {
		return m[1], cmp.Or(strings.TrimSpace(line), m[2])
	}
	return file, line
}
