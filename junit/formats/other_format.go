package formats

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/scan"
)

// otherRoots describes formats by their root element, and says what to do.
var otherRoots = map[string]string{
	"test-run":         "NUnit 3; convert it with nunit-console's --result=out.xml;transform=nunit3-junit.xslt, or use the JunitXml.TestLogger package",
	"test-results":     "NUnit 2; convert it with an nunit-to-junit transform",
	"assemblies":       "xUnit.net v2; use the runner's -junit option or the JunitXml.TestLogger package",
	"assembly":         "xUnit.net; use the runner's -junit option or the JunitXml.TestLogger package",
	"TestRun":          "Visual Studio TRX; use the JunitXml.TestLogger package or convert it with trx2junit",
	"testng-results":   "TestNG; its junitreports directory holds JUnit XML",
	"Site":             "CTest; run ctest with --output-junit",
	"TestCase":         "Qt Test XML; run the test with -o FILE,junitxml",
	"TestLog":          "Boost.Test XML; run the test with --log_format=JUNIT",
	"TestResult":       "Boost.Test XML; run the test with --log_format=JUNIT",
	"Catch2TestRun":    "Catch2 XML; run the test with --reporter junit",
	"Catch":            "Catch2 XML; run the test with --reporter junit",
	"doctest":          "doctest XML; run the test with --reporters=junit",
	"robot":            "Robot Framework; run robot with --xunit FILE",
	"test-suite":       "Allure 1; write JUnit XML beside it with the runner's own reporter",
	"testExecutions":   "SonarQube generic test data; use the runner's JUnit reporter",
	"testResults":      "JMeter; convert it to JUnit XML",
	"suites":           "a list of suites without JUnit's element names; use the runner's JUnit reporter",
	"coverage":         "Cobertura coverage; give the test report instead",
	"report":           "JaCoCo coverage; give the test report instead",
	"checkstyle":       "Checkstyle; give the test report instead",
	"html":             "an HTML page; give the XML report instead",
	"plist":            "an Apple property list; convert the xcresult bundle to JUnit XML",
	"feed":             "a feed; give the test report instead",
	"project":          "a build file; give the test report instead",
	"unittest-results": "UnitTest++ XML; use its JUnit reporter",
	"gtester":          "GLib's gtester XML; run the test with --tap and give that",
	"tusar":            "TUSAR; give the runner's JUnit report instead",
	"ResultsSession":   "Parasoft XML; export JUnit XML from it",
	"TestResults":      "FPCUnit XML; run the test with --format=junit",
	"report-result":    "MbUnit XML; convert it to JUnit XML",
	"valgrindoutput":   "Valgrind; give the test report instead",

	"CUNIT_TEST_RUN_REPORT": "CUnit XML; switch on its JUnit output with CU_automated_enable_junit_xml(CU_TRUE)",
}

// The formats that share a root element with another.
const (
	cppUnit = "CppUnit or AUnit XML; convert it to JUnit XML"
	checkC  = "Check XML; let it write TAP, with CK_TAP_LOG_FILE_NAME, and give that"
)

var (
	doctypeName = lazyregexp.New(`<!DOCTYPE\s+([\w:.-]+)`)
	checkSpace  = []byte(`"http://check.sourceforge.net/ns"`)
	cppUnitList = lazyregexp.New(`<(?:FailedTests|SuccessfulTests)\b`)
)

// HasOtherNamespace reports whether the first bytes of a file name the namespace
// of another format, some of whose elements have the names of JUnit's.
func HasOtherNamespace(head []byte) bool { return bytes.Contains(head, checkSpace) }

// otherPrefixes describes formats by how they begin.
var otherPrefixes = []struct{ prefix, format string }{
	{"PK\x03\x04", "a zip archive; unpack it first"},
	{"\x1f\x8b", "gzip; unpack it first"},
	{"<!ENTITY", "a DTD (entity declarations); give the test report instead"},
	{"<!ELEMENT", "a DTD; give the test report instead"},
	{"<!doctype html", "an HTML page; give the XML report instead"},
	{"<!DOCTYPE html", "an HTML page; give the XML report instead"},
}

// jsonKeys describes JSON formats by a key near their beginning.
var jsonKeys = []struct{ key, format string }{
	{`"reportFormat"`, "CTRF without results; the reporter did not finish"},
	{`"tool"`, "CTRF without results; the reporter did not finish"},
	{`"numTotalTests"`, "Jest JSON; use jest-junit"},
	{`"numFailedTests"`, "Jest JSON; use jest-junit"},
	{`"keyword"`, "Cucumber JSON; use the junit formatter"},
	{`"protocolVersion"`, "Cucumber messages; use the junit formatter"},
	{`"historyId"`, "an Allure result; write JUnit XML beside it with the runner's own reporter"},
	{`"collection"`, "Newman JSON; run newman with -r junit"},
	{`"Metric"`, "k6 output; write JUnit XML with handleSummary and k6-summary's jUnit"},
	{`"metrics"`, "a k6 summary; write JUnit XML with handleSummary and k6-summary's jUnit"},
	{`"stats"`, "Mocha JSON; use mocha-junit-reporter"},
	{`"test_results"`, "RSpec or pytest JSON; use the runner's JUnit reporter"},
	{`"config"`, "a Playwright configuration; give the report of its json or junit reporter"},
}

// NotJUnitError says that a file is none of the formats that are read, and what it
// looks like.
type NotJUnitError struct {
	Format string // recognised format and what to do, for people
}

// Error returns one sentence.
func (e *NotJUnitError) Error() string { return "not JUnit XML: looks like " + e.Format }

// OtherFormat names the format of a file whose first bytes are head and whose root
// element is root ("" where it has none).
func OtherFormat(head []byte, root string) *NotJUnitError {
	text, format := TrimSpaceNUL(head), cmp.Or(otherRoots[root], otherByPrefix(head))
	switch {
	case HasOtherNamespace(head):
		format = checkC
	case root == "TestRun" && cppUnitList.Match(head):
		format = cppUnit
	case root != "" && otherRoots[root] == "":
		format = fmt.Sprintf("XML with the root element <%s>; give the runner's JUnit report instead", root)
	case format != "":
	case len(text) > 0 && (text[0] == '{' || text[0] == '['):
		format = otherJSON(text)
	case bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(scan.WholeRunes(head)):
		format = "a binary file; give the XML report instead"
	case bytes.HasPrefix(text, []byte("<")):
		format = "XML without a root element; give the runner's JUnit report instead"
	default:
		format = "plain text; give the XML report instead"
	}
	return &NotJUnitError{format}
}

// otherByPrefix names a format by the first bytes of a file, "" for none.
func otherByPrefix(head []byte) string {
	text := TrimSpaceNUL(head)
	for _, f := range otherPrefixes {
		if bytes.HasPrefix(text, []byte(f.prefix)) {
			return f.format
		}
	}
	return ""
}

func otherJSON(text []byte) string {
	best, format := len(text), "JSON; write JUnit XML with the runner's own reporter"
	for _, f := range jsonKeys {
		if i := strings.Index(string(text), f.key); i >= 0 && i < best {
			best, format = i, f.format
		}
	}
	return format
}

// RefuseDoctype returns the error for a file that declares a document type: its format
// where that has a DTD or is HTML, else err.
func RefuseDoctype(head []byte, err error) error {
	if f := otherByPrefix(head); f != "" {
		return &NotJUnitError{f}
	}
	if m := doctypeName.FindSubmatch(head); m != nil && otherRoots[string(m[1])] != "" {
		return OtherFormat(head, string(m[1]))
	}
	return fmt.Errorf("not usable as JUnit XML: %w", err)
}
